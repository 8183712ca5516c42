import { invalid } from "../../core/errors.ts";
import { upsertModel, type ModelRow } from "../../db/catalog/model-store.ts";
import type { Services } from "../../services.ts";

/**
 * Adds one model to the list of offered models, or changes its prices.
 * @throws QuarryError `invalid` when the list would have more than `max` entries.
 */
export async function putModel(
  { db }: Pick<Services, "db">,
  { model, max }: { model: ModelRow; max: number },
): Promise<void> {
  const isStored = await upsertModel(db, model, max);
  if (!isStored) throw invalid(`the list must have at most ${max} models`);
}
