import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { files } from "../schema/index.ts";
import { columnsOf, pick, select, type Row } from "../select.ts";
import { execute, readRow, readRows, readValues } from "../sql.ts";

const f = columnsOf(files, "f");

/** A document of a source as it is stored. */
const STORED_FILE = select({
  ...pick(f, "id", "path", "name", "size", "mimeType", "version", "sha256"),
  ...pick(f, "metadata", "deletedAt"),
});
export type StoredFile = Row<typeof STORED_FILE>;

export const findFile = (
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<StoredFile | null> =>
  readRow(db, STORED_FILE)`select ${STORED_FILE} from files f
    where f.file_source_id = ${sourceId} and f.path = ${path}`;

/** The same for several paths of a source; paths without a file are left out. */
export async function findFiles(
  db: Database,
  sourceId: FileSourceId,
  paths: string[],
): Promise<Map<string, StoredFile>> {
  const rows = await readRows(db, STORED_FILE)`select ${STORED_FILE} from json_each(${paths}) p
    cross join files f on f.file_source_id = ${sourceId} and f.path = p.value`;
  return new Map(rows.map((file) => [file.path, file]));
}

const MANIFEST_ROW = select(pick(f, "path", "size", "sha256"));

/** One page of a source's files, in order of path, for `quarry push`. */
export const manifestRows = (
  db: Database,
  sourceId: FileSourceId,
  after: string,
  limit: number,
): Promise<Row<typeof MANIFEST_ROW>[]> =>
  readRows(db, MANIFEST_ROW)`select ${MANIFEST_ROW} from files f
    where f.file_source_id = ${sourceId} and f.path > ${after} and f.deleted_at is null
    order by f.path limit ${limit}`;

/** Records the hash of a pulled file's bytes, if they are still its content. */
export const noteContent = (
  db: Database,
  { fileId, contentId }: { fileId: FileId; contentId: string },
  { sha256, size }: { sha256: string; size: number },
) =>
  execute(db)`update files set sha256 = ${sha256}, size = ${size}
    where id = ${fileId} and content_id = ${contentId}`;

const FORGETTABLE = select({ id: f.id, sourceId: f.fileSourceId });

/** Files deleted before `before`, whose rows are to be purged. */
export const forgettableFiles = (
  db: Database,
  before: number,
  limit: number,
): Promise<Row<typeof FORGETTABLE>[]> =>
  readRows(db, FORGETTABLE)`select ${FORGETTABLE} from files f
    where f.deleted_at is not null and f.deleted_at < ${before}
    order by f.deleted_at limit ${limit}`;

/** Purges files that are still deleted, with their rows in RAGs; returns which. */
export const forgetFiles = (db: Database, ids: FileId[], before: number): Promise<FileId[]> =>
  readValues(db, f.id)`delete from files where id in (select value from json_each(${ids}))
    and deleted_at is not null and deleted_at < ${before} returning id`;
