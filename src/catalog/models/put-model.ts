import { invalid } from "../../core/errors.ts";
import { upsertModel, type ModelRow } from "../../db/catalog/model-store.ts";
import type { Services } from "../../services.ts";
import { MAX_MODELS } from "./replace-models.ts";

/**
 * Adds one model to the list of offered models, or changes its prices.
 * @throws QuarryError `invalid` when the list would be too long.
 */
export async function putModel(
  { db }: Pick<Services, "db">,
  { model }: { model: ModelRow },
): Promise<void> {
  const isStored = await upsertModel(db, model, MAX_MODELS);
  if (!isStored) throw invalid(`the list must have at most ${MAX_MODELS} models`);
}
