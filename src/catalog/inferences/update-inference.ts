import { updateInferenceRow, type InferenceChange } from "../../db/catalog/runner-store.ts";
import type { InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { findInference } from "./find-inference.ts";
import { linkModelAndRags } from "./link-model-and-rags.ts";

/** `rags`: identifiers of those to link. */
type InferencePatch = InferenceChange & { rags?: string[] | undefined };

/** Changes what is given; `rags` replaces the links. @throws QuarryError `invalid`. */
export async function updateInference(
  services: Services,
  input: { inference: InferenceRecord; patch: InferencePatch },
): Promise<InferenceRecord> {
  const { rags, ...change } = input.patch;
  const { id } = input.inference;
  const ragIds = await linkModelAndRags(services, { model: change.model, rags });
  await updateInferenceRow(services.db, id, change, ragIds);
  return await findInference(services, { key: id });
}
