import type { FileSourceId, RagId } from "../../core/ids.ts";
import { readPage, type Slice } from "../page.ts";
import { searchExclusions, rags } from "../schema/index.ts";
import { columnsOf, flag, pick, select, rowAsSelect, type Row } from "../select.ts";
import { execute, raw, readValues, runBatch, sql, type Database } from "../sql.ts";

const e = columnsOf(searchExclusions, "e");
const EXCLUSION = select(pick(e, "kind", "value", "path", "excerpt", "createdAt", "createdBy"));
export type Exclusion = Row<typeof EXCLUSION>;
export type ExclusionKey = Pick<Exclusion, "kind" | "value"> & { sourceId: FileSourceId };

/** Whether the file `f` is left out of search. */
export const IS_EXCLUDED = flag(`exists (select 1 from search_exclusions e
    where e.file_source_id = f.file_source_id and e.kind = 'file' and e.value = f.path)`);

const APPLIED = select(pick(e, "kind", "value"));

/** Selects the exclusions that the indexes of a RAG obey. */
export const selectExclusionsOf = (ragId: RagId) =>
  sql`select ${APPLIED} from rags r join search_exclusions e
    on e.file_source_id = r.file_source_id where r.id = ${ragId}`;

const ragId = columnsOf(rags, "r").id;

/** A source and the copies that still get its files: their searches leave out the same. */
const sourceWithCopies = (id: FileSourceId) =>
  sql`(select id from file_sources where id = ${id} or copy_of = ${id})`;

const copyExclusionsSql = (id: FileSourceId) =>
  sql`insert into search_exclusions (file_source_id, kind, value, path, excerpt, created_at, created_by)
    select s.id, e.kind, e.value, e.path, e.excerpt, e.created_at, e.created_by
    from file_sources s cross join search_exclusions e
    where s.copy_of = ${id} and e.file_source_id = ${id} on conflict do nothing`;

/** Leaves out of the search of a source's copies what its own leaves out; false: nothing. */
export const copyExclusions = async (db: Database, id: FileSourceId) =>
  (
    await runBatch(db, [
      copyExclusionsSql(id),
      sql`select 1 from search_exclusions where file_source_id = ${id} limit 1`,
    ])
  )[1].length > 0;

/** From `repeatAt` on the sweep applies the scopes again, unless all indexes know of it. */
const repeatAtSql = (sourceId: FileSourceId, repeatAt: number) =>
  sql`update rags indexed by rags_source set scopes_due_at = coalesce(scopes_due_at, ${repeatAt})
    where file_source_id in ${sourceWithCopies(sourceId)} and removed_at is null`;

/** False: the source has `max` of the kind already. One that is there stays as it is. */
export async function insertExclusion(
  db: Database,
  { sourceId, ...exclusion }: ExclusionKey & Exclusion,
  { max, repeatAt }: { max: number; repeatAt: number },
): Promise<boolean> {
  const { kind, value } = exclusion;
  const same = sql`file_source_id = ${sourceId} and kind = ${kind}`;
  const [, , , rows] = await runBatch(db, [
    sql`insert into search_exclusions
      ${rowAsSelect(searchExclusions, { ...exclusion, fileSourceId: sourceId })}
      where (select count(*) from search_exclusions where ${same}) < ${max}
      on conflict do nothing`,
    copyExclusionsSql(sourceId),
    repeatAtSql(sourceId, repeatAt),
    sql`select 1 from search_exclusions where ${same} and value = ${value}`,
  ]);
  return rows.length > 0;
}

/** Also the earlier paths of a file that moved since, which a trigger keeps. */
export const deleteExclusion = (
  db: Database,
  { sourceId, kind, value }: ExclusionKey,
  repeatAt: number,
) =>
  runBatch(db, [
    sql`delete from search_exclusions as e
      where e.file_source_id in ${sourceWithCopies(sourceId)} and e.kind = ${kind} and (e.value = ${value}
        or e.kind = 'file' and e.created_at = (select o.created_at from search_exclusions o
          where o.file_source_id = e.file_source_id and o.kind = e.kind and o.value = ${value})
        and not exists (select 1 from files f where f.file_source_id = e.file_source_id
          and f.path = e.value and f.deleted_at is null))`,
    repeatAtSql(sourceId, repeatAt),
  ]);

export const markExclusionsApplied = (db: Database, sourceId: FileSourceId, repeatAt: number) =>
  execute(db)`update rags indexed by rags_source set scopes_due_at = null
    where file_source_id in ${sourceWithCopies(sourceId)} and scopes_due_at = ${repeatAt}`;

/** The RAGs whose indexes leave out what a source excludes. */
export const findRagsExcluding = (db: Database, sourceId: FileSourceId) =>
  readValues(db, ragId)`select r.id from rags r indexed by rags_source
    where r.file_source_id in ${sourceWithCopies(sourceId)} and r.removed_at is null`;

export const listExclusions = (
  db: Database,
  { sourceId, ...slice }: Slice & { sourceId: FileSourceId },
) =>
  readPage(db, EXCLUSION, {
    ...slice,
    from: sql`from search_exclusions e where e.file_source_id = ${sourceId}`,
    order: raw("e.path, e.kind, e.created_at"),
  });
