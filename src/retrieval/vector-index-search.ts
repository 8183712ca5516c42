import type { ChunkId } from "../core/ids.ts";
import type { Candidate } from "../ports/rag-index.ts";
import type { VectorIndex } from "../ports/vector-index.ts";
import type { EmbeddedTarget } from "./embed-queries.ts";
import { mergeCandidates } from "./merge-shards.ts";
import type { RagSearch } from "./rag-search.ts";
import { runLeg } from "./run-leg.ts";
import type { RetrievalCall } from "./run-leg.ts";
import type { SearchPlan } from "./search-plan.ts";
import { ShardedIndex } from "./sharded-index.ts";
import type { IndexSearch } from "./sharded-index.ts";
import type { RetrievalTarget } from "./types.ts";
import { vectorFilterOf } from "./vector-filter.ts";
import { readBesideVectorIndex } from "./vector-index-reading.ts";

const VECTOR_INDEX_SHARE = 0.6;

/**
 * Searches a RAG whose nearest neighbours a vector index finds: the index objects search words while
 * the queries are embedded. A `semantic` RAG is asked for words only when its vectors are lost: one
 * more step, and only then.
 */
export async function searchVectorIndex(
  call: RetrievalCall,
  vectorIndex: VectorIndex,
  { target, embedded: embedding }: EmbeddedTarget,
  plan: SearchPlan,
): Promise<RagSearch> {
  const index = new ShardedIndex(call, target, plan);
  const isHybrid = target.rag.searchMode === "hybrid";
  const [embedded, first] = await Promise.all([
    embedding,
    index.search({ vectors: null, lexical: isHybrid }),
  ]);
  const nearest =
    embedded === null
      ? NOTHING_NEAR
      : await findNearest({ call, vectorIndex, index, target, plan }, first, embedded.vectors);
  const wordsStandIn = !isHybrid && !nearest.isWhole;
  const words = wordsStandIn ? await index.search({ vectors: null, lexical: true }) : first;
  const found = {
    target,
    embedded,
    searchMode: isHybrid || wordsStandIn ? ("hybrid" as const) : ("semantic" as const),
    queries: words.queries.map(({ lexical }, at) => {
      return { lexical, vector: nearest.lists[at] ?? [] };
    }),
    shardOf: new Map([...first.shardOf, ...nearest.shardOf, ...words.shardOf]),
    floors: nearest.floors,
  };
  return { found, read: (scales) => readBesideVectorIndex(call, index, found, plan, scales) };
}

type Nearest = {
  /** In the order of the queries, as are the floors. */
  lists: Candidate[][];
  /** The vector index may hold more with scores up to this one. */
  floors: (number | null)[];
  /** No part of what may be nearest is lost. */
  isWhole: boolean;
  /** Of what the index objects found. */
  shardOf: ReadonlyMap<ChunkId, number>;
};

const NOTHING_NEAR: Nearest = { lists: [], floors: [], isWhole: false, shardOf: new Map() };

type Searching = {
  call: RetrievalCall;
  vectorIndex: VectorIndex;
  index: ShardedIndex;
  target: RetrievalTarget;
  plan: SearchPlan;
};

/**
 * Nearest neighbours of all queries at once. Where the index objects said that an exact scan is
 * right (a selective restriction), they are asked once more, with the vectors; meanwhile, where they
 * hold what the vector index may not show yet, they are asked for that.
 */
async function findNearest(
  { call, vectorIndex, index, target, plan }: Searching,
  { plans, hasInFlight }: IndexSearch,
  vectors: Float32Array[],
): Promise<Nearest> {
  const filter = vectorFilterOf(target.restriction, plans);
  if (filter === "not expressible" || plans.some(({ kind }) => kind === "exact")) {
    const { queries, shardOf } = await index.search({ vectors, lexical: false });
    return { lists: queries.map(({ vector }) => vector), floors: [], isWhole: true, shardOf };
  }
  const space = { ragId: target.rag.id, generation: target.rag.generation };
  const options = { topK: plan.limitPerLeg, filter };
  const leg = { part: "vector index", kind: "vectorIndex", share: VECTOR_INDEX_SHARE } as const;
  const [shown, inFlight] = await Promise.all([
    runLeg(call, leg, () =>
      Promise.all(vectors.map((vector) => vectorIndex.query(space, vector, options))),
    ),
    hasInFlight ? index.search({ vectors, lexical: false, scan: "in-flight" }) : null,
  ]);
  return {
    lists: vectors.map((_, at) =>
      mergeCandidates(inFlight?.queries[at]?.vector ?? [], shown?.[at]?.matches ?? []),
    ),
    floors: vectors.map((_, at) => shown?.[at]?.floor ?? null),
    isWhole: shown !== null,
    shardOf: inFlight?.shardOf ?? new Map(),
  };
}
