import type { ChunkId, FileId } from "../core/ids.ts";
import { trimEnd } from "../core/trim.ts";
import type { Candidate, HydratedChunk, Restriction, RestrictionPlan } from "../ports/rag-index.ts";
import type { VectorFilter, VectorIndex } from "../ports/vector-index.ts";
import { runLeg, type RetrievalCall } from "./degradations.ts";
import { mergeCandidates } from "./merge-shards.ts";
import { APPROXIMATION_MARGIN } from "../rag-index/search/fuse.ts";
import { chooseFound, chosenOf } from "./rag-search.ts";
import type { RagFindings, RagSearch, ReadChunks } from "./rag-search.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";
import { searchesWords } from "./search-mode.ts";
import { similarityOf } from "./score-chunks.ts";
import { ShardedIndex, type Hydrated, type IndexSearch } from "./sharded-index.ts";

const VECTOR_INDEX_SHARE = 0.6;
/** Candidates found by words alone that may replace deleted chunks. */
const SPARE_OF_WORDS = 200;
/** The vector index names 100 at most: where more are needed, half of them are enough. */
const MAX_WANTED = 50;

/** For RAGs whose nearest neighbours a vector index finds. */
export const vectorIndexSearch = (vectorIndex: VectorIndex): RagSearch => ({
  /** Index objects search words meanwhile; for a `semantic` RAG only if its vectors are lost. */
  async find(call, { target, embedded: embedding }, plan) {
    const index = new ShardedIndex(call, target, plan);
    const { searchMode } = target.rag;
    const asksWords = searchesWords(searchMode);
    const [embedded, first] = await Promise.all([
      embedding,
      index.search({ vectors: null, lexical: asksWords }),
    ]);
    const nearest =
      embedded === null || searchMode === "keyword"
        ? NOTHING_NEAR
        : await findNearest({ call, vectorIndex, index, target, plan }, first, embedded.vectors);
    const wordsStandIn = !asksWords && !nearest.isWhole;
    const words = wordsStandIn ? await index.search({ vectors: null, lexical: true }) : first;
    return {
      target,
      embedded,
      mode: wordsStandIn ? "hybrid" : searchMode,
      queries: words.queries.map((legs, at) => ({ ...legs, vector: nearest.lists[at] ?? [] })),
      shardOf: new Map([...first.shardOf, ...nearest.shardOf, ...words.shardOf]),
      floors: nearest.floors,
    };
  },

  /**
   * The vector index may name chunks that are deleted, moved or duplicates; others replace them.
   * If too few remain, or the index changed since its search, the index objects search again and
   * read in one step: an extra round trip only in these cases.
   */
  async read(call, findings, plan, scales) {
    const index = new ShardedIndex(call, findings.target, plan);
    const choice = chooseFound(findings, plan, scales);
    const { ids, rest, values } = choice;
    const spare = rest
      .filter(({ similarity }, at) => similarity !== null || at < SPARE_OF_WORDS)
      .map(({ id }) => id);
    const hydrated = await index.hydrate({ ids, spare }, findings);
    const sizes = { chosen: ids.length, isSingle: index.isSingle };
    const isCrowded = mostAreNotEligible(findings, hydrated, plan, sizes);
    if (isCrowded)
      call.services.log.info("vector index crowded", { ragId: findings.target.rag.id });
    const retried =
      isCrowded || hydrated.superseded
        ? await searchAgain(call, index, findings, isCrowded ? "deep" : "in-flight")
        : null;
    // The chunks already read are better than none when a shard does not answer in time.
    if (retried === null) return { found: findings, chunks: hydrated.chunks, values };
    return chosenOf(retried.found, retried.chunks, chooseFound(retried.found, plan, scales));
  },
});

type Nearest = {
  /** In the order of the queries, as are the floors. */
  lists: Candidate[][];
  floors: RagFindings["floors"];
  /** No part of what may be nearest is lost. */
  isWhole: boolean;
  /** Shards of the chunks that the index objects found. */
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
  const [visible, inFlight] = await Promise.all([
    runLeg(call, leg, () =>
      Promise.all(vectors.map((vector) => vectorIndex.query(space, vector, options))),
    ),
    hasInFlight ? index.search({ vectors, lexical: false, scan: "in-flight" }) : null,
  ]);
  return {
    lists: vectors.map((_, at) =>
      mergeCandidates(inFlight?.queries[at]?.vector ?? [], visible?.[at]?.matches ?? []),
    ),
    floors: vectors.map((_, at) => visible?.[at]?.floor ?? null),
    isWhole: visible !== null,
    shardOf: inFlight?.shardOf ?? new Map(),
  };
}

/**
 * The filter for the vector index; null: none. It supports folders only: any other restriction
 * cannot be expressed, and the index objects scan. Moved files are also searched by themselves, or
 * everywhere where they are many; hydration drops the other files found there.
 */
function vectorFilterOf(
  { named: scopes, metadata, condition }: Restriction,
  plans: RestrictionPlan[],
): VectorFilter | null | "not expressible" {
  const filtered = plans.filter((plan) => plan.kind === "filtered");
  if (filtered.length === 0) return null;
  if (metadata.length > 0 || condition !== undefined) return "not expressible";
  // The nearest are mostly enough for a reader's files alone: others are dropped when read.
  if (scopes === null) return null;
  if (scopes.files.length > 0) return "not expressible";
  const folders = scopes.folders.map((folder) => trimEnd(folder, "/"));
  const fileIds: FileId[] = [];
  for (const { elsewhere } of filtered) {
    if (elsewhere === "anywhere") return null;
    fileIds.push(...elsewhere);
  }
  return folders.includes("") ? null : { fileIds, folders: [...new Set(folders)] };
}

/**
 * Whether too much of what the vector index named is removed, moved or equal to something else.
 * Only equal ones in the way are no reason if the lexical leg has filled the answer: a text in
 * hundreds of files stays there, and each question about it would scan everything.
 */
function mostAreNotEligible(
  { queries, floors }: RagFindings,
  { chunks, eligible, equal, isWhole }: Hydrated,
  { needed, threshold }: SearchPlan,
  { chosen: choice, isSingle }: { chosen: number; isSingle: boolean },
): boolean {
  if (!isWhole) return false;
  const count = Math.min(needed, MAX_WANTED);
  const passes = (chunk: HydratedChunk) =>
    threshold === null || (similarityOf(chunk) ?? 1) >= threshold;
  const isFilled = chunks.filter(passes).length >= count;
  const mayHoldMore = (floor: number) =>
    threshold === null || floor >= threshold - APPROXIMATION_MARGIN;
  const counting = new Set(isFilled ? [...eligible, ...equal] : eligible);
  // Equal texts of different shards are only seen when they are read.
  const readCount = isSingle ? count : chunks.length;
  return queries.some(({ vector }, at) => {
    const floor = floors[at] ?? null;
    if (floor === null || !mayHoldMore(floor)) return false;
    const live = vector.filter(({ id, score }) => score >= floor && counting.has(id));
    return live.length < count || readCount < Math.min(count, choice);
  });
}

/** Reads what the vector index named, unless a `deep` scan saw all; null if a shard fails. */
async function searchAgain(
  call: RetrievalCall,
  index: ShardedIndex,
  findings: RagFindings,
  scan: "deep" | "in-flight",
): Promise<Pick<ReadChunks, "found" | "chunks"> | null> {
  const ids = findings.queries.flatMap(({ vector }) => vector.map(({ id }) => id));
  const retried = await index.searchAgain(findings, scan, ids);
  if (retried === null) return null;
  const { shardOf, chunks, scanned: isExact } = retried;
  if (scan === "deep" && !isExact) {
    const reason = "most of what it names is outdated or hidden, and the RAG too large to scan";
    call.report.degraded("vector index", `vector index: ${reason}`);
  }
  const queries = retried.queries.map(({ lexical, vector, statistics }, at) => {
    const outside = isExact ? [] : (findings.queries[at]?.vector ?? []);
    return { lexical, vector: mergeCandidates(vector, outside), statistics };
  });
  return { found: { ...findings, queries, shardOf }, chunks };
}
