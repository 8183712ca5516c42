import type { Database } from "../client.ts";
import { flag, nullable, text } from "../columns.ts";
import { computed, select, type Row } from "../select.ts";
import { readRow } from "../sql.ts";

const first = (table: string, where: string) =>
  computed(
    nullable(text),
    `(select identifier from ${table} where ${where} order by identifier limit 1)`,
  );
const has = (rows: string) => computed(flag, `exists (select 1 from ${rows} limit 1)`);

const STEPS = select({
  /** Identifiers of the first of each by name; null: there is none. */
  source: first("file_sources", "removed_at is null"),
  rag: first("rags", "removed_at is null"),
  inference: first("inferences", "1"),
  hasFiles: has("files"),
  hasToken: has("tokens"),
  hasCalls: has("usage_hours where dimension = 'all' and calls > 0"),
});
export type Steps = Row<typeof STEPS>;

const NOTHING: Steps = {
  source: null,
  rag: null,
  inference: null,
  hasFiles: false,
  hasToken: false,
  hasCalls: false,
};

/** How far a service is set up: one row of each table. */
export const readSteps = async (db: Database): Promise<Steps> =>
  (await readRow(db, STEPS)`select ${STEPS}`) ?? NOTHING;
