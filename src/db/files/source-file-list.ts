import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, nullable, number, oneOf, row, text, textList } from "../columns.ts";
import type { Row } from "../columns.ts";
import { query, readRow, runBatch } from "../raw-sql.ts";
import { FILE_STATUSES, NO_NOTES } from "../schema/rags.ts";
import { AFTER_SLASH } from "../path-range.ts";
import type { FileStatus } from "./public-files.ts";

/**
 * A file as the panel lists it. `status` is null while no RAG indexes it; `notes`: what was left
 * out or repaired in the live content; `indexedAt`: last success in any RAG, ms.
 */
export const SOURCE_FILE = row({
  path: text,
  name: text,
  externalId: nullable(text),
  url: nullable(text),
  size: number,
  mimeType: text,
  sha256: nullable(text),
  status: nullable(oneOf(FILE_STATUSES)),
  errorMessage: nullable(text),
  notes: textList,
  indexedAt: nullable(number),
});
export type SourceFile = Row<typeof SOURCE_FILE>;

export type FileSlice = {
  sourceId: FileSourceId;
  status: FileStatus | null;
  /** Without a trailing slash. */
  path: string | null;
  limit: number;
  offset: number;
};

/** Rows of a file `f` in the live generations. */
const ROWS = `rag_files rf join rags r on r.id = rf.rag_id and r.generation = rf.generation
  where rf.file_id = f.id`;

const STATUS = `case when f.deleted_at is not null then 'deleted' else (
  select rf.status from ${ROWS}
  order by case rf.status when 'error' then 0 when 'pending' then 1 when 'processing' then 2
    when 'indexed' then 3 else 4 end limit 1) end`;

/** What a list tells of a file `f`, over all RAGs. */
export const SOURCE_FILE_COLUMNS = `f.path, f.name, f.external_id as externalId, f.url, f.size,
  f.mime_type as mimeType, f.sha256, ${STATUS} as status,
  (select rf.error_message from ${ROWS} and rf.status = 'error' limit 1) as errorMessage,
  coalesce((select rf.notes from ${ROWS} order by rf.indexed_at desc limit 1),
    '${NO_NOTES}') as notes,
  (select max(rf.indexed_at) from ${ROWS}) as indexedAt`;

/**
 * A folder is a range of the paths' index; the few others inside it, like `a-b` beside `a/b`, are
 * filtered out.
 */
const whereOf = ({ path, status }: Pick<FileSlice, "path" | "status">) => `f.file_source_id = ?1
  and ${
    path === null
      ? "?2 is null"
      : `f.path >= ?2 and f.path < ?2 || '${AFTER_SLASH}'
         and (f.path = ?2 or substr(f.path, 1, length(?2) + 1) = ?2 || '/')`
  }
  and ${status === null ? "?3 is null" : `${STATUS} = ?3`}`;

const FILE_WITH_STATUS = row({
  id: id<FileId>(),
  name: text,
  size: number,
  mimeType: text,
  version: text,
  sha256: nullable(text),
  contentId: text,
  deletedAt: nullable(number),
  status: nullable(oneOf(FILE_STATUSES)),
});
export type FileWithStatus = Row<typeof FILE_WITH_STATUS>;

/** One file with its status in one statement, so that both are of the same version. */
export async function findFileWithStatus(
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<FileWithStatus | null> {
  return await readRow(
    db,
    FILE_WITH_STATUS,
    `select f.id, f.name, f.size, f.mime_type as mimeType, f.version, f.sha256,
       f.content_id as contentId, f.deleted_at as deletedAt, ${STATUS} as status
     from files f where f.file_source_id = ?1 and f.path = ?2`,
    sourceId,
    path,
  );
}

/** One page and the total count, in one round trip. */
export async function listFilesOfSource(
  db: Database,
  slice: FileSlice,
): Promise<{ data: SourceFile[]; total: number }> {
  const { sourceId, path, status, limit, offset } = slice;
  const where = whereOf(slice);
  const [data, [counted]] = await runBatch(db, [
    query(
      SOURCE_FILE,
      `select ${SOURCE_FILE_COLUMNS} from files f where ${where} order by f.path limit ?4 offset ?5`,
      sourceId,
      path,
      status,
      limit,
      offset,
    ),
    query(
      row({ total: number }),
      `select count(*) as total from files f where ${where}`,
      sourceId,
      path,
      status,
    ),
  ]);
  return { data, total: counted?.total ?? 0 };
}
