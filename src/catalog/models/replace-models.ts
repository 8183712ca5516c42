import { z } from "zod";

import { invalidFields, invalid } from "../../core/errors.ts";
import { modelName } from "../../core/input/input-fields.ts";
import { MODEL_KINDS } from "../../core/models/model-kind.ts";
import {
  listModelRows,
  replaceModels as write,
  type ModelRow,
  upsertModel,
} from "../../db/catalog/model-store.ts";
import type { Services } from "../../services.ts";

const MAX_MODELS = 1_000;
const price = z.number().min(0);
const perMillion = { hint: "Per million tokens.", isHalf: true };

/** The models that are offered, with prices per million tokens. */
export const offeredModels = z
  .array(
    z.object({
      model: modelName.meta({ label: "Model", placeholder: "openai/gpt-5-mini" }),
      kind: z.enum(MODEL_KINDS).meta({ label: "Kind" }),
      inputPrice: price.meta({ label: "Price of input", ...perMillion }),
      outputPrice: price.meta({ label: "Price of output", ...perMillion }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, "must be a currency code of three capitals")
        .meta({ label: "Currency" }),
    }),
  )
  .max(MAX_MODELS);

/** @throws QuarryError `invalid` when a model appears twice for one kind. */
export async function replaceModels({ db }: Pick<Services, "db">, input: { models: ModelRow[] }) {
  const names = new Set<string>();
  const repeated = input.models.flatMap(({ kind, model }, at) => {
    const key = `${kind} ${model}`;
    if (names.has(key)) return [{ field: `[${at}].model`, problem: `${model} is listed twice` }];
    names.add(key);
    return [];
  });
  if (repeated.length > 0) throw invalidFields(repeated);
  await write(db, input.models);
  return await listModelRows(db);
}

/** Adds one or changes its prices. @throws QuarryError `invalid` when the list is too long. */
export async function putModel({ db }: Pick<Services, "db">, { model }: { model: ModelRow }) {
  const isStored = await upsertModel(db, model, MAX_MODELS);
  if (!isStored) throw invalid(`the list must have at most ${MAX_MODELS} models`);
}
