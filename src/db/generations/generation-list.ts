import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { number, oneOf, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import { readRows } from "../raw-sql.ts";
import { VECTOR_PLACES } from "../schema/rags.ts";

const LISTED = row({
  generation: number,
  state: oneOf(["live", "building", "retired"]),
  embeddingModel: text,
  dimensions: number,
  chunkSize: number,
  chunkOverlap: number,
  shards: number,
  vectorsIn: oneOf(VECTOR_PLACES),
  createdAt: number,
  changedAt: number,
  filesDone: number,
  filesFailed: number,
});

/**
 * A generation of a RAG's index as an administrator sees it. Times are ms; `filesDone`: finished
 * files, failed ones included.
 */
export type ListedGeneration = Row<typeof LISTED>;

/** The live, building and retained generations of a RAG, oldest first. */
export async function listGenerations(db: Database, ragId: RagId): Promise<ListedGeneration[]> {
  return await readRows(
    db,
    LISTED,
    `select generation, state, embedding_model as embeddingModel, dimensions,
       chunk_size as chunkSize, chunk_overlap as chunkOverlap, shards, vectors_in as vectorsIn,
       created_at as createdAt, changed_at as changedAt, indexed_files + error_files as filesDone,
       error_files as filesFailed
     from rag_generations where rag_id = ?1 and state in ('live', 'building', 'retired')
     order by generation`,
    ragId,
  );
}
