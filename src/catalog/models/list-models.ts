import { listModelRows, type ModelRow } from "../../db/catalog/model-store.ts";
import type { Services } from "../../services.ts";

/** A model with its prices per million tokens. */
export type OfferedModel = ModelRow;

/** The models offered, by kind and name. */
export async function listModels({ db }: Pick<Services, "db">): Promise<OfferedModel[]> {
  return await listModelRows(db);
}
