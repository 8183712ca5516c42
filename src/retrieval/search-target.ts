import { coarserFolders } from "../core/folders.ts";
import type { ChunkId } from "../core/ids.ts";
import type {
  Candidate,
  CandidatesReply,
  CandidatesRequest,
  HydratedChunk,
  RagIndex,
  Restriction,
} from "../ports/rag-index.ts";
import type { VectorFilter, VectorIndex } from "../ports/vector-index.ts";
import type { EmbeddedQueries } from "./embed-queries.ts";
import type { QueryLegs } from "./fuse.ts";
import { leg } from "./leg.ts";
import type { Call } from "./leg.ts";
import { mergeLists, mergeShards, withoutLaterEquals } from "./merge-shards.ts";
import type { RetrievalTarget } from "./types.ts";

/** Of what is left when the leg starts. */
const INDEX_SHARE = 0.6;
const VECTOR_INDEX_SHARE = 0.6;
const HYDRATION_SHARE = 0.7;
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
  /** In the order of the queries. */
  queries: QueryLegs[];
  /** Similarities are the vector index's, not exact. */
  approximate: boolean;
  shards: RagIndex[];
  /** Shards that hold a candidate, as far as known; unknown: ask all. */
  shardOf: Map<ChunkId, number>;
};

/** Runs the legs of one RAG within the budget. What is lost is recorded, never thrown. */
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
  const { vectorIndex } = call.services;
  if (vectorIndex === null) {
    const { vectors, fusionWeight } = await embedded;
    const lexical = rag.searchMode === "hybrid" || vectors === null;
    const replies = await askShards(call, shards, target, plan, { vectors, lexical });
    const merged = mergeShards(replies, sizeOf(plan));
    return { target, shards, vectors, fusionWeight, approximate: false, ...merged };
  }
  const [{ vectors, fusionWeight }, replies] = await Promise.all([
    embedded,
    askShards(call, shards, target, plan, { vectors: null, lexical: true }),
  ]);
  const merged = mergeShards(replies, sizeOf(plan));
  const search = { target, shards, vectors, fusionWeight, approximate: true, ...merged };
  if (vectors === null) return search;
  const nearest = await askVectorIndex(call, vectorIndex, search, replies, plan);
  return nearest === null ? search : withNearest(search, nearest, rag.searchMode);
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
const nameOf = ({ length }: RagIndex[], at: number) =>
  length === 1 ? "index" : `index part ${at + 1} of ${length}`;

const sizeOf = ({ queries, limitPerLeg }: SearchPlan) => ({
  queryCount: queries.length,
  limitPerLeg,
});

type Search = Found & { vectors: Float32Array[] | null };

/**
 * Nearest neighbours of all queries at once. Where the index object said that an exact scan is
 * right (a selective restriction), it is asked once more, with the vectors; meanwhile, where it
 * holds what the vector index may not show yet, it is asked for that.
 */
async function askVectorIndex(
  call: Call,
  vectorIndex: VectorIndex,
  search: Search,
  replies: Reply[],
  plan: SearchPlan,
): Promise<Candidate[][] | null> {
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
  if (exact || (filtered && filter === null)) return await scan("all");
  const space = { ragId: target.rag.id, generation: target.rag.generation };
  const options = {
    topK: plan.limitPerLeg,
    filter: filtered && filter !== "none" ? filter : null,
  };
  const hasUnshown = replies.some((reply) => reply?.hasUnshown === true);
  const [shown, unshown] = await Promise.all([
    leg(call, { what: "vector index", kind: "vectorIndex" }, VECTOR_INDEX_SHARE, () =>
      Promise.all(vectors.map((vector) => vectorIndex.query(space, vector, options))),
    ),
    hasUnshown ? scan("unshown") : null,
  ]);
  if (unshown === null) return shown;
  return unshown.map((list, at) => mergeLists(list, shown?.[at] ?? []));
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
  const asked = named.folders.map((folder) => folder.replace(/\/+$/, ""));
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

function withNearest(search: Found, nearest: Candidate[][], mode: "hybrid" | "semantic"): Found {
  const queries = search.queries.map(({ lexical }, at) => ({
    lexical: mode === "hybrid" ? lexical : [],
    vector: nearest[at] ?? [],
  }));
  return { ...search, queries };
}

/**
 * Texts and exact similarities of chosen chunks; what is gone or not eligible is left out.
 * `outrun`: the index has lost some that it named itself, so it changed since.
 */
export async function hydrate(
  call: Call,
  found: Found,
  ids: ChunkId[],
  plan: SearchPlan,
): Promise<{ chunks: HydratedChunk[]; outrun: boolean }> {
  if (ids.length === 0) return { chunks: [], outrun: false };
  const { shardOf } = found;
  const asked = hydrationOf(found, plan);
  const replies = await Promise.all(
    found.shards.map(async (shard, at) => {
      const held = ids.filter((id) => (shardOf.get(id) ?? at) === at);
      if (held.length === 0) return { chunks: [], outrun: false };
      const request = { ids: held, ...asked };
      const what = { what: nameOf(found.shards, at), kind: "hydration" } as const;
      const chunks = await leg(call, what, HYDRATION_SHARE, () => shard.hydrate(request));
      if (chunks === null) return { chunks: [], outrun: false };
      const read = new Set(chunks.map(({ id }) => id));
      return { chunks, outrun: held.some((id) => shardOf.has(id) && !read.has(id)) };
    }),
  );
  return {
    chunks: merged(replies, found, plan),
    outrun: replies.some(({ outrun }) => outrun),
  };
}

/** Each shard leaves out its own duplicates; these are those of one another. */
function merged(
  replies: { chunks: HydratedChunk[] }[],
  { shards }: Found,
  { includeDuplicates }: SearchPlan,
): HydratedChunk[] {
  const chunks = replies.flatMap((reply) => reply.chunks);
  return shards.length === 1 || includeDuplicates ? chunks : withoutLaterEquals(chunks);
}

function hydrationOf({ target, vectors }: Found, { queries, includeDuplicates }: SearchPlan) {
  const queryVectors = queries.map((_, at) => vectors?.[at] ?? null);
  return { queryVectors, restriction: target.restriction, includeDuplicates };
}

/**
 * Searches and reads in one step of each shard, so that nothing can change in between. What a
 * vector index named stays as it is, and is read with the rest.
 */
export async function searchAgain(
  call: Call,
  found: Found,
  plan: SearchPlan,
): Promise<{ found: Found; chunks: HydratedChunk[] }> {
  const { target, vectors, approximate } = found;
  const { includeDuplicates, limitPerLeg } = plan;
  const lexical = target.rag.searchMode === "hybrid" || vectors === null;
  const request = {
    queries: plan.queries.map((text, at) => ({ text, vector: vectors?.[at] ?? null })),
    restriction: target.restriction,
    includeDuplicates,
    limitPerLeg,
    lexical,
    forMerge: found.shards.length > 1,
    scan: approximate ? ("unshown" as const) : ("all" as const),
  };
  const named = found.queries.flatMap(({ vector }) => vector.map(({ id }) => id));
  const ids = approximate ? named : [];
  const replies = await Promise.all(
    found.shards.map((shard, at) =>
      leg(call, { what: nameOf(found.shards, at), kind: "hydration" }, HYDRATION_SHARE, () =>
        shard.candidatesWithChunks(request, ids),
      ),
    ),
  );
  const { queries, shardOf } = mergeShards(replies, sizeOf(plan));
  const legs = queries.map(({ lexical, vector }, at) => ({
    lexical,
    vector: mergeLists(vector, approximate ? (found.queries[at]?.vector ?? []) : []),
  }));
  return {
    found: { ...found, queries: legs, shardOf },
    chunks: merged(
      replies.map((reply) => reply ?? { chunks: [] }),
      found,
      plan,
    ),
  };
}
