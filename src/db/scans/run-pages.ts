import type { FileSourceId } from "../../core/ids.ts";
import { readKeyedPage, type PageAt, type Slice } from "../page.ts";
import { fileSources, scanRuns } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { runBatch, sql, type Database } from "../sql.ts";

const RUN = select(columnsOf(scanRuns));
export type ScanRun = Row<typeof RUN>;

const COUNT = select(pick(columnsOf(fileSources), "runCount"));

const runsOf = (sourceId: FileSourceId) => sql`from scan_runs where file_source_id = ${sourceId}`;

export async function listScanRuns(
  db: Database,
  sourceId: FileSourceId,
  { offset, limit }: Slice,
): Promise<{ data: ScanRun[]; total: number }> {
  const [data, [source]] = await runBatch(db, [
    sql`select ${RUN} ${runsOf(sourceId)} order by started_at desc, id desc
      limit ${limit} offset ${offset}`,
    sql`select ${COUNT} from file_sources where id = ${sourceId}`,
  ]);
  return { data, total: source?.runCount ?? 0 };
}

/** Reads a page of runs by keys, from the index of their times. */
export const readRunPage = (db: Database, sourceId: FileSourceId, at: PageAt) =>
  readKeyedPage(db, at, {
    of: RUN,
    from: runsOf(sourceId),
    columns: ["started_at", "id"],
    order: "desc",
  });
