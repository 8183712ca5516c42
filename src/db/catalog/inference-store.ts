import { inferences } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { runnerReads, runnerWrites } from "./runner-store.ts";

type InferenceRow = Omit<typeof inferences.$inferSelect, "updatedAt">;
export type InferenceChange = Partial<Omit<InferenceRow, "id" | "identifier" | "createdAt">>;

const { updatedAt: _changed, ...m } = columnsOf(inferences, "m");

export const {
  find: findInferenceRecord,
  list: listInferenceRecords,
  findIds: findInferenceIds,
} = runnerReads("inference", select(m), select(pick(m, "id", "identifier")));

export const {
  insert: insertInference,
  update: updateInferenceRow,
  remove: deleteInference,
} = runnerWrites<InferenceRow>("inference", inferences);
