import type { ChunkId } from "../core/ids.ts";
import type {
  HydratedChunk,
  LegScores,
  QueryScores,
  SearchReply,
  SearchRequest,
  WordStatistics,
} from "../ports/rag-index.ts";
import type { LegLists } from "../rag-index/search/fuse.ts";
import { bm25Scorer, type CorpusSize, type TermStatistics } from "../text/bm25.ts";
import { indexedWordsOf } from "../text/indexed-words.ts";

type ScoresOf = Map<HydratedChunk, LegScores[]>;

/** The replies of one RAG's shards as the reply of one index: words count as in all of them. */
export function mergeShards(
  replies: SearchReply[],
  { queries, limitPerLeg: limit, includeDuplicates }: SearchRequest,
): SearchReply {
  const [first] = replies;
  if (first !== undefined && replies.length === 1) return first;
  const parts = queries.map((_, at) => replies.flatMap(({ queries }) => queries[at] ?? []));
  const statistics = parts.map((scores) =>
    sumStatistics(scores.flatMap((part) => part.statistics ?? [])),
  );
  const wordsOf = wordScorer(statistics);
  const all = replies.flatMap(({ chunks }) => chunks);
  const scoresOf = new Map(all.map((chunk) => [chunk, rescoreWords(chunk.scores, wordsOf(chunk))]));
  const merged = parts.map((scores, at): QueryScores => {
    const scoresOfLeg = (leg: keyof LegScores) => {
      const unread = replies.flatMap((reply) => unreadScores(reply, { at, leg, scoresOf }));
      const read = [...scoresOf.values()].flatMap((chunkScores) => chunkScores[at]?.[leg] ?? []);
      return [...unread, ...read].sort((a, b) => b - a).slice(0, limit);
    };
    const equal = sumOf(scores, (part) => part.equal);
    return {
      lexical: scoresOfLeg("lexical"),
      vector: scoresOfLeg("vector"),
      equal,
      statistics: statistics[at],
    };
  });
  const chunks = includeDuplicates ? all : removeLaterDuplicates(all);
  for (const chunk of chunks) {
    chunk.scores = dropBeyondLimit(scoresOf.get(chunk) ?? [], merged, limit);
  }
  return {
    chunks,
    queries: merged,
    relation: meanRelation(replies),
    candidates: sumOf(replies, ({ candidates }) => candidates),
    unsearched: Math.max(0, ...replies.map(({ unsearched }) => unsearched)),
    scanned: replies.every(({ scanned }) => scanned),
  };
}

/**
 * The scores of a shard's chunks that were not read. Their words count as in that shard alone: they
 * are put on the scale of all by its best chunk, which was read.
 */
function unreadScores(
  { chunks, queries }: SearchReply,
  { at, leg, scoresOf }: { at: number; leg: keyof LegScores; scoresOf: ScoresOf },
): number[] {
  const list = queries[at]?.[leg] ?? [];
  const [best = 0] = list;
  const readHere = new Set(chunks.map(({ scores }) => scores[at]?.[leg] ?? null));
  const head = chunks.find(({ scores }) => scores[at]?.[leg] === best);
  const bestOfAll = (head && scoresOf.get(head)?.[at]?.[leg]) ?? best;
  const factor = leg === "lexical" && best > 0 ? bestOfAll / best : 1;
  return list.filter((score) => !readHere.has(score)).map((score) => score * factor);
}

const sumOf = <Item>(items: Item[], numberOf: (item: Item) => number) =>
  items.reduce((sum, item) => sum + numberOf(item), 0);

/** One relation of the queries for all that was searched. */
export const meanRelation = (parts: Pick<SearchReply, "relation" | "candidates">[]): number =>
  sumOf(parts, ({ relation, candidates }) => relation * candidates) /
  Math.max(
    1,
    sumOf(parts, ({ candidates }) => candidates),
  );

const rescoreWords = (scores: LegScores[], words: number[]): LegScores[] =>
  scores.map(({ lexical, vector }, at) => ({
    lexical: lexical === null ? null : (words[at] ?? lexical),
    vector,
  }));

/** One index would not have had more candidates than its limit. */
function dropBeyondLimit(scores: LegScores[], queries: LegLists[], limit: number): LegScores[] {
  const keepWithinLimit = (score: number | null, list: number[] = []) =>
    score === null || (list.length === limit && score < (list.at(-1) ?? 0)) ? null : score;
  return scores.map(({ lexical, vector }, at) => ({
    lexical: keepWithinLimit(lexical, queries[at]?.lexical),
    vector: keepWithinLimit(vector, queries[at]?.vector),
  }));
}

/** BM25 of a chunk for each query, by its text. */
export function wordScorer(
  statistics: (WordStatistics | undefined)[],
): (chunk: HydratedChunk) => number[] {
  const scorers = statistics.map((whole) =>
    whole === undefined ? () => 0 : bm25Scorer(whole.terms, whole.corpus),
  );
  return (chunk) => {
    const words = indexedWordsOf(chunk);
    return scorers.map((scoreOf) => scoreOf(words));
  };
}

/** The statistics of all parts together, as a single index would have them; undefined: of none. */
export function sumStatistics(parts: WordStatistics[]): WordStatistics | undefined {
  if (parts.length === 0) return undefined;
  const corpus: CorpusSize = {
    chunks: sumOf(parts, ({ corpus }) => corpus.chunks),
    words: sumOf(parts, ({ corpus }) => corpus.words),
  };
  const terms = new Map<string, TermStatistics>();
  for (const { word, chunks, times } of parts.flatMap(({ terms }) => terms)) {
    const before = terms.get(word) ?? { word, chunks: 0, times: 0 };
    terms.set(word, {
      word,
      chunks: before.chunks + chunks,
      times: Math.max(before.times, times),
    });
  }
  return { terms: [...terms.values()], corpus };
}

/** Each shard shows its own equal chunks once; this removes those between shards. */
function removeLaterDuplicates(chunks: HydratedChunk[]): HydratedChunk[] {
  const first = new Map<string, HydratedChunk>();
  for (const chunk of chunks) {
    const earlier = first.get(chunk.duplicateKey);
    if (earlier === undefined || isEarlier(chunk, earlier)) first.set(chunk.duplicateKey, chunk);
  }
  const ids = new Set<ChunkId>(Array.from(first.values(), ({ id }) => id));
  return chunks.filter(({ id }) => ids.has(id));
}

/** File ids grow with time, so that the original is that of the file that came first. */
function isEarlier(a: HydratedChunk, b: HydratedChunk): boolean {
  if (a.file.fileId !== b.file.fileId) return a.file.fileId < b.file.fileId;
  return a.position < b.position;
}
