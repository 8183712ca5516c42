import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { countRows } from "../page.ts";
import { files } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { readRows, readValues, sql } from "../sql.ts";

const FILE = select(pick(columnsOf(files), "id", "path"));

/** Files that a source had before a time (ms), in order of path, page by page. */
export const liveFileIds = (
  db: Database,
  of: { sourceId: FileSourceId; before: number; after: string; limit: number },
): Promise<Row<typeof FILE>[]> =>
  readRows(db, FILE)`select ${FILE} from files
    where file_source_id = ${of.sourceId} and path > ${of.after} and deleted_at is null
      and created_at <= ${of.before} order by path limit ${of.limit}`;

/** The ids of files that a source reports as deleted, by path or external id. */
export const idsOfDeleted = (
  db: Database,
  sourceId: FileSourceId,
  names: string[],
): Promise<FileId[]> => {
  const ids = sql`select f.id from json_each(${names}) m cross join files f
    on f.file_source_id = ${sourceId} and f.deleted_at is null`;
  return readValues(db, columnsOf(files).id)`${ids} and f.path = m.value
    union ${ids} and f.external_id = m.value`;
};

/** Those that were there before a time, ms. */
export const countLiveFiles = (db: Database, sourceId: FileSourceId, before: number) =>
  countRows(
    db,
    sql`from files where file_source_id = ${sourceId} and deleted_at is null
      and created_at < ${before}`,
  );
