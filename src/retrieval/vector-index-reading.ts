import type { ChunkId } from "../core/ids.ts";
import type { HydratedChunk } from "../ports/rag-index.ts";
import { chooseCandidates } from "./choose-candidates.ts";
import type { Scale } from "./fuse.ts";
import { mergeCandidates } from "./merge-shards.ts";
import { chosenOf, rankFound, valuesOf } from "./rag-search.ts";
import type { Found, ReadChunks } from "./rag-search.ts";
import type { RetrievalCall } from "./run-leg.ts";
import { similarityOf } from "./scored-chunk.ts";
import type { SearchPlan } from "./search-plan.ts";
import type { Hydrated, ShardedIndex } from "./sharded-index.ts";

/** A similarity from the vector index may be this far below the exact one. */
const APPROXIMATION_MARGIN = 0.02;
/** Candidates found by words alone that may replace deleted chunks. */
const SPARE_OF_WORDS = 200;

export type FoundBesideVectorIndex = Found & {
  /** Of each query: the vector index may hold more with scores up to this one. */
  floors: (number | null)[];
};

/**
 * The vector index may name chunks that are deleted, moved or duplicates; others replace them. If
 * too few remain, or the index changed since its search, the index objects search again and read
 * in one step: an extra round trip only in these cases.
 */
export async function readBesideVectorIndex(
  call: RetrievalCall,
  index: ShardedIndex,
  found: FoundBesideVectorIndex,
  plan: SearchPlan,
  scales: Scale[],
): Promise<ReadChunks> {
  const ranked = rankFound(found, scales);
  const { ids, rest } = chooseCandidates(ranked, { ...plan, margin: APPROXIMATION_MARGIN });
  const spare = rest
    .filter(({ similarity }, at) => similarity !== null || at < SPARE_OF_WORDS)
    .map(({ id }) => id);
  const hydrated = await index.hydrate({ ids, spare }, found);
  const isCrowded = mostAreNotEligible(found, hydrated, plan, {
    chosen: ids.length,
    isSingle: index.isSingle,
  });
  if (isCrowded) call.services.log.info("vector index crowded", { ragId: found.target.rag.id });
  const again =
    isCrowded || hydrated.superseded
      ? await searchAgain(call, index, found, isCrowded ? "deep" : "in-flight")
      : null;
  // The chunks already read are better than none when a shard does not answer in time.
  if (again === null) return { found, chunks: hydrated.chunks, values: valuesOf(ranked) };
  const margin = again.isExact ? 0 : APPROXIMATION_MARGIN;
  return chosenOf(again.found, again.chunks, rankFound(again.found, scales), { ...plan, margin });
}

/** The vector index names 100 at most: where more are needed, half of them are enough. */
const MOST_WANTED = 50;

/**
 * Whether so much of what the vector index named is removed, replaced, moved away or equal to
 * something else that eligible chunks, which it would have named next, are too few. Where only equal
 * ones are in the way and the lexical leg has filled the answer, they are enough: a text that stands
 * in hundreds of files stays there, and each question about it would scan everything.
 */
function mostAreNotEligible(
  { queries, floors }: FoundBesideVectorIndex,
  { chunks, eligible, equal, isWhole }: Hydrated,
  { needed, threshold }: SearchPlan,
  { chosen, isSingle }: { chosen: number; isSingle: boolean },
): boolean {
  if (!isWhole) return false;
  const wanted = Math.min(needed, MOST_WANTED);
  const passes = (chunk: HydratedChunk) =>
    threshold === null || (similarityOf(chunk) ?? 1) >= threshold;
  const isFilled = chunks.filter(passes).length >= wanted;
  const mayHoldMore = (floor: number) =>
    threshold === null || floor >= threshold - APPROXIMATION_MARGIN;
  const counts = (id: ChunkId) => eligible.has(id) || (isFilled && equal.has(id));
  // Equal texts of different shards are only seen when they are read.
  const read = isSingle ? wanted : chunks.length;
  return queries.some(({ vector }, at) => {
    const floor = floors[at] ?? null;
    if (floor === null || !mayHoldMore(floor)) return false;
    const live = vector.filter(({ id, score }) => score >= floor && counts(id));
    return live.length < wanted || read < Math.min(wanted, chosen);
  });
}

/**
 * What the vector index named is read with the rest, and left out where a `deep` scan looked through
 * every eligible chunk. Null when a shard does not answer.
 */
async function searchAgain(
  call: RetrievalCall,
  index: ShardedIndex,
  found: FoundBesideVectorIndex,
  scan: "deep" | "in-flight",
): Promise<{ found: Found; chunks: HydratedChunk[]; isExact: boolean } | null> {
  const vectors = found.embedded?.vectors ?? null;
  const lexical = found.searchMode === "hybrid" || vectors === null;
  const named = found.queries.flatMap(({ vector }) => vector.map(({ id }) => id));
  const again = await index.searchAndHydrate({ vectors, lexical, scan }, named);
  if (again === null) return null;
  const isExact = again.scanned;
  if (scan === "deep" && !isExact) {
    const reason = "most of what it names is outdated, and the RAG too large to scan";
    call.report.degraded("vector index", `vector index: ${reason}`);
  }
  const queries = again.queries.map(({ lexical, vector }, at) => {
    const outside = isExact ? [] : (found.queries[at]?.vector ?? []);
    return { lexical, vector: mergeCandidates(vector, outside) };
  });
  return {
    found: { ...found, queries, shardOf: again.shardOf },
    chunks: again.chunks,
    isExact,
  };
}
