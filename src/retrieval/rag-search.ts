import type { ChunkId } from "../core/ids.ts";
import type { HydratedChunk } from "../ports/rag-index.ts";
import { chooseCandidates } from "./choose-candidates.ts";
import type { EmbeddedQueries } from "./embed-queries.ts";
import { rankCandidates } from "./fuse.ts";
import type { QueryLegs, RankedId, Scale } from "./fuse.ts";
import type { RetrievalTarget } from "./types.ts";

/** What the legs found in one RAG, over all its shards. */
export type Found = {
  target: RetrievalTarget;
  /** Null: the embedding model is lost. */
  embedded: EmbeddedQueries | null;
  /** The RAG's mode, or `hybrid` where words replace vectors because the model failed. */
  searchMode: "hybrid" | "semantic";
  /** In the order of the queries. */
  queries: QueryLegs[];
  /** The shard that holds a candidate, where it is known. */
  shardOf: ReadonlyMap<ChunkId, number>;
};

/** The best of what was found, with texts and exact similarities, in no order. */
export type ReadChunks = {
  /** The candidates they were chosen from: searched again if the index changed meanwhile. */
  found: Found;
  chunks: HydratedChunk[];
  /** Fused value of each candidate. */
  values: Map<ChunkId, number>;
};

/**
 * One RAG whose legs have answered. The two forms, `searchExactly` and `searchVectorIndex`,
 * differ in the source of nearest neighbours, and so in what may be missing.
 */
export type RagSearch = {
  found: Found;
  /** @param scales of each query, over all RAGs that are searched together. */
  read: (scales: Scale[]) => Promise<ReadChunks>;
};

/** All that was found, best first. */
export function rankFound(found: Found, scales: Scale[]): RankedId[] {
  const { searchMode, embedded } = found;
  const rule = { searchMode, weight: embedded?.fusionWeight ?? 0 };
  return rankCandidates(found.queries, rule, scales);
}

export const valuesOf = (ranked: RankedId[]) => new Map(ranked.map(({ id, value }) => [id, value]));

/**
 * From chunks that were read together with their search, those that would have been chosen after
 * it.
 */
export function chosenOf(
  found: Found,
  chunks: HydratedChunk[],
  ranked: RankedId[],
  wanted: Parameters<typeof chooseCandidates>[1],
): ReadChunks {
  const ids = new Set(chooseCandidates(ranked, wanted).ids);
  return { found, chunks: chunks.filter(({ id }) => ids.has(id)), values: valuesOf(ranked) };
}
