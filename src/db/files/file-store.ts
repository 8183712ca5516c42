import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { IndexMessage } from "../../ports/job-queue.ts";
import type { Database } from "../client.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";
import type { Statement } from "../raw-sql.ts";
import { HOLDS, PENDING_AGAIN } from "../scope-sql.ts";

/** A document of a source as it is stored. */
export type StoredFile = {
  id: FileId;
  path: string;
  name: string;
  size: number;
  mimeType: string;
  version: string;
  sha256: string | null;
  metadata: Record<string, unknown>;
  deletedAt: number | null;
};

type Raw<Row> = Omit<Row, "metadata"> & { metadata: string };

export async function findFile(
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<StoredFile | null> {
  const [row] = await runOne<Raw<StoredFile>>(
    db,
    statement(
      `select id, path, name, size, mime_type as mimeType, version, sha256, metadata,
         deleted_at as deletedAt
       from files where file_source_id = ?1 and path = ?2`,
      sourceId,
      path,
    ),
  );
  if (row === undefined) return null;
  return { ...row, metadata: JSON.parse(row.metadata) as Record<string, unknown> };
}

/** What a `PUT` makes of a file. */
export type WrittenFile = Omit<StoredFile, "deletedAt" | "sha256"> & {
  sha256: string;
  sourceId: FileSourceId;
  isNew: boolean;
};

/**
 * Stores the file and makes it `pending` in every RAG that holds it, in one step; the last of
 * several writers wins. `replaced` is the version that went. Null when a new file's path was taken
 * since it was read, a known one was forgotten, or the source has gone: read again.
 */
export async function writeFile(
  db: Database,
  file: WrittenFile,
  now: number,
  heldUntil: number,
): Promise<{ messages: IndexMessage[]; replaced: string | null } | null> {
  const results = await runBatch(db, [
    statement(`select version from files where id = ?1`, file.id),
    file.isNew ? insertFile(file, now) : updateFile(file, now),
    pendFile(file.id, file.version, now, heldUntil),
  ]);
  const [before, written, messages] = results as [{ version: string }[], unknown[], IndexMessage[]];
  return written.length === 0 ? null : { messages, replaced: before[0]?.version ?? null };
}

function insertFile(file: WrittenFile, now: number): Statement {
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

function updateFile(file: WrittenFile, now: number): Statement {
  return statement(
    `update files set size = ?2, mime_type = ?3, version = ?4, sha256 = ?5, metadata = ?6,
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

function pendFile(id: FileId, version: string, now: number, heldUntil: number): Statement {
  return statement(
    `insert into rag_files (rag_id, file_id, path, status, revision, held_until)
     select r.id, f.id, f.path, 'pending', ?3, ?4
     from files f join rags r on r.file_source_id = f.file_source_id
     where f.id = ?1 and f.version = ?2 and r.removed_at is null and ${HOLDS}
     on conflict (rag_id, file_id) do update set ${PENDING_AGAIN}
     returning rag_id as ragId, file_id as fileId, revision`,
    id,
    version,
    now,
    heldUntil,
  );
}

/** One page of what a source holds, in order of path, for `quarry push`. */
export async function manifestRows(
  db: Database,
  sourceId: FileSourceId,
  after: string,
  limit: number,
): Promise<{ path: string; size: number; sha256: string | null }[]> {
  return await runOne(
    db,
    statement(
      `select path, size, sha256 from files
       where file_source_id = ?1 and path > ?2 and deleted_at is null order by path limit ?3`,
      sourceId,
      after,
      limit,
    ),
  );
}

/** The bytes of a pulled file were read and are known now, if the version is still the same. */
export async function noteContent(
  db: Database,
  fileId: FileId,
  version: string,
  content: { sha256: string; size: number },
): Promise<void> {
  await runOne(
    db,
    statement(
      `update files set sha256 = ?3, size = ?4 where id = ?1 and version = ?2`,
      fileId,
      version,
      content.sha256,
      content.size,
    ),
  );
}

/** Files that were deleted before `before` and are to be forgotten. */
export async function forgettableFiles(
  db: Database,
  before: number,
  limit: number,
): Promise<{ id: FileId; sourceId: FileSourceId }[]> {
  return await runOne(
    db,
    statement(
      `select id, file_source_id as sourceId from files
       where deleted_at is not null and deleted_at < ?1 order by deleted_at limit ?2`,
      before,
      limit,
    ),
  );
}

/** Forgets files that are still deleted, and says which; their rows in RAGs go with them. */
export async function forgetFiles(db: Database, ids: FileId[], before: number): Promise<FileId[]> {
  const rows = await runOne<{ id: FileId }>(
    db,
    statement(
      `delete from files where id in (select value from json_each(?1))
       and deleted_at is not null and deleted_at < ?2 returning id`,
      ids,
      before,
    ),
  );
  return rows.map(({ id }) => id);
}
