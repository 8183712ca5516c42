import { bm25Scorer, type CorpusSize, type TermStatistics } from "../text/bm25.ts";
import type { ChunkId } from "../core/ids.ts";
import type {
  Candidate,
  ChunkOrigin,
  HydratedChunk,
  QueryCandidates,
  SearchReply,
} from "../ports/rag-index.ts";

/** Null: the shard failed, and its part of the answer is missing. */
type Reply = SearchReply | null;

export type MergedShards = {
  /** In the order of the queries. */
  queries: QueryCandidates[];
  shardOf: Map<ChunkId, number>;
};

/** Merges the shards of one RAG as one index: common statistics, and the earliest of duplicates. */
export function mergeShards(
  replies: Reply[],
  { queryCount, limitPerLeg }: { queryCount: number; limitPerLeg: number },
): MergedShards {
  const later = laterOfEquals(replies.flatMap((reply) => reply?.origins ?? []));
  const best = (lists: Candidate[][]) =>
    bestFirst(lists.flat().filter(({ id }) => !later.has(id))).slice(0, limitPerLeg);
  const queries = Array.from({ length: queryCount }, (_, at) => {
    const parts = onOneScale(replies.map((reply) => reply?.queries[at] ?? NOTHING));
    const [{ statistics } = NOTHING] = parts;
    const lexical = best(parts.map((part) => part.lexical));
    const vector = best(parts.map((part) => part.vector));
    return { lexical, vector, statistics };
  });
  const shardOf = new Map(
    replies.flatMap((reply, shard) =>
      (reply?.queries ?? []).flatMap(({ lexical, vector }) =>
        [...lexical, ...vector].map(({ id }) => [id, shard] as const),
      ),
    ),
  );
  return { queries, shardOf };
}

const NOTHING: QueryCandidates = { lexical: [], vector: [] };

const bestFirst = (candidates: Candidate[]) =>
  candidates.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));

/** Merges two lists of one query; a chunk that both name keeps its score of the first. */
export function mergeCandidates(first: Candidate[], second: Candidate[]): Candidate[] {
  const firstIds = new Set(first.map(({ id }) => id));
  return bestFirst([...first, ...second.filter(({ id }) => !firstIds.has(id))]);
}

/** Scores the words of one query's findings in shards or RAGs as in one index of all of them. */
function onOneScale(parts: QueryCandidates[]): QueryCandidates[] {
  if (parts.length === 1) return parts;
  const whole = wholeOf(parts);
  return parts.map((part) => rescored(part, whole));
}

/** Puts each query's findings of several RAGs on one scale. */
export function withOneScale<Findings extends { queries: QueryCandidates[] }>(
  findings: Findings[],
): Findings[] {
  const scored = (findings[0]?.queries ?? []).map((_, at) =>
    onOneScale(findings.map(({ queries }) => queries[at] ?? NOTHING)),
  );
  return findings.map((finding, rag) => ({
    ...finding,
    queries: scored.map((parts) => parts[rag] ?? NOTHING),
  }));
}

/** With the statistics of a larger whole; without any, as they are. */
export function rescored(part: QueryCandidates, whole: Statistics | undefined): QueryCandidates {
  if (whole === undefined || part.statistics === undefined) return part;
  const { terms, corpus } = whole;
  const scoreOf = bm25Scorer(terms, corpus);
  const places = new Map(part.statistics.terms.map(({ word }, at) => [word, at]));
  const order = terms.map(({ word }) => places.get(word));
  const lexical = part.lexical.map((candidate) => {
    if (candidate.match === undefined) return candidate;
    const { counts: own, length } = candidate.match;
    const match = { counts: order.map((at) => (at === undefined ? 0 : (own[at] ?? 0))), length };
    return { id: candidate.id, score: scoreOf(match), match };
  });
  return { ...part, lexical: bestFirst(lexical), statistics: whole };
}

/** The statistics of all parts together, as a single index would have them. */
function wholeOf(parts: QueryCandidates[]): Statistics {
  const corpus: CorpusSize = { chunks: 0, words: 0 };
  const terms = new Map<string, TermStatistics>();
  for (const { statistics } of parts) {
    corpus.chunks += statistics?.corpus.chunks ?? 0;
    corpus.words += statistics?.corpus.words ?? 0;
    for (const { word, chunks, times } of statistics?.terms ?? []) {
      const counts = terms.get(word) ?? { word, chunks: 0, times: 0 };
      counts.chunks += chunks;
      counts.times = Math.max(counts.times, times);
      terms.set(word, counts);
    }
  }
  return { terms: [...terms.values()], corpus };
}

type Statistics = NonNullable<QueryCandidates["statistics"]>;

type Origin = Omit<ChunkOrigin, "id">;

/** File ids grow with time, so that the original is that of the file that came first. */
function comesBefore(a: Origin, b: Origin): boolean {
  if (a.fileId !== b.fileId) return a.fileId < b.fileId;
  return a.position < b.position;
}

/** All chunks with equal texts but the original. */
function laterOfEquals(origins: ChunkOrigin[]): Set<ChunkId> {
  const first = new Map<string, ChunkOrigin>();
  const later = new Set<ChunkId>();
  for (const origin of origins) {
    const earlier = first.get(origin.duplicateKey);
    if (earlier?.id === origin.id) continue;
    const isFirst = earlier === undefined || comesBefore(origin, earlier);
    if (isFirst) first.set(origin.duplicateKey, origin);
    if (earlier !== undefined) later.add(isFirst ? earlier.id : origin.id);
  }
  return later;
}

/** Removes chunks of several shards that equal another: a vector index does not tell equal ones. */
export function withoutLaterEquals(chunks: HydratedChunk[]): HydratedChunk[] {
  const later = laterOfEquals(
    chunks.map(({ id, duplicateKey, position, file: { fileId } }) => {
      return { id, duplicateKey, position, fileId };
    }),
  );
  return later.size === 0 ? chunks : chunks.filter(({ id }) => !later.has(id));
}
