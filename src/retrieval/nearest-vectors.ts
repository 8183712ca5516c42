import { trimEnd } from "../core/trim.ts";
import type { Restriction, RestrictionPlan } from "../ports/rag-index.ts";
import type { Nearest, VectorFilter, VectorIndex } from "../ports/vector-index.ts";
import { APPROXIMATION_MARGIN } from "../rag-index/search/fuse.ts";
import { runLeg, type RetrievalCall } from "./degradations.ts";
import type { ShardSearch, ShardsReply } from "./rag-shards.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";
import { similarityOf } from "./score-chunks.ts";

const VECTOR_INDEX_SHARE = 0.6;
/** The vector index names 100 at most: where more are needed, half of them are enough. */
const MAX_WANTED = 50;

type VectorSearch = {
  call: RetrievalCall;
  vectorIndex: VectorIndex;
  target: RetrievalTarget;
  plan: SearchPlan;
};

/**
 * Nearest neighbours of all queries, which the vector index is asked for at once. Null: an exact
 * scan is right, because the restriction is selective or cannot be expressed.
 */
export async function findNearest(
  { call, vectorIndex, target, plan }: VectorSearch,
  restrictions: RestrictionPlan[],
  vectors: Float32Array[],
): Promise<Nearest[] | "lost" | null> {
  const filter = vectorFilterOf(target.restriction, restrictions);
  if (filter === "not expressible") return null;
  const space = { ragId: target.rag.id, generation: target.rag.generation };
  const options = { topK: plan.limitPerLeg, filter };
  const leg = { part: "vector index", kind: "vectorIndex", share: VECTOR_INDEX_SHARE } as const;
  const nearest = await runLeg(call, leg, () =>
    Promise.all(vectors.map((vector) => vectorIndex.query(space, vector, options))),
  );
  return nearest ?? "lost";
}

/**
 * The filter for the vector index; null: none. It supports folders only: any other restriction
 * cannot be expressed, and the index objects scan. Moved files are also searched by themselves, or
 * everywhere where they are many; the index objects drop the other files found there.
 */
function vectorFilterOf(
  { named: scopes, metadata, condition }: Restriction,
  plans: RestrictionPlan[],
): VectorFilter | null | "not expressible" {
  if (plans.length === 0) return null;
  if (plans.includes("exact")) return "not expressible";
  if (metadata.length > 0 || condition !== undefined) return "not expressible";
  // The nearest are mostly enough for a reader's files alone: others are dropped when read.
  if (scopes === null) return null;
  if (scopes.files.length > 0) return "not expressible";
  const folders = scopes.folders.map((folder) => trimEnd(folder, "/"));
  if (plans.includes("anywhere")) return null;
  const fileIds = plans.flatMap((plan) => (typeof plan === "string" ? [] : plan));
  return folders.includes("") ? null : { fileIds, folders: [...new Set(folders)] };
}

/**
 * Whether too much of what the vector index named is removed, moved or equal to something else.
 * Only equal ones in the way are no reason if the lexical leg has filled the answer: a text in
 * hundreds of files stays there, and each question about it would scan everything.
 */
export function isCrowded(
  { chunks, queries, isWhole, unsearched }: ShardsReply,
  searched: ShardSearch["queries"],
  { needed, threshold }: SearchPlan,
  isSingle: boolean,
): boolean {
  // What was cut short by time has no time for another search.
  if (!isWhole || unsearched > 0) return false;
  const count = Math.min(needed, MAX_WANTED);
  const passing = chunks.filter(
    (chunk) => threshold === null || (similarityOf(chunk) ?? 1) >= threshold,
  );
  const isFilled = passing.length >= count;
  const mayHoldMore = (floor: number) =>
    threshold === null || floor >= threshold - APPROXIMATION_MARGIN;
  return queries.some(({ vector, equal }, at) => {
    const floor = searched[at]?.nearest?.floor ?? null;
    if (floor === null || !mayHoldMore(floor)) return false;
    const live = vector.filter((score) => score >= floor).length;
    // Equal texts of different shards are only seen when they are read.
    return live + (isFilled ? equal : 0) < count || (!isSingle && chunks.length < count);
  });
}
