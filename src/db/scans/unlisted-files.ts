import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, number, row, text } from "../columns.ts";
import { readRow, readRows } from "../raw-sql.ts";

const FILE = row({ id: id<FileId>(), path: text });
const FILE_ID = row({ id: id<FileId>() });
const COUNT = row({ count: number });

/** Files that a source had before a time (ms), in order of path, page by page. */
export async function liveFileIds(
  db: Database,
  of: { sourceId: FileSourceId; before: number; after: string; limit: number },
): Promise<{ id: FileId; path: string }[]> {
  return await readRows(
    db,
    FILE,
    `select id, path from files where file_source_id = ?1 and path > ?2 and deleted_at is null
       and created_at <= ?3 order by path limit ?4`,
    of.sourceId,
    of.after,
    of.before,
    of.limit,
  );
}

/** The ids of files that a source reports as deleted, by path or external id. */
export async function idsOfDeleted(
  db: Database,
  sourceId: FileSourceId,
  names: string[],
): Promise<FileId[]> {
  const rows = await readRows(
    db,
    FILE_ID,
    `select f.id from json_each(?2) m cross join files f
       on f.file_source_id = ?1 and f.path = m.value where f.deleted_at is null
     union
     select f.id from json_each(?2) m cross join files f
       on f.file_source_id = ?1 and f.external_id = m.value where f.deleted_at is null`,
    sourceId,
    names,
  );
  return rows.map(({ id }) => id);
}

/** Those that were there before a time, ms. */
export async function countLiveFiles(
  db: Database,
  sourceId: FileSourceId,
  before: number,
): Promise<number> {
  const counted = await readRow(
    db,
    COUNT,
    `select count(*) as count from files where file_source_id = ?1 and deleted_at is null
       and created_at < ?2`,
    sourceId,
    before,
  );
  return counted?.count ?? 0;
}
