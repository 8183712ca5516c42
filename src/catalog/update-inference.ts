import { updateInferenceRow, type InferenceChange } from "../db/inference-store.ts";
import type { InferenceRecord } from "../db/records.ts";
import type { Services } from "../services.ts";
import { checkChatModel } from "./check-model.ts";
import { findInference } from "./find-inference.ts";
import { resolveRags } from "./resolve-rags.ts";

export type InferencePatch = InferenceChange & { rags?: string[] | undefined };

/** Changes what is given; `rags` replaces the links. @throws QuarryError `invalid`. */
export async function updateInference(
  services: Services,
  input: { inference: InferenceRecord; patch: InferencePatch },
): Promise<InferenceRecord> {
  const { rags, ...change } = input.patch;
  const { id } = input.inference;
  if (change.model !== undefined) checkChatModel(services, change.model);
  const ragIds = rags === undefined ? null : await resolveRags(services, rags);
  await updateInferenceRow(services.db, id, change, ragIds);
  return await findInference(services, { key: id });
}
