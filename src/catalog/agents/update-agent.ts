import { updateAgentRow, type AgentChange } from "../../db/catalog/runner-store.ts";
import type { AgentRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";
import { findAgent } from "./find-agent.ts";
import { linkModelAndRags } from "../inferences/link-model-and-rags.ts";

/** `rags`: identifiers of those to link. */
type AgentPatch = AgentChange & { rags?: string[] | undefined };

/** Changes what is given; `rags` replaces the links. @throws QuarryError `invalid`. */
export async function updateAgent(
  services: Services,
  input: { agent: AgentRecord; patch: AgentPatch },
): Promise<AgentRecord> {
  const { rags, ...change } = input.patch;
  const { id } = input.agent;
  const ragIds = await linkModelAndRags(services, { model: change.model, rags });
  await updateAgentRow(services.db, id, change, ragIds);
  return await findAgent(services, { key: id });
}
