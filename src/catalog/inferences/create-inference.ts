import { newId, type InferenceId } from "../../core/ids.ts";
import { insertInference } from "../../db/catalog/runner-store.ts";
import type { InferenceRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { chooseIdentifier, identifierTaken } from "../choose-identifier.ts";
import type { NewInference } from "./inference-settings.ts";
import { findInference } from "./find-inference.ts";
import { linkModelAndRags } from "./link-model-and-rags.ts";

/** @throws QuarryError `invalid` (unknown RAG, model); `conflict` when the identifier is taken. */
export async function createInference(
  services: Services,
  { rags, ...input }: NewInference,
): Promise<InferenceRecord> {
  const identifier = chooseIdentifier(input.name, input.identifier);
  const ragIds = (await linkModelAndRags(services, { model: input.model, rags })) ?? [];
  const createdAt = services.now();
  const id = newId<InferenceId>(createdAt);
  const inserted = await insertInference(
    services.db,
    { ...input, id, identifier, createdAt },
    ragIds,
  );
  if (!inserted) throw identifierTaken();
  return await findInference(services, { key: id });
}
