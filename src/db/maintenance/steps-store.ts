import type { Database } from "../client.ts";
import { flag, nullable, row, text, type Row } from "../columns.ts";
import { readRow } from "../raw-sql.ts";

const STEPS = row({
  /** Identifiers of the first of each by name; null: there is none. */
  source: nullable(text),
  rag: nullable(text),
  inference: nullable(text),
  hasFiles: flag,
  hasToken: flag,
  hasCalls: flag,
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
export async function readSteps(db: Database): Promise<Steps> {
  const first = (table: string, where: string) =>
    `(select identifier from ${table} where ${where} order by identifier limit 1)`;
  const found = await readRow(
    db,
    STEPS,
    `select ${first("file_sources", "removed_at is null")} as source,
       ${first("rags", "removed_at is null")} as rag,
       ${first("inferences", "1")} as inference,
       exists (select 1 from files limit 1) as hasFiles,
       exists (select 1 from tokens limit 1) as hasToken,
       exists (select 1 from usage_hours where dimension = 'all' and calls > 0 limit 1)
         as hasCalls`,
  );
  return found ?? NOTHING;
}
