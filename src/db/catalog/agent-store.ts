import { agents } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { runnerReads, runnerWrites } from "./runner-store.ts";

type AgentRow = Omit<typeof agents.$inferSelect, "updatedAt">;
export type AgentChange = Partial<Omit<AgentRow, "id" | "identifier" | "createdAt">>;

const { updatedAt: _changed, ...m } = columnsOf(agents, "m");

export const {
  find: findAgentRecord,
  list: listAgentRecords,
  findIds: findAgentIds,
} = runnerReads("agent", select(m), select(pick(m, "id", "identifier")));

export const {
  insert: insertAgent,
  update: updateAgentRow,
  remove: deleteAgent,
} = runnerWrites<AgentRow>("agent", agents);
