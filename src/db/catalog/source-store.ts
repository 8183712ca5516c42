import type { FileSourceId } from "../../core/ids.ts";
import { isInColumns, readKeyedPage, readSortedPage, idOfKey, readPage } from "../page.ts";
import type { ListQuery, PageAt, Slice } from "../page.ts";
import { fileSources, rags, scanRuns } from "../schema/index.ts";
import { assignSql, columnsOf, maybe, pick, select, values, UPDATED, type Row } from "../select.ts";
import {
  execute,
  hasRows,
  raw,
  readRow,
  readValues,
  runBatch,
  sql,
  type Database,
} from "../sql.ts";

const RUN = select(columnsOf(scanRuns));
export type ScanRunRow = Row<typeof RUN>;

/** Joins the newest scan `run` of a source `s`, finished or under way. */
export const NEWEST_SCAN = raw(`left join scan_runs run on run.id = (
  select newest.id from scan_runs newest where newest.file_source_id = s.id
  order by newest.started_at desc, newest.id desc limit 1)`);

const SOURCE = select({
  source: columnsOf(fileSources, "s"),
  lastScan: maybe(columnsOf(scanRuns, "run")),
});
/** A file source with its newest scan. */
export type SourceWithScan = Row<typeof SOURCE>;

const FROM = sql`from file_sources s ${NEWEST_SCAN} where s.removed_at is null`;

/** By id or identifier, an id takes precedence. Null when there is none or it was removed. */
export const findSourceRow = (db: Database, key: string) =>
  readRow(db)`select ${SOURCE} ${FROM} and s.id = ${idOfKey("file_sources", key)}`;

export const listSourceRows = (db: Database, slice: Slice, mayReadAll: boolean) =>
  readPage(db, SOURCE, {
    ...slice,
    from: sql`${FROM} and ${isOpenTo(mayReadAll)}`,
    order: raw("s.identifier"),
  });

/** Members see sources `s` without permissions only. */
export const isOpenTo = (mayReadAll: boolean) => sql`(${mayReadAll} or s.permissions = 'off')`;

/** Reads a page by keys, for lists that cost the same however long they are. */
export const readSourcePage = (db: Database, query: ListQuery, mayReadAll: boolean) =>
  readSortedPage(db, query, {
    of: SOURCE,
    table: raw("file_sources s indexed by file_sources_identifier"),
    joins: NEWEST_SCAN,
    where: sql`s.removed_at is null and ${isOpenTo(mayReadAll)}
      and ${isInColumns(["s.name", "s.identifier"], query.search)}`,
    id: "s.identifier",
    order: "asc",
    sorts: {
      name: "s.name",
      provider: "s.provider",
      scanned: "coalesce(run.started_at, 0)",
      next: "coalesce(s.next_scan_at, 0)",
    },
  });

export type NewSource = Omit<typeof fileSources.$inferInsert, "removedAt">;

/** False when the identifier is taken. */
export const insertSource = (db: Database, source: NewSource) =>
  hasRows(db)`insert into file_sources ${values(fileSources, source)}
    on conflict do nothing returning 1`;

export type SourceChange = Partial<Omit<typeof fileSources.$inferSelect, "id">>;

export async function updateSourceRow(db: Database, id: FileSourceId, change: SourceChange) {
  if (Object.keys(change).length === 0) return;
  await execute(db)`update file_sources set ${assignSql(fileSources, { ...change, id })}, ${UPDATED}
    where id = ${id}`;
}

/** Hides a source that no RAG uses and no copy gets files of; false when one does. */
export const markSourceRemoved = (db: Database, id: FileSourceId, now: number) =>
  hasRows(db)`update file_sources set removed_at = ${now}, next_scan_at = null
    where id = ${id} and removed_at is null and not exists (
      select 1 from rags where file_source_id = ${id} and removed_at is null)
    and not exists (select 1 from file_sources c indexed by file_sources_copy
      where c.copy_of = ${id} and c.removed_at is null) returning 1`;

/** Identifiers of the RAGs that use a source, in order. */
export const ragsOfSource = (db: Database, id: FileSourceId) =>
  readValues(db, columnsOf(rags).identifier)`select identifier from rags
    where file_source_id = ${id} and removed_at is null order by identifier`;

/** Whether permissions are on for the source that a key names, or a RAG of it; null: for any. */
export const hasPermissions = (db: Database, key: string | null) =>
  hasRows(db)`select 1 from file_sources s where s.permissions = 'on' and s.removed_at is null
    and (${key} is null or ${key} in (s.id, s.identifier) or exists (
      select 1 from rags r where r.file_source_id = s.id and ${key} in (r.id, r.identifier)))`;

/** RAGs of sources without permissions, removed ones too. */
export const ragsWithoutPermissions = (db: Database) =>
  readValues(db, columnsOf(rags).id)`select id from rags where file_source_id in (
    select id from file_sources where permissions <> 'on')`;

const COUNT = select(pick(columnsOf(fileSources), "runCount"));

const runsOf = (sourceId: FileSourceId) => sql`from scan_runs where file_source_id = ${sourceId}`;

/** A source's scan runs, the newest first; their number is kept, so that none is read for it. */
export async function listScanRuns(
  db: Database,
  sourceId: FileSourceId,
  { offset, limit }: Slice,
): Promise<{ data: ScanRunRow[]; total: number }> {
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
