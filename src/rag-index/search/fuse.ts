import type { ChunkId } from "../../core/ids.ts";
import type { Candidate, Find, FusionRule } from "../../ports/rag-index.ts";

/** Candidates of the legs for one query in one RAG, best first. */
export type QueryLegs = { lexical: Candidate[]; vector: Candidate[] };

/** Ids of all candidates of the legs. */
export const idsOf = (legs: QueryLegs | undefined): Set<ChunkId> =>
  new Set([...(legs?.lexical ?? []), ...(legs?.vector ?? [])].map(({ id }) => id));

/** The range of one query's scores, which normalises them. */
export type Scale = { lexicalBest: number; vectorBest: number; vectorWorst: number };

/** `value` orders; `similarity` is the best cosine that the vector leg told, null if none. */
export type RankedId = { id: ChunkId; value: number; similarity: number | null };

/** One scale for all RAGs: a RAG's poor best passage must not score as well as a good one. */
export function scaleOf(legs: QueryLegs[]): Scale {
  const scale = { lexicalBest: 0, vectorBest: -1, vectorWorst: 1 };
  for (const { lexical, vector } of legs) {
    for (const { score } of lexical) scale.lexicalBest = Math.max(scale.lexicalBest, score);
    for (const { score } of vector) {
      scale.vectorBest = Math.max(scale.vectorBest, score);
      scale.vectorWorst = Math.min(scale.vectorWorst, score);
    }
  }
  return scale;
}

/**
 * Convex combination of normalised scores (Bruch, Gai and Ingber 2023): BM25 by the best of the
 * query, cosine by its best and worst; a chunk that a leg did not find scores 0 there. If a whole
 * leg is missing, the other one decides alone.
 */
export function fuseQuery(legs: QueryLegs, rule: FusionRule, scale: Scale): Map<ChunkId, number> {
  const weight = weightOf(legs, rule);
  const fused = new Map<ChunkId, number>();
  const add = (id: ChunkId, value: number) => fused.set(id, (fused.get(id) ?? 0) + value);
  if (weight < 1 && scale.lexicalBest > 0) {
    for (const { id, score } of legs.lexical) add(id, ((1 - weight) * score) / scale.lexicalBest);
  }
  if (weight > 0) {
    for (const { id, score } of legs.vector) add(id, weight * cosineValue(score, rule, scale));
  }
  return fused;
}

function weightOf({ lexical, vector }: QueryLegs, rule: FusionRule): number {
  if (vector.length === 0 || rule.mode === "keyword") return 0;
  if (rule.mode === "semantic" || lexical.length === 0) return 1;
  return rule.weight;
}

/** Semantic order is the score itself, comparable over queries and RAGs; negative ones tie at 0. */
function cosineValue(score: number, rule: FusionRule, scale: Scale): number {
  if (rule.mode === "semantic") return Math.max(0, score);
  const spread = scale.vectorBest - scale.vectorWorst;
  return spread > 0 ? (score - scale.vectorWorst) / spread : 1;
}

/** A query's scores of some of its candidates, on its own scale; `fused` considers all of them. */
export function findsAmong(
  ids: Iterable<ChunkId>,
  { lexical }: QueryLegs,
  fused: ReadonlyMap<ChunkId, number>,
): Map<ChunkId, Find> {
  const finds = new Map<ChunkId, Find>();
  for (const id of ids) {
    const value = fused.get(id);
    if (value !== undefined) finds.set(id, { fused: value, lexical: 0 });
  }
  for (const { id, score } of lexical) {
    const find = finds.get(id);
    if (find !== undefined) find.lexical = score;
  }
  return finds;
}

/** A query's scores of all its candidates. */
export function findsOf(legs: QueryLegs, rule: FusionRule, scale: Scale): Map<ChunkId, Find> {
  const fused = fuseQuery(legs, rule, scale);
  return findsAmong(fused.keys(), legs, fused);
}

/** All candidates of one RAG, best first. */
export function rankCandidates(
  queries: QueryLegs[],
  rule: FusionRule,
  scales: Scale[],
): RankedId[] {
  const fused = queries.map((legs, at) => fuseQuery(legs, rule, scales[at] ?? scaleOf([legs])));
  return rankFused(queries, fused);
}

/**
 * A chunk's value over several queries: the root of the sum of squares. A chunk that fits all parts
 * of a question goes before one that fits a part; a good fit of one part, before a bad fit of all.
 */
export const together = (values: number[]): number => Math.hypot(...values);

/** @param fused of each query */
export function rankFused(queries: QueryLegs[], fused: ReadonlyMap<ChunkId, number>[]): RankedId[] {
  const ranked = new Map<ChunkId, RankedId>();
  queries.forEach((legs, at) => {
    for (const [id, value] of fused[at] ?? []) {
      const entry = ranked.get(id);
      if (entry === undefined) ranked.set(id, { id, value, similarity: null });
      else entry.value = together([entry.value, value]);
    }
    for (const { id, score } of legs.vector) {
      const entry = ranked.get(id);
      if (entry !== undefined) entry.similarity = Math.max(entry.similarity ?? -1, score);
    }
  });
  return [...ranked.values()].sort((a, b) => b.value - a.value || (a.id < b.id ? -1 : 1));
}

/** Unless nothing can be deleted in between. */
const SLACK = 16;
/** No call hydrates more: a few MiB of text. */
export const MAX_HYDRATED = 1_500;

type Wanted = {
  /** Chunks after the threshold. */
  needed: number;
  threshold: number | null;
  /** Extra candidates, for chunks that are deleted before they are hydrated. */
  slack?: number;
};

/** `rest`: others that may pass the threshold. */
export type Choice = { ids: ChunkId[]; rest: RankedId[] };

/** A similarity from memory or from the vector index may be this far from the exact one. */
export const APPROXIMATION_MARGIN = 0.02;

/**
 * Selects the candidates to hydrate, best first, with ties at the end, whose order path and
 * position decide. A threshold adds those that may pass it until enough do, and takes none away:
 * what is read without it decides the order of what passes.
 * @param queries tell up to which similarity a query may name no chunk.
 */
export function chooseCandidates(
  ranked: RankedId[],
  queries: Pick<QueryLegs, "vector">[],
  { needed, threshold, slack = SLACK }: Wanted,
): Choice {
  const count = needed + slack;
  const end = endOf(ranked, count, () => true);
  if (threshold === null) return choiceOf(ranked, end);
  const unnamed = Math.max(...queries.map(({ vector }) => vector.at(-1)?.score ?? -1));
  const mayPass = ({ similarity }: RankedId) =>
    similarity === null || Math.max(similarity, unnamed) >= threshold - APPROXIMATION_MARGIN;
  const passes = ({ similarity }: RankedId) =>
    similarity !== null && similarity >= threshold + APPROXIMATION_MARGIN;
  const worth = [...ranked.slice(0, end), ...ranked.slice(end).filter(mayPass)];
  return choiceOf(worth, Math.max(end, endOf(worth, count, passes)));
}

const choiceOf = (ranked: RankedId[], end: number): Choice => ({
  ids: ranked.slice(0, end).map(({ id }) => id),
  rest: ranked.slice(end),
});

function endOf(ranked: RankedId[], count: number, counts: (one: RankedId) => boolean): number {
  let matches = 0;
  for (const [at, candidate] of ranked.entries()) {
    if (at === MAX_HYDRATED) return at;
    if (matches >= count && candidate.value !== ranked[at - 1]?.value) return at;
    if (counts(candidate)) matches += 1;
  }
  return ranked.length;
}
