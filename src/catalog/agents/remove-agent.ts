import { deleteAgent } from "../../db/catalog/agent-store.ts";
import type { AgentRecord } from "../../db/records.ts";
import type { Services } from "../../services.ts";

/** Removes an agent, its links and the grants of tokens to it. Usage figures stay. */
export async function removeAgent(
  { db }: Pick<Services, "db">,
  input: { agent: AgentRecord },
): Promise<void> {
  await deleteAgent(db, input.agent.id);
}
