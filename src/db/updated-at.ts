import { raw, readValue, type Database } from "./sql.ts";
import { number, computed } from "./select.ts";

const TABLES = {
  agents: "agents",
  fileSources: "file_sources",
  inferences: "inferences",
  openidProvider: "openid_provider",
  questions: "questions",
  questionSets: "question_sets",
  rags: "rags",
  users: "users",
};
export type Updated = keyof typeof TABLES;

/** To be among what an update sets: two changes within a millisecond differ. */
export const UPDATED = raw(
  "updated_at = max(updated_at + 1, cast(unixepoch('subsec') * 1000 as integer))",
);

const UPDATED_AT = computed(number, "updated_at");

/** When a record's settings last changed, ms; 0: never, or there is no such record. */
export const updatedAtOf = async (db: Database, kind: Updated, id: string): Promise<number> =>
  (await readValue(db, UPDATED_AT)`select updated_at from ${raw(TABLES[kind])}
    where id = ${id}`) ?? 0;
