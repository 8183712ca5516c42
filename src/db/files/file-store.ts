import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, jsonObject, nullable, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { execute, readRow, readRows } from "../raw-sql.ts";

/** A document of a source as it is stored. */
const STORED_FILE = row({
  id: id<FileId>(),
  path: text,
  name: text,
  size: number,
  mimeType: text,
  version: text,
  sha256: nullable(text),
  metadata: jsonObject,
  deletedAt: nullable(number),
});
export type StoredFile = Row<typeof STORED_FILE>;

export async function findFile(
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<StoredFile | null> {
  return await readRow(
    db,
    STORED_FILE,
    `select id, path, name, size, mime_type as mimeType, version, sha256, metadata,
       deleted_at as deletedAt
     from files where file_source_id = ?1 and path = ?2`,
    sourceId,
    path,
  );
}

/** The same for several paths of a source; paths without a file are left out. */
export async function findFiles(
  db: Database,
  sourceId: FileSourceId,
  paths: string[],
): Promise<Map<string, StoredFile>> {
  const rows = await readRows(
    db,
    STORED_FILE,
    `select f.id, f.path, f.name, f.size, f.mime_type as mimeType, f.version, f.sha256, f.metadata,
       f.deleted_at as deletedAt
     from json_each(?2) p cross join files f on f.file_source_id = ?1 and f.path = p.value`,
    sourceId,
    paths,
  );
  return new Map(rows.map((file) => [file.path, file]));
}

const MANIFEST_ROW = row({ path: text, size: number, sha256: nullable(text) });

/** One page of a source's files, in order of path, for `quarry push`. */
export async function manifestRows(
  db: Database,
  sourceId: FileSourceId,
  after: string,
  limit: number,
): Promise<Row<typeof MANIFEST_ROW>[]> {
  return await readRows(
    db,
    MANIFEST_ROW,
    `select path, size, sha256 from files
     where file_source_id = ?1 and path > ?2 and deleted_at is null order by path limit ?3`,
    sourceId,
    after,
    limit,
  );
}

/** Records the hash of a pulled file's bytes, if they are still its content. */
export async function noteContent(
  db: Database,
  file: { fileId: FileId; contentId: string },
  content: { sha256: string; size: number },
): Promise<void> {
  await execute(
    db,
    `update files set sha256 = ?3, size = ?4 where id = ?1 and content_id = ?2`,
    file.fileId,
    file.contentId,
    content.sha256,
    content.size,
  );
}

const FORGETTABLE = row({ id: id<FileId>(), sourceId: id<FileSourceId>() });

/** Files deleted before `before`, whose rows are to be purged. */
export async function forgettableFiles(
  db: Database,
  before: number,
  limit: number,
): Promise<Row<typeof FORGETTABLE>[]> {
  return await readRows(
    db,
    FORGETTABLE,
    `select id, file_source_id as sourceId from files
     where deleted_at is not null and deleted_at < ?1 order by deleted_at limit ?2`,
    before,
    limit,
  );
}

/** Purges files that are still deleted, with their rows in RAGs; returns which. */
export async function forgetFiles(db: Database, ids: FileId[], before: number): Promise<FileId[]> {
  const rows = await readRows(
    db,
    row({ id: id<FileId>() }),
    `delete from files where id in (select value from json_each(?1))
     and deleted_at is not null and deleted_at < ?2 returning id`,
    ids,
    before,
  );
  return rows.map(({ id }) => id);
}
