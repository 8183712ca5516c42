import type { RagId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { runBatch, statement } from "../raw-sql.ts";

/** A generation of a RAG's index as an administrator sees it. Times are ms. */
export type ListedGeneration = {
  generation: number;
  state: "live" | "building" | "retired";
  embeddingModel: string;
  dimensions: number;
  chunkSize: number;
  chunkOverlap: number;
  shards: number;
  createdAt: number;
  changedAt: number;
};

/** How far the one that is being built has come: files that are through, failed ones among them. */
export type BuildProgress = { filesDone: number; filesFailed: number };

/** What is live, being built or kept of a RAG's index, oldest first. */
export async function listGenerations(
  db: Database,
  ragId: RagId,
): Promise<{ generations: ListedGeneration[]; progress: BuildProgress }> {
  const [generations, [progress]] = await runBatch(db, [
    statement(
      `select generation, state, embedding_model as embeddingModel, dimensions,
         chunk_size as chunkSize, chunk_overlap as chunkOverlap, shards, created_at as createdAt,
         changed_at as changedAt
       from rag_generations where rag_id = ?1 and state in ('live', 'building', 'retired')
       order by generation`,
      ragId,
    ),
    statement(
      `select coalesce(sum(g.state in ('indexed', 'error')), 0) as filesDone,
         coalesce(sum(g.state = 'error'), 0) as filesFailed
       from generation_files g join rag_generations b on b.rag_id = g.rag_id
         and b.generation = g.generation and b.state = 'building'
       where g.rag_id = ?1`,
      ragId,
    ),
  ]);
  const none = { filesDone: 0, filesFailed: 0 };
  return {
    generations: generations as ListedGeneration[],
    progress: (progress as BuildProgress | undefined) ?? none,
  };
}
