import { eq, sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import {
  agents,
  fileSources,
  inferences,
  questions,
  questionSets,
  rags,
  users,
} from "./schema/index.ts";

const TABLES = { agents, fileSources, inferences, questions, questionSets, rags, users };
export type Updated = keyof typeof TABLES;

/** SQL for the next value of the column: two changes within a millisecond differ. */
export const NEXT_UPDATE = "max(updated_at + 1, cast(unixepoch('subsec') * 1000 as integer))";

/** To be spread into what an update sets. */
export const updatedNow = () => ({ updatedAt: sql<number>`${sql.raw(NEXT_UPDATE)}` });

/** When a record's settings last changed, ms; 0: never, or there is no such record. */
export async function updatedAtOf(db: Database, kind: Updated, id: string): Promise<number> {
  const table = TABLES[kind];
  const [row] = await db
    .select({ updatedAt: table.updatedAt })
    .from(table)
    .where(eq(sql`${table.id}`, id));
  return row?.updatedAt ?? 0;
}
