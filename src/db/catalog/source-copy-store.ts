import type { FileSourceId } from "../../core/ids.ts";
import { readRows, readValues, runBatch, sql, type Database } from "../sql.ts";
import { audiences, files, fileSources } from "../schema/index.ts";
import { columnsOf, optional, pick, select, UPDATED } from "../select.ts";

const FILE = select({
  ...pick(columnsOf(files, "f"), "id", "path", "version", "mimeType", "metadata", "modifiedAt"),
  size: columnsOf(files, "f").size,
  readers: optional(columnsOf(audiences, "a").readers),
});

/** Files of a source behind a path, in order. */
export const filesBehind = (db: Database, sourceId: FileSourceId, after: string, limit: number) =>
  readRows(db)`select ${FILE} from files f left join audiences a on a.id = f.audience
    where f.file_source_id = ${sourceId} and f.path > ${after} and f.deleted_at is null
    order by f.path limit ${limit}`;

/** Copies that got no files since `before` (ms); they are held until `now`. */
export const takeStalledCopies = (db: Database, before: number, limit: number) =>
  readValues(db, columnsOf(fileSources).id)`update file_sources set ${UPDATED}
    where id in (select id from file_sources indexed by file_sources_copy
      where copy_of is not null and removed_at is null
      and updated_at < ${before} limit ${limit}) returning id`;

const exclusionsOf = (id: FileSourceId, original: FileSourceId) =>
  sql`insert into search_exclusions (file_source_id, kind, value, path, excerpt, created_at, created_by)
    select ${id}, kind, value, path, excerpt, created_at, created_by from search_exclusions
    where file_source_id = ${original} on conflict do nothing`;

/** Leaves out of a copy's search what its original does; false: nothing, and a whole copy is over. */
export async function copyExclusions(
  db: Database,
  { id, originalId, isWhole }: { id: FileSourceId; originalId: FileSourceId; isWhole: boolean },
): Promise<boolean> {
  const exclusion = sql`select 1 from search_exclusions where file_source_id = ${id} limit 1`;
  const end = sql`update file_sources set copy_of = null
    where id = ${id} and ${isWhole} and not exists (${exclusion})`;
  const before = [exclusionsOf(id, originalId), end];
  return (await runBatch(db, [exclusion], { before, after: [] }))[0].length > 0;
}
