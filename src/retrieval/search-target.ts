import { coarserFolders } from "../core/folders.ts";
import type { ChunkId } from "../core/ids.ts";
import type {
  Candidate,
  CandidatesReply,
  CandidatesRequest,
  RagIndex,
  Restriction,
} from "../ports/rag-index.ts";
import type { VectorFilter, VectorIndex } from "../ports/vector-index.ts";
import type { EmbeddedQueries } from "./embed-queries.ts";
import type { QueryLegs } from "./fuse.ts";
import { leg } from "./leg.ts";
import type { Call } from "./leg.ts";
import { mergeLists, mergeShards } from "./merge-shards.ts";
import type { RetrievalTarget } from "./types.ts";
import { trimEnd } from "../core/trim.ts";

/** Of what is left when the leg starts. */
const INDEX_SHARE = 0.6;
const VECTOR_INDEX_SHARE = 0.6;
/** Folders that moved files may still be found under; one question holds about so many. */
const FOLDERS_ELSEWHERE_MAX = 100;

export type SearchPlan = {
  queries: string[];
  includeDuplicates: boolean;
  limitPerLeg: number;
};

/** What the legs found in one RAG, over all its shards. */
export type Found = {
  target: RetrievalTarget;
  /** Of the embedding model; see `Embedder.fusionWeight`. */
  fusionWeight: number;
  vectors: Float32Array[] | null;
  /** The RAG's, or `hybrid` where the vector index is lost and words stand in for it. */
  searchMode: "hybrid" | "semantic";
  /** In the order of the queries. */
  queries: QueryLegs[];
  /** Similarities are the vector index's, not exact. */
  approximate: boolean;
  /** Of each query: the vector index may hold more with scores up to this one. */
  floors: (number | null)[];
  shards: RagIndex[];
  /** Shards that hold a candidate, as far as known; unknown: ask all. */
  shardOf: Map<ChunkId, number>;
};

/**
 * Runs the legs of one RAG within the budget. What is lost is recorded, never thrown. A `semantic`
 * RAG is asked for words only when its vectors are lost: one more step, and only then.
 */
export async function searchTarget(
  call: Call,
  target: RetrievalTarget,
  embedded: Promise<EmbeddedQueries>,
  plan: SearchPlan,
): Promise<Found> {
  const { rag } = target;
  const shards = Array.from({ length: rag.shards }, (_, shard) =>
    call.services.ragIndexes({ ragId: rag.id, generation: rag.generation, shard }),
  );
  const { searchMode } = rag;
  const { vectorIndex } = call.services;
  if (vectorIndex === null) {
    const { vectors, fusionWeight } = await embedded;
    const lexical = searchMode === "hybrid" || vectors === null;
    const replies = await askShards(call, shards, target, plan, { vectors, lexical });
    const merged = mergeShards(replies, sizeOf(plan));
    const found = { target, shards, vectors, fusionWeight, searchMode, ...merged };
    return { ...found, approximate: false, floors: [] };
  }
  const lexical = searchMode === "hybrid";
  const [{ vectors, fusionWeight }, replies] = await Promise.all([
    embedded,
    askShards(call, shards, target, plan, { vectors: null, lexical }),
  ]);
  const merged = mergeShards(replies, sizeOf(plan));
  const found = { target, shards, vectors, fusionWeight, searchMode, ...merged };
  const search: Found = { ...found, approximate: true, floors: [] };
  if (vectors === null) return await withWords(call, search, plan);
  const nearest = await askVectorIndex(call, vectorIndex, search, replies, plan);
  if (nearest === null) return await withWords(call, search, plan);
  const named = withNearest(search, nearest);
  return nearest.isWhole ? named : await withWords(call, named, plan);
}

/** The lexical leg stands in for vectors that are lost, whatever the RAG's mode. */
async function withWords(call: Call, search: Found, plan: SearchPlan): Promise<Found> {
  if (search.searchMode === "hybrid") return search;
  const { shards, target } = search;
  const replies = await askShards(call, shards, target, plan, { vectors: null, lexical: true });
  const { queries, shardOf } = mergeShards(replies, sizeOf(plan));
  return {
    ...search,
    searchMode: "hybrid",
    queries: search.queries.map(({ vector }, at) => {
      return { vector, lexical: queries[at]?.lexical ?? [] };
    }),
    shardOf: new Map([...search.shardOf, ...shardOf]),
  };
}

type Reply = CandidatesReply | null;

function askShards(
  call: Call,
  shards: RagIndex[],
  { restriction }: RetrievalTarget,
  plan: SearchPlan,
  legs: { vectors: Float32Array[] | null; lexical: boolean; scan?: CandidatesRequest["scan"] },
): Promise<Reply[]> {
  const { includeDuplicates, limitPerLeg } = plan;
  const queries = plan.queries.map((text, at) => ({ text, vector: legs.vectors?.[at] ?? null }));
  const { lexical, scan = "all" } = legs;
  const forMerge = shards.length > 1;
  const search = { restriction, includeDuplicates, limitPerLeg, lexical, scan, forMerge };
  const request = { queries, ...search };
  return Promise.all(
    shards.map((shard, at) =>
      leg(call, { what: nameOf(shards, at), kind: "search" }, INDEX_SHARE, () =>
        shard.candidates(request),
      ),
    ),
  );
}

/** What a loss names: one part of a large RAG's index, or the index. */
export const nameOf = ({ length }: RagIndex[], at: number) =>
  length === 1 ? "index" : `index part ${at + 1} of ${length}`;

export const sizeOf = ({ queries, limitPerLeg }: SearchPlan) => ({
  queryCount: queries.length,
  limitPerLeg,
});

/** In the order of the queries. `isWhole`: no part of what may be nearest is lost. */
type Nearest = { lists: Candidate[][]; floors: (number | null)[]; isWhole: boolean };

/**
 * Nearest neighbours of all queries at once. Where the index object said that an exact scan is
 * right (a selective restriction), it is asked once more, with the vectors; meanwhile, where it
 * holds what the vector index may not show yet, it is asked for that.
 */
async function askVectorIndex(
  call: Call,
  vectorIndex: VectorIndex,
  search: Found,
  replies: Reply[],
  plan: SearchPlan,
): Promise<Nearest | null> {
  const { target, shards } = search;
  const vectors = search.vectors ?? [];
  const filtered = replies.some((reply) => reply?.plan.kind === "filtered");
  const exact = replies.some((reply) => reply?.plan.kind === "exact");
  const filter = filterOf(target.restriction, replies);
  const scan = async (of: CandidatesRequest["scan"]) => {
    const legs = { vectors, lexical: false, scan: of };
    const scanned = mergeShards(await askShards(call, shards, target, plan, legs), sizeOf(plan));
    for (const [id, shard] of scanned.shardOf) search.shardOf.set(id, shard);
    return scanned.queries.map(({ vector }) => vector);
  };
  if (exact || (filtered && filter === null)) {
    return { lists: await scan("all"), floors: [], isWhole: true };
  }
  const space = { ragId: target.rag.id, generation: target.rag.generation };
  const options = {
    topK: plan.limitPerLeg,
    filter: filtered && filter !== "none" ? filter : null,
  };
  const hasInFlight = replies.some((reply) => reply?.hasInFlight === true);
  const [shown, inFlight] = await Promise.all([
    leg(call, { what: "vector index", kind: "vectorIndex" }, VECTOR_INDEX_SHARE, () =>
      Promise.all(vectors.map((vector) => vectorIndex.query(space, vector, options))),
    ),
    hasInFlight ? scan("in-flight") : null,
  ]);
  if (inFlight === null && shown === null) return null;
  const lists = vectors.map((_, at) =>
    mergeLists(inFlight?.[at] ?? [], shown?.[at]?.matches ?? []),
  );
  const floors = vectors.map((_, at) => shown?.[at]?.floor ?? null);
  return { lists, floors, isWhole: shown !== null };
}

/**
 * The vector index filters by folders alone; everything else the index object must scan. Files
 * that moved are also asked for where they were: hydration drops what lies there by itself. `none`:
 * what is asked for may lie anywhere.
 */
function filterOf(
  { named, metadata }: Restriction,
  replies: Reply[],
): VectorFilter | "none" | null {
  if (named === null || named.files.length > 0 || metadata.length > 0) return null;
  const asked = named.folders.map((folder) => trimEnd(folder, "/"));
  const elsewhere = replies.flatMap((reply) =>
    reply?.plan.kind === "filtered" ? [reply.plan.elsewhere] : [],
  );
  const left = coarserFolders(
    elsewhere.flatMap(({ folders }) => folders),
    FOLDERS_ELSEWHERE_MAX,
  );
  const filter = {
    fileIds: elsewhere.flatMap(({ fileIds }) => fileIds),
    folders: [...new Set([...asked, ...left])],
  };
  return filter.folders.includes("") ? "none" : filter;
}

function withNearest(search: Found, nearest: Nearest): Found {
  const queries = search.queries.map(({ lexical }, at) => {
    return { lexical, vector: nearest.lists[at] ?? [] };
  });
  return { ...search, queries, floors: nearest.floors };
}
