import { env } from "cloudflare:workers";

import type { FileSourceId, RagId } from "../../src/core/ids.ts";

/** A statement of a test itself, with its parameters. */
export const statement = (sql: string, ...parameters: unknown[]) =>
  env.DB.prepare(sql).bind(...parameters);

/** The rows of such a statement. */
export const rowsOf = async <Row>(sql: string, ...parameters: unknown[]) =>
  (await statement(sql, ...parameters).all<Row>()).results;

/** The keys of what the bucket holds of a source. */
export const keysOf = async (source: FileSourceId) =>
  (await env.FILES.list({ prefix: `sources/${source}/` })).objects.map(({ key }) => key);

export const bytesOf = (text: string): ArrayBuffer =>
  new TextEncoder().encode(text).buffer as ArrayBuffer;

/** Every file that a RAG lists, as D1 has it, by path. */
export const ragRows = async (ragId: RagId) =>
  await rowsOf<{
    path: string;
    status: string;
    chunks: number;
    error: string | null;
    attempts: number;
  }>(
    `select path, status, chunk_count as chunks, error_message as error, attempts
     from rag_files where rag_id = ?1
       and generation = (select generation from rags where id = ?1) order by path`,
    ragId,
  );

export const ragCounters = async (ragId: RagId) =>
  await statement(
    `select pending_files as pending, processing_files as processing, indexed_files as indexed,
       error_files as error, deleted_files as deleted, number_vectors as vectors
     from rag_generations where rag_id = ?1
       and generation = (select generation from rags where id = ?1)`,
    ragId,
  ).first<Record<string, number>>();
