import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { id, jsonObject, nullable, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { execute, query, readRow, readRows, runBatch, statement } from "../raw-sql.ts";
import { NEW_CONTENT_ID } from "../schema/sources.ts";
import { MESSAGE, pendSql } from "./file-rows.ts";

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

/** What a `PUT` changes in a file. */
export type WrittenFile = Omit<StoredFile, "deletedAt" | "sha256"> & {
  sha256: string;
  sourceId: FileSourceId;
  isNew: boolean;
};

/**
 * Stores the file and makes it `pending` in every RAG that contains it, in one step; the last of
 * several writers wins. `replaced` is the old version. Null when a new path was taken or a known
 * file purged since it was read, or the source was removed: read again.
 */
export async function writeFile(
  db: Database,
  file: WrittenFile,
  now: number,
  claimedUntil: number,
): Promise<{ messages: IndexMessage[]; replaced: string | null } | null> {
  const [before, written, messages] = await runBatch(db, [
    query(VERSION, `select version from files where id = ?1`, file.id),
    file.isNew ? insertFile(file, now) : updateFile(file, now),
    query(MESSAGE, PEND_FILE, file.id, file.version, now, claimedUntil),
  ]);
  return written.length === 0 ? null : { messages, replaced: before[0]?.version ?? null };
}

const VERSION = row({ version: text });

const PEND_FILE = pendSql(
  "files f join rags r on r.file_source_id = f.file_source_id",
  "f.id = ?1 and f.version = ?2",
  "?3",
  "?4",
);

function insertFile(file: WrittenFile, now: number) {
  return statement(
    `insert into files (id, file_source_id, path, name, size, mime_type, version, sha256,
       metadata, created_at)
     select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
     where exists (select 1 from file_sources where id = ?2 and removed_at is null)
     on conflict do nothing returning id`,
    file.id,
    file.sourceId,
    file.path,
    file.name,
    file.size,
    file.mimeType,
    file.version,
    file.sha256,
    file.metadata,
    now,
  );
}

function updateFile(file: WrittenFile, now: number) {
  return statement(
    `update files set size = ?2, mime_type = ?3, version = ?4, sha256 = ?5, metadata = ?6,
       content_id = case when deleted_at is null and sha256 = ?5 and mime_type = ?3
         then content_id else ${NEW_CONTENT_ID} end,
       created_at = case when deleted_at is null then created_at else ?7 end, deleted_at = null
     where id = ?1 returning id`,
    file.id,
    file.size,
    file.mimeType,
    file.version,
    file.sha256,
    file.metadata,
    now,
  );
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

/** Whether a file still has this content: it was neither replaced nor deleted. */
export async function isCurrentContent(
  db: Database,
  { fileId, contentId }: { fileId: FileId; contentId: string },
): Promise<boolean> {
  const rows = await execute(
    db,
    `select 1 from files where id = ?1 and content_id = ?2 and deleted_at is null`,
    fileId,
    contentId,
  );
  return rows.length > 0;
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
