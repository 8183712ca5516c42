import type { ChunkId } from "../../core/ids.ts";
import type { FusionRule, LegScores } from "../../ports/rag-index.ts";
import type { Candidate } from "../../ports/vector-index.ts";

/** Candidates of the legs for one query, best first. */
export type QueryLegs = { lexical: Candidate[]; vector: Candidate[] };

/** Scores of a query's candidates, best first. */
export type LegLists = { lexical: number[]; vector: number[] };

export const listsOf = ({ lexical, vector }: QueryLegs): LegLists => ({
  lexical: lexical.map(({ score }) => score),
  vector: vector.map(({ score }) => score),
});

/** The range of one query's scores, which normalises them. */
export type Scale = { lexicalBest: number; vectorBest: number; vectorWorst: number };

/** One scale for all RAGs: a RAG's poor best passage must not score as well as a good one. */
export const scaleOf = (lists: LegLists[]): Scale => ({
  lexicalBest: Math.max(0, ...lists.flatMap(({ lexical }) => lexical[0] ?? [])),
  vectorBest: Math.max(-1, ...lists.flatMap(({ vector }) => vector[0] ?? [])),
  vectorWorst: Math.min(1, ...lists.flatMap(({ vector }) => vector.at(-1) ?? [])),
});

/** How the legs of one query are added in one RAG. */
export type Fusion = Scale & FusionRule;

/** If a whole leg is missing, the other one decides alone. */
export function fusionOf(own: LegLists, { mode, weight }: FusionRule, scale: Scale): Fusion {
  if (own.vector.length === 0 || mode === "keyword") return { ...scale, mode, weight: 0 };
  const isAlone = mode === "semantic" || own.lexical.length === 0;
  return { ...scale, mode, weight: isAlone ? 1 : weight };
}

/**
 * Convex combination of normalised scores (Bruch, Gai and Ingber 2023): BM25 by the best of the
 * query, cosine by its best and worst; a chunk that a leg did not find scores 0 there. Null: no leg
 * that counts found it.
 */
export function fuse({ lexical, vector }: LegScores, fusion: Fusion): number | null {
  const { weight, lexicalBest } = fusion;
  const byWords =
    lexical === null || weight === 1 || lexicalBest === 0
      ? null
      : ((1 - weight) * lexical) / lexicalBest;
  const byVector = vector === null || weight === 0 ? null : weight * cosineValue(vector, fusion);
  return byWords === null ? byVector : byWords + (byVector ?? 0);
}

/** Semantic order is the score itself, comparable over queries and RAGs; negative ones tie at 0. */
function cosineValue(score: number, { mode, vectorBest, vectorWorst }: Fusion): number {
  if (mode === "semantic") return Math.max(0, score);
  const spread = vectorBest - vectorWorst;
  return spread > 0 ? (score - vectorWorst) / spread : 1;
}

/** Several queries are followed by their joined text, which no result names. */
export const omitJoined = <Item>(ofQueries: Item[]): Item[] =>
  ofQueries.length > 1 ? ofQueries.slice(0, -1) : ofQueries;

/** So many of the best of a query are sought among so many of each other one's. */
const [BEST, AMONG] = [20, 100];
/** At most this share of the candidates: in a small RAG, any two queries find the same. */
const AMONG_SHARE = 0.2;
/** Queries with this share of common best are several questions; with that, one question. */
const [APART, RELATED] = [0.1, 0.3];

/**
 * How much several queries are parts or paraphrases of one question (1), not several ones (0): how
 * many of the best of each are good for the others as well, above what chance makes of it.
 * @param chunks each one's values by query
 * @param searched chunks that could have been candidates
 */
function relationOf(chunks: (number | null)[][], searched: number): number {
  if ((chunks[0]?.length ?? 0) < 2) return 0;
  const among = Math.ceil(Math.min(AMONG, AMONG_SHARE * chunks.length));
  const best = Math.ceil((among * BEST) / AMONG);
  const orders = omitJoined(chunks[0] ?? []).map((_, query) =>
    chunks
      .filter((values) => (values[query] ?? null) !== null)
      .sort((a, b) => (b[query] ?? 0) - (a[query] ?? 0))
      .slice(0, among),
  );
  const sets = orders.map((order) => new Set(order));
  const shares = orders.flatMap((order, query) =>
    sets
      .filter((_, place) => place !== query)
      .map((set) => order.slice(0, best).filter((chunk) => set.has(chunk)).length / best),
  );
  const share = shares.reduce((sum, value) => sum + value, 0) / Math.max(1, shares.length);
  const apart = Math.max(APART, among / searched);
  return Math.min(1, Math.max(0, (share - apart) / (RELATED - APART)));
}

/**
 * A chunk's value over several queries: the better they belong together, the more the joined text
 * decides, which says most about one question; among several questions the best of each.
 */
export function combineValues(values: (number | null)[], relation: number): number {
  const whole = values.at(-1) ?? 0;
  const best = Math.max(0, ...omitJoined(values).map((value) => value ?? 0));
  return values.length === 1 ? best : (1 - relation) * best + relation * whole;
}

/** `value` orders; `similarity` is the best cosine that the vector leg named, null if none. */
export type RankedId = {
  id: ChunkId;
  value: number;
  similarity: number | null;
  scores: LegScores[];
};

/**
 * All candidates of one index object, best first, and how much the queries belong together.
 * @param searched chunks that could have been candidates
 */
export function rankCandidates(
  queries: QueryLegs[],
  rule: FusionRule,
  searched: number,
): { ranked: RankedId[]; relation: number } {
  const fusions = queries.map((legs) => {
    const lists = listsOf(legs);
    return fusionOf(lists, rule, scaleOf([lists]));
  });
  const candidates = [...scoresById(queries)].flatMap(([id, scores]) => {
    const values = fusions.map((fusion, at) => fuse(scores[at] ?? NO_SCORES, fusion));
    const cosines = omitJoined(scores).flatMap(({ vector }) => vector ?? []);
    const similarity = cosines.length === 0 ? null : Math.max(...cosines);
    return values.every((value) => value === null) ? [] : [{ id, values, similarity, scores }];
  });
  // In semantic mode a query decides. The time may end before the joined text is searched.
  const isJoined =
    rule.mode !== "semantic" && candidates.some(({ values }) => values.at(-1) !== null);
  const relation = isJoined
    ? relationOf(
        candidates.map(({ values }) => values),
        searched,
      )
    : 0;
  const ranked = candidates
    .map(({ id, values, similarity, scores }) => {
      return { id, value: combineValues(values, relation), similarity, scores };
    })
    .sort((a, b) => b.value - a.value || (a.id < b.id ? -1 : 1));
  return { ranked, relation };
}

const NO_SCORES: LegScores = { lexical: null, vector: null };

function scoresById(queries: QueryLegs[]): Map<ChunkId, LegScores[]> {
  const scores = new Map<ChunkId, LegScores[]>();
  const noteScore = (leg: keyof LegScores, at: number, { id, score }: Candidate) => {
    const own = scores.get(id) ?? queries.map(() => NO_SCORES);
    own[at] = { ...(own[at] ?? NO_SCORES), [leg]: score };
    scores.set(id, own);
  };
  for (const [at, { lexical, vector }] of queries.entries()) {
    for (const candidate of lexical) noteScore("lexical", at, candidate);
    for (const candidate of vector) noteScore("vector", at, candidate);
  }
  return scores;
}

/** Read beyond those that are needed, where what is read of others decides the order. */
const SLACK = 16;
/** No call reads more: a few MiB of text. */
const MAX_READ = 1_500;

type Limits = {
  /** Chunks after the threshold. */
  needed: number;
  threshold: number | null;
  slack?: number;
};

/** A similarity from memory or from the vector index may be this far from the exact one. */
export const APPROXIMATION_MARGIN = 0.02;

/**
 * Selects the candidates to read, best first, with ties at the end, whose order path and position
 * decide. A threshold adds those that may pass it until enough do, and takes none away: what is
 * read without it decides the order of what passes.
 * @param queries have the similarity up to which a query may name no chunk.
 */
export function chooseCandidates(
  ranked: RankedId[],
  queries: Pick<QueryLegs, "vector">[],
  { needed, threshold, slack = SLACK }: Limits,
): RankedId[] {
  const count = needed + slack;
  const end = endOf(ranked, count, () => true);
  if (threshold === null) return ranked.slice(0, end);
  const unnamed = Math.max(...queries.map(({ vector }) => vector.at(-1)?.score ?? -1));
  const mayPass = ({ similarity }: RankedId) =>
    similarity === null || Math.max(similarity, unnamed) >= threshold - APPROXIMATION_MARGIN;
  const isPassing = ({ similarity }: RankedId) =>
    similarity !== null && similarity >= threshold + APPROXIMATION_MARGIN;
  const worth = [...ranked.slice(0, end), ...ranked.slice(end).filter(mayPass)];
  return worth.slice(0, Math.max(end, endOf(worth, count, isPassing)));
}

function endOf(ranked: RankedId[], count: number, counts: (id: RankedId) => boolean): number {
  let matches = 0;
  for (const [at, candidate] of ranked.entries()) {
    if (at === MAX_READ) return at;
    if (matches >= count && candidate.value !== ranked[at - 1]?.value) return at;
    if (counts(candidate)) matches += 1;
  }
  return ranked.length;
}
