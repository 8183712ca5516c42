import { z } from "zod";

import type { FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { json, nullable, number, row, text, type Row } from "../columns.ts";
import { readKeyedPage, type KeyedPage, type PageAt } from "../keyset.ts";
import { leftOutList } from "./left-out.ts";

const RUN = row({
  id: text,
  startedAt: number,
  finishedAt: nullable(number),
  added: number,
  changed: number,
  removed: number,
  unchanged: number,
  failed: number,
  problems: json(z.array(z.object({ path: z.string(), message: z.string() }))),
  heldRemovals: number,
  leftOut: json(leftOutList),
  error: nullable(text),
});
export type ScanRun = Row<typeof RUN>;

/** A source's runs, the newest first, read from the index of their times. */
export async function readRunPage(
  db: Database,
  sourceId: FileSourceId,
  at: PageAt,
): Promise<KeyedPage<ScanRun>> {
  return await readKeyedPage(db, at, {
    read: RUN,
    sql: `select id, started_at as startedAt, finished_at as finishedAt, added, changed, removed,
        unchanged, failed, problems, held_removals as heldRemovals,
        left_out as leftOut, error
      from scan_runs where file_source_id = ?1`,
    parameters: [sourceId],
    columns: ["started_at", "id"],
    order: "desc",
    keyOf: ({ startedAt, id }) => [startedAt, id],
  });
}
