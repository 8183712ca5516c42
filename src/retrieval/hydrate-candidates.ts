import type { ChunkId } from "../core/ids.ts";
import type { Candidate, HydratedChunk } from "../ports/rag-index.ts";
import { APPROXIMATION_MARGIN } from "./choose-candidates.ts";
import { leg } from "./leg.ts";
import type { Call } from "./leg.ts";
import { mergeLists, mergeShards, withoutLaterEquals } from "./merge-shards.ts";
import { nameOf, sizeOf } from "./search-target.ts";
import type { Found, SearchPlan } from "./search-target.ts";
import { similarityOf } from "./select.ts";

/** Of what is left when the leg starts. */
const HYDRATION_SHARE = 0.7;

type Read = {
  chunks: HydratedChunk[];
  eligible: ReadonlySet<ChunkId>;
  equal: ReadonlySet<ChunkId>;
  /** The index has lost some that it named itself, so it changed since. */
  outrun: boolean;
  /** A part did not answer: what it holds is not known. */
  isWhole: boolean;
};

/** Texts and exact similarities of chosen chunks, and of spare ones instead of those that are gone. */
export async function hydrate(
  call: Call,
  found: Found,
  { ids, spare }: { ids: ChunkId[]; spare: ChunkId[] },
  plan: SearchPlan,
): Promise<Read> {
  if (ids.length === 0) {
    return { chunks: [], eligible: new Set(), equal: new Set(), outrun: false, isWhole: true };
  }
  const { shardOf } = found;
  const asked = hydrationOf(found, plan);
  const replies = await Promise.all(
    found.shards.map(async (shard, at) => {
      const heldOf = (all: ChunkId[]) => all.filter((id) => (shardOf.get(id) ?? at) === at);
      const held = { ids: heldOf(ids), spare: heldOf(spare) };
      if (held.ids.length + held.spare.length === 0) return NOTHING_HELD;
      // Which part holds what a vector index named is not known: each is asked for all of it.
      const spareLimit = Math.ceil(held.ids.length / found.shards.length);
      const what = { what: nameOf(found.shards, at), kind: "hydration" } as const;
      const reply = await leg(call, what, HYDRATION_SHARE, () =>
        shard.hydrate({ ...held, spareLimit, ...asked }),
      );
      if (reply === null) return { ...NOTHING_HELD, isWhole: false };
      const eligible = new Set(reply.eligible);
      const outrun = held.ids.some((id) => shardOf.has(id) && !eligible.has(id));
      return { ...reply, outrun, isWhole: true };
    }),
  );
  return {
    chunks: merged(replies, found, plan),
    eligible: new Set(replies.flatMap(({ eligible }) => eligible)),
    equal: new Set(replies.flatMap(({ equal }) => equal)),
    outrun: replies.some(({ outrun }) => outrun),
    isWhole: replies.every(({ isWhole }) => isWhole),
  };
}

const NOTHING_HELD = { chunks: [], eligible: [], equal: [], outrun: false, isWhole: true };

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

/** The vector index names 100 at most: where more are needed, half of them are enough. */
const MOST_WANTED = 50;

/**
 * Whether the vector index has named so many chunks that are removed, replaced, moved away or
 * equal to others that live ones, which it would have named after them, are too few. Where only
 * equal ones are in the way and the lexical leg has filled the answer, it is left at that: a text
 * that stands in hundreds of files stays there, and each question about it would scan everything.
 */
export function isCrowded(
  { queries, floors, shards }: Found,
  { chunks, eligible, equal, isWhole }: Read,
  { needed, threshold, chosen }: { needed: number; threshold: number | null; chosen: number },
): boolean {
  if (!isWhole) return false;
  const wanted = Math.min(needed, MOST_WANTED);
  const passes = (chunk: HydratedChunk) =>
    threshold === null || (similarityOf(chunk) ?? 1) >= threshold;
  const isFilled = chunks.filter(passes).length >= wanted;
  const mayHoldMore = (floor: number) =>
    threshold === null || floor >= threshold - APPROXIMATION_MARGIN;
  return queries.some(({ vector }, at) => {
    const floor = floors[at] ?? null;
    if (floor === null || !mayHoldMore(floor)) return false;
    const counts = (id: ChunkId) => eligible.has(id) || (isFilled && equal.has(id));
    const live = vector.filter(({ id, score }) => score >= floor && counts(id));
    // Equal texts of different shards are only seen when they are read.
    const read = shards.length === 1 ? wanted : chunks.length;
    return live.length < wanted || read < Math.min(wanted, chosen);
  });
}

const CROWDED = "vector index: most of what is nearest is gone, and the index too large to scan";

/**
 * Searches and reads in one step of each shard, so that nothing can change in between. What a
 * vector index named stays as it is, and is read with the rest; `deep` does without it. Null when
 * a part does not answer.
 */
export async function searchAgain(
  call: Call,
  found: Found,
  plan: SearchPlan,
  { deep }: { deep: boolean },
): Promise<{ found: Found; chunks: HydratedChunk[] } | null> {
  const { target, vectors } = found;
  const { includeDuplicates, limitPerLeg } = plan;
  const lexical = found.searchMode === "hybrid" || vectors === null;
  const beside = found.approximate ? ("in-flight" as const) : ("all" as const);
  const request = {
    queries: plan.queries.map((text, at) => ({ text, vector: vectors?.[at] ?? null })),
    restriction: target.restriction,
    includeDuplicates,
    limitPerLeg,
    lexical,
    forMerge: found.shards.length > 1,
    scan: deep ? ("deep" as const) : beside,
  };
  const named = found.approximate ? found.queries.map(({ vector }) => vector) : [];
  const ids = named.flatMap((list) => list.map(({ id }) => id));
  const replies = await Promise.all(
    found.shards.map((shard, at) =>
      leg(call, { what: nameOf(found.shards, at), kind: "hydration" }, HYDRATION_SHARE, () =>
        shard.candidatesWithChunks(request, ids),
      ),
    ),
  );
  const answered = replies.filter((reply) => reply !== null);
  if (answered.length < replies.length) return null;
  const isWhole = answered.every(({ scanned }) => scanned);
  if (deep && !isWhole) call.degradations.add(CROWDED);
  const { queries, shardOf } = mergeShards(replies, sizeOf(plan));
  const outside = (at: number): Candidate[] => (isWhole ? [] : (named[at] ?? []));
  const legs = queries.map(({ lexical, vector }, at) => {
    return { lexical, vector: mergeLists(vector, outside(at)) };
  });
  return {
    found: { ...found, queries: legs, shardOf, approximate: found.approximate && !isWhole },
    chunks: merged(answered, found, plan),
  };
}
