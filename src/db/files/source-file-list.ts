import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { runBatch, runOne, statement } from "../raw-sql.ts";
import type { FILE_STATUSES } from "../schema/rags.ts";

export type FileStatus = (typeof FILE_STATUSES)[number];

/** A file as the panel lists it. `status` is null while no RAG indexes it. */
export type SourceFile = {
  path: string;
  name: string;
  externalId: string | null;
  url: string | null;
  size: number;
  mimeType: string;
  sha256: string | null;
  status: FileStatus | null;
  errorMessage: string | null;
  /** What was left out or mended in the content that answers. */
  notes: string[];
  /** Last success in any RAG, ms. */
  indexedAt: number | null;
};

type FileRow = Omit<SourceFile, "notes"> & { notes: string | null };

const fileFrom = ({ notes, ...file }: FileRow): SourceFile => ({
  ...file,
  notes: notes === null ? [] : (JSON.parse(notes) as string[]),
});

export type FileSlice = {
  sourceId: FileSourceId;
  status: FileStatus | null;
  /** Without a trailing slash. */
  path: string | null;
  limit: number;
  offset: number;
};

const STATUS = `case when f.deleted_at is not null then 'deleted' else (
  select rf.status from rag_files rf where rf.file_id = f.id
  order by case rf.status when 'error' then 0 when 'pending' then 1 when 'processing' then 2
    when 'indexed' then 3 else 4 end limit 1) end`;

/** What follows "/" in the order of bytes: it ends the range of all paths below a folder. */
const AFTER_SLASH = "0";

/** A folder is a range of the paths' index; few of it, like `a-b` beside `a/b`, are left out. */
const whereOf = ({ path, status }: Pick<FileSlice, "path" | "status">) => `f.file_source_id = ?1
  and ${
    path === null
      ? "?2 is null"
      : `f.path >= ?2 and f.path < ?2 || '${AFTER_SLASH}'
         and (f.path = ?2 or substr(f.path, 1, length(?2) + 1) = ?2 || '/')`
  }
  and ${status === null ? "?3 is null" : `${STATUS} = ?3`}`;

export type FileWithStatus = Pick<
  SourceFile,
  "name" | "size" | "mimeType" | "sha256" | "status"
> & { id: FileId; version: string; deletedAt: number | null };

/** One file with its status, in one statement: no new version comes between the two. */
export async function findFileWithStatus(
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<FileWithStatus | null> {
  const [row] = await runOne<FileWithStatus>(
    db,
    statement(
      `select f.id, f.name, f.size, f.mime_type as mimeType, f.version, f.sha256,
         f.deleted_at as deletedAt, ${STATUS} as status
       from files f where f.file_source_id = ?1 and f.path = ?2`,
      sourceId,
      path,
    ),
  );
  return row ?? null;
}

/** One page and the number of all, in one round trip. */
export async function listFilesOfSource(
  db: Database,
  slice: FileSlice,
): Promise<{ data: SourceFile[]; total: number }> {
  const { sourceId, path, status, limit, offset } = slice;
  const where = whereOf(slice);
  const [data, counted] = await runBatch(db, [
    statement(
      `select f.path, f.name, f.external_id as externalId, f.url, f.size,
         f.mime_type as mimeType, f.sha256, ${STATUS} as status,
         (select rf.error_message from rag_files rf where rf.file_id = f.id
           and rf.status = 'error' limit 1) as errorMessage,
         (select rf.notes from rag_files rf where rf.file_id = f.id
           order by rf.indexed_at desc limit 1) as notes,
         (select max(rf.indexed_at) from rag_files rf where rf.file_id = f.id) as indexedAt
       from files f where ${where} order by f.path limit ?4 offset ?5`,
      sourceId,
      path,
      status,
      limit,
      offset,
    ),
    statement(`select count(*) as total from files f where ${where}`, sourceId, path, status),
  ]);
  const [row] = (counted ?? []) as { total: number }[];
  return { data: ((data ?? []) as FileRow[]).map(fileFrom), total: row?.total ?? 0 };
}
