import { and, eq, isNull, sql } from "drizzle-orm";

import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexScope } from "../../ports/rag-index.ts";
import type { Database } from "../client.ts";
import { insertScopes, replaceScopes, SCOPES_REPLACED } from "./rag-scope-store.ts";
import {
  agentRags,
  agents,
  inferenceRags,
  inferences,
  ragGenerations,
  rags,
} from "../schema/index.ts";
import type { VectorPlace } from "../schema/rags.ts";
import { updatedNow } from "../updated-at.ts";

export type NewRag = {
  id: RagId;
  name: string;
  identifier: string;
  fileSourceId: FileSourceId;
  status: "active" | "paused";
  scopeMode: "global" | "scoped";
  scopes: IndexScope[];
  chunkSize: number;
  chunkOverlap: number;
  reranker: string | null;
  searchMode: "hybrid" | "semantic";
  embeddingModel: string;
  dimensions: number;
  format: number;
  vectorsIn: VectorPlace;
  createdAt: number;
};

const zero = (name: string) => sql<number>`0`.as(name);

/** Writes a RAG, its first generation and its scopes in one step; false: identifier taken. */
export async function insertRag(db: Database, rag: NewRag): Promise<boolean> {
  const { scopes, embeddingModel, dimensions, format, vectorsIn, ...row } = rag;
  const { id, createdAt, chunkSize, chunkOverlap } = rag;
  // The following statements write only if the RAG was written, because they select from its row.
  const generation = db.insert(ragGenerations).select(
    db
      .select({
        ragId: rags.id,
        generation: rags.generation,
        state: sql<"live">`'live'`.as("state"),
        embeddingModel: sql<string>`${embeddingModel}`.as("embedding_model"),
        dimensions: sql<number>`${dimensions}`.as("dimensions"),
        chunkSize: sql<number>`${chunkSize}`.as("chunk_size"),
        chunkOverlap: sql<number>`${chunkOverlap}`.as("chunk_overlap"),
        format: sql<number>`${format}`.as("format"),
        shards: sql<number>`1`.as("shards"),
        vectorsIn: sql<VectorPlace>`${vectorsIn}`.as("vectors_in"),
        createdAt: sql<number>`${createdAt}`.as("created_at"),
        changedAt: sql<number>`${createdAt}`.as("changed_at"),
        liveSince: sql<number>`${createdAt}`.as("live_since"),
        vectorsFrom: sql<null>`null`.as("vectors_from"),
        filledUpTo: sql<null>`null`.as("filled_up_to"),
        pendingFiles: zero("pending_files"),
        processingFiles: zero("processing_files"),
        indexedFiles: zero("indexed_files"),
        errorFiles: zero("error_files"),
        deletedFiles: zero("deleted_files"),
        numberVectors: zero("number_vectors"),
        countedByBatch: sql<boolean>`false`.as("counted_by_batch"),
      })
      .from(rags)
      .where(eq(rags.id, id)),
  );
  const [inserted] = await db.batch([
    db
      .insert(rags)
      .values({ ...row, comingFiles: 1, scopesDueAt: 0 })
      .onConflictDoNothing()
      .returning({ id: rags.id }),
    generation,
    insertScopes(db, id, scopes, createdAt),
  ]);
  return inserted.length > 0;
}

export type RagChange = Partial<
  Pick<
    NewRag,
    "name" | "status" | "scopeMode" | "chunkSize" | "chunkOverlap" | "reranker" | "searchMode"
  >
>;

/** Changes a RAG and, if given, its whole list of scopes, in one step. */
export async function updateRagRow(
  db: Database,
  id: RagId,
  change: RagChange,
  scopes: { replaceBy: IndexScope[]; now: number } | null,
): Promise<void> {
  const update = db
    .update(rags)
    .set({
      ...change,
      ...updatedNow(),
      // A new chunking is built with the deployment's current settings, even if they were refused
      // before.
      ...(change.chunkSize && { refusedIndex: null }),
      ...((scopes !== null || change.scopeMode !== undefined) && SCOPES_REPLACED),
    })
    .where(eq(rags.id, id));
  if (scopes === null) await update;
  else await db.batch([update, ...replaceScopes(db, id, scopes.replaceBy, scopes.now)]);
}

/** Hides a RAG that is not linked; false when it is. */
export async function markRagRemoved(db: Database, id: RagId, now: number): Promise<boolean> {
  const unlinked = sql`not exists (select 1 from ${inferenceRags} where ${inferenceRags.ragId} = ${id})
    and not exists (select 1 from ${agentRags} where ${agentRags.ragId} = ${id})`;
  const marked = await db
    .update(rags)
    .set({ removedAt: now })
    .where(and(eq(rags.id, id), isNull(rags.removedAt), unlinked))
    .returning({ id: rags.id });
  return marked.length > 0;
}

/** Identifiers of the inferences and agents that link a RAG. */
export async function linksOfRag(db: Database, id: RagId) {
  const [ofInferences, ofAgents] = await db.batch([
    db
      .select({ identifier: inferences.identifier })
      .from(inferenceRags)
      .innerJoin(inferences, eq(inferences.id, inferenceRags.inferenceId))
      .where(eq(inferenceRags.ragId, id))
      .orderBy(inferences.identifier),
    db
      .select({ identifier: agents.identifier })
      .from(agentRags)
      .innerJoin(agents, eq(agents.id, agentRags.agentId))
      .where(eq(agentRags.ragId, id))
      .orderBy(agents.identifier),
  ]);
  return {
    inferences: ofInferences.map(({ identifier }) => identifier),
    agents: ofAgents.map(({ identifier }) => identifier),
  };
}
