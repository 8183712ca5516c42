import { agents } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { runnerStore } from "./runner-store.ts";

const { updatedAt: _changed, ...m } = columnsOf(agents, "m");

export const {
  find: findAgentRecord,
  list: listAgentRecords,
  insert: insertAgent,
  update: updateAgentRow,
  remove: deleteAgent,
  findIds: findAgentIds,
} = runnerStore("agent", agents, { of: select(m), known: select(pick(m, "id", "identifier")) });

type AgentRow = Omit<typeof agents.$inferSelect, "updatedAt">;
export type AgentChange = Partial<Omit<AgentRow, "id" | "identifier" | "createdAt">>;
