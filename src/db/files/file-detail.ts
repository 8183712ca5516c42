import type { FileId, FileSourceId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, jsonObject, nullable, number, oneOf, row, text, textList } from "../columns.ts";
import type { Row } from "../columns.ts";
import { query, runBatch } from "../raw-sql.ts";
import { FILE_STATUSES } from "../schema/rags.ts";

const DETAIL = row({
  id: id<FileId>(),
  path: text,
  name: text,
  externalId: nullable(text),
  url: nullable(text),
  size: number,
  mimeType: text,
  sha256: nullable(text),
  metadata: jsonObject,
  createdAt: number,
  deletedAt: nullable(number),
});

/** The file in the live index of one RAG. */
const IN_RAG = row({
  ragIdentifier: text,
  ragName: text,
  status: oneOf(FILE_STATUSES),
  indexedAt: nullable(number),
  errorMessage: nullable(text),
  notes: textList,
  chunkCount: number,
});

export type FileDetail = Row<typeof DETAIL> & { rags: Row<typeof IN_RAG>[] };

/** RAGs that are told of; a file is seldom in more than a few. */
const RAGS_TOLD = 100;

const AT_PATH = "f.file_source_id = ?1 and f.path = ?2";

/** A file of a source and how it stands in each RAG, in order of the RAG's identifier. */
export async function findFileDetail(
  db: Database,
  sourceId: FileSourceId,
  path: string,
): Promise<FileDetail | null> {
  const [[file], rags] = await runBatch(db, [
    query(
      DETAIL,
      `select f.id, f.path, f.name, f.external_id as externalId, f.url, f.size,
         f.mime_type as mimeType, f.sha256, f.metadata, f.created_at as createdAt,
         f.deleted_at as deletedAt
       from files f where ${AT_PATH}`,
      sourceId,
      path,
    ),
    query(
      IN_RAG,
      `select r.identifier as ragIdentifier, r.name as ragName, rf.status,
         rf.indexed_at as indexedAt, rf.error_message as errorMessage, rf.notes,
         rf.chunk_count as chunkCount
       from files f join rag_files rf on rf.file_id = f.id
       join rags r on r.id = rf.rag_id and r.generation = rf.generation and r.removed_at is null
       where ${AT_PATH} order by r.identifier limit ?3`,
      sourceId,
      path,
      RAGS_TOLD,
    ),
  ]);
  return file === undefined ? null : { ...file, rags };
}
