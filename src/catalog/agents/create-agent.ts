import { newId, type AgentId } from "../../core/ids.ts";
import { insertAgent } from "../../db/catalog/runner-store.ts";
import type { AgentRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { chooseIdentifier, identifierTaken } from "../choose-identifier.ts";
import type { NewAgent } from "./agent-settings.ts";
import { findAgent } from "./find-agent.ts";
import { linkModelAndRags } from "../inferences/link-model-and-rags.ts";

/** @throws QuarryError `invalid` (unknown RAG, model); `conflict` when the identifier is taken. */
export async function createAgent(
  services: Services,
  { rags, ...input }: NewAgent,
): Promise<AgentRecord> {
  const identifier = chooseIdentifier(input.name, input.identifier);
  const ragIds = (await linkModelAndRags(services, { model: input.model, rags })) ?? [];
  const createdAt = services.now();
  const id = newId<AgentId>(createdAt);
  const inserted = await insertAgent(services.db, { ...input, id, identifier, createdAt }, ragIds);
  if (!inserted) throw identifierTaken();
  return await findAgent(services, { key: id });
}
