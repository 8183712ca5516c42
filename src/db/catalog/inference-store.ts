import { inferences } from "../schema/index.ts";
import { columnsOf, pick, select } from "../select.ts";
import { runnerStore } from "./runner-store.ts";

const { updatedAt: _changed, ...m } = columnsOf(inferences, "m");

export const {
  find: findInferenceRecord,
  list: listInferenceRecords,
  insert: insertInference,
  update: updateInferenceRow,
  remove: deleteInference,
  findIds: findInferenceIds,
} = runnerStore("inference", inferences, {
  of: select(m),
  known: select(pick(m, "id", "identifier")),
});

type InferenceRow = Omit<typeof inferences.$inferSelect, "updatedAt">;
export type InferenceChange = Partial<Omit<InferenceRow, "id" | "identifier" | "createdAt">>;
