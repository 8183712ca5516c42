import { listAgentRecords } from "../../db/catalog/agent-store.ts";
import type { AgentRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/** A page of the agents in order of identifier, with their linked RAGs. */
export async function listAgents(
  { db }: Pick<Services, "db">,
  input: { offset: number; limit: number },
): Promise<{ data: AgentRecord[]; total: number }> {
  return await listAgentRecords(db, input);
}
