import type { FileSourceId, RagId } from "../../core/ids.ts";
import { id, nullable, number, oneOf, row, text, type Row } from "../columns.ts";
import type { RagRecord } from "../records.ts";
import { VECTOR_PLACES } from "../schema/rags.ts";

/**
 * The statements of the public API are hand-written: they run before every answer, and a query
 * builder would cost more than the look-up itself.
 */
export const RAG_COLUMNS = `r.id, r.name, r.identifier, r.status, r.scope_mode as scopeMode,
  r.chunk_size as chunkSize, r.chunk_overlap as chunkOverlap, r.reranker,
  r.search_mode as searchMode, r.generation, r.coming_files as comingFiles, g.number_vectors as numberVectors,
  g.pending_files as pendingFiles, g.processing_files as processingFiles,
  g.indexed_files as indexedFiles, g.error_files as errorFiles, g.deleted_files as deletedFiles,
  s.id as sourceId, s.name as sourceName, s.identifier as sourceIdentifier, s.provider,
  s.status as sourceStatus, g.shards, g.vectors_in as vectorsIn,
  g.embedding_model as embeddingModel, g.dimensions`;

/** Follows `from rags r`, or any join that has `r`. */
export const RAG_JOINS = `join file_sources s on s.id = r.file_source_id
  join rag_generations g on g.rag_id = r.id and g.generation = r.generation`;

/**
 * A RAG's number of files per status, including `deleted`; files still to be added are not listed.
 */
export type FileCounts = Record<"pending" | "processing" | "indexed" | "error" | "deleted", number>;

/** A row of `RAG_COLUMNS`. */
export const RAG_ROW = row({
  id: id<RagId>(),
  name: text,
  identifier: text,
  status: oneOf(["active", "paused"]),
  scopeMode: oneOf(["global", "scoped"]),
  chunkSize: number,
  chunkOverlap: number,
  reranker: nullable(text),
  searchMode: oneOf(["hybrid", "semantic"]),
  generation: number,
  comingFiles: number,
  numberVectors: number,
  pendingFiles: number,
  processingFiles: number,
  indexedFiles: number,
  errorFiles: number,
  deletedFiles: number,
  sourceId: id<FileSourceId>(),
  sourceName: text,
  sourceIdentifier: text,
  provider: text,
  sourceStatus: oneOf(["active", "error"]),
  shards: number,
  vectorsIn: oneOf(VECTOR_PLACES),
  embeddingModel: text,
  dimensions: number,
});

/** A RAG with the counts that split its lists into pages. */
export type ListedRag = RagRecord & { fileCounts: FileCounts };

export function ragFrom(row: Row<typeof RAG_ROW>): ListedRag {
  const { pendingFiles: pending, processingFiles: processing, indexedFiles: indexed } = row;
  const { errorFiles: error, deletedFiles: deleted } = row;
  return {
    id: row.id,
    name: row.name,
    identifier: row.identifier,
    // A pause by an administrator takes precedence over a failed scan.
    status: row.status === "active" && row.sourceStatus === "error" ? "error" : row.status,
    fileSource: {
      id: row.sourceId,
      name: row.sourceName,
      identifier: row.sourceIdentifier,
      provider: row.provider,
    },
    scopeMode: row.scopeMode,
    chunkSize: row.chunkSize,
    chunkOverlap: row.chunkOverlap,
    reranker: row.reranker,
    searchMode: row.searchMode,
    generation: row.generation,
    shards: row.shards,
    vectorsIn: row.vectorsIn,
    embeddingModel: row.embeddingModel,
    dimensions: row.dimensions,
    totalFiles: pending + processing + indexed + error + row.comingFiles,
    processedFiles: indexed,
    numberVectors: row.numberVectors,
    fileCounts: { pending, processing, indexed, error, deleted },
  };
}
