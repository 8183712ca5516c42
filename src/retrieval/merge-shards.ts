import { bm25Scorer } from "../text/bm25.ts";
import type { CorpusSize, TermStatistics } from "../text/bm25.ts";
import type { ChunkId } from "../core/ids.ts";
import type {
  Candidate,
  CandidatesReply,
  ChunkOrigin,
  HydratedChunk,
  QueryCandidates,
} from "../ports/rag-index.ts";
import type { QueryLegs } from "../rag-index/search/fuse.ts";

/** Null: the shard failed, and its part of the answer is missing. */
type Reply = CandidatesReply | null;

export type MergedShards = {
  /** In the order of the queries. */
  queries: QueryLegs[];
  /** Which shard holds what. */
  shardOf: Map<ChunkId, number>;
};

/**
 * Merges the shards of one RAG as if they were a single index: BM25 is computed from the
 * statistics of all shards together, and of duplicate chunks the earliest is kept.
 */
export function mergeShards(
  replies: Reply[],
  { queryCount, limitPerLeg }: { queryCount: number; limitPerLeg: number },
): MergedShards {
  const later = laterOfEquals(replies.flatMap((reply) => reply?.origins ?? []));
  const best = (lists: Candidate[][]) =>
    bestFirst(lists.flat().filter(({ id }) => !later.has(id))).slice(0, limitPerLeg);
  const queries = Array.from({ length: queryCount }, (_, at) => {
    const parts = replies.map((reply) => reply?.queries[at] ?? NOTHING);
    const vector = best(parts.map((part) => part.vector));
    return { lexical: best(lexicalScores(parts)), vector };
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

/** Of two lists of one query; a chunk that both name keeps its score of the first. */
export function mergeCandidates(first: Candidate[], second: Candidate[]): Candidate[] {
  const named = new Set(first.map(({ id }) => id));
  return bestFirst([...first, ...second.filter(({ id }) => !named.has(id))]);
}

/** Scores that compare over the shards; a single shard's do already. */
function lexicalScores(parts: QueryCandidates[]): Candidate[][] {
  if (parts.length === 1) return parts.map(({ lexical }) => lexical);
  const { terms, corpus } = wholeOf(parts);
  const scoreOf = bm25Scorer(terms, corpus);
  return parts.map(({ lexical, statistics }) => {
    const places = new Map(statistics?.terms.map(({ word }, at) => [word, at]));
    const order = terms.map(({ word }) => places.get(word));
    return lexical.map((candidate) => {
      const { id, match } = candidate;
      if (match === undefined) return candidate;
      const counts = order.map((at) => (at === undefined ? 0 : (match.counts[at] ?? 0)));
      return { id, score: scoreOf({ counts, length: match.length }) };
    });
  });
}

/** The statistics of all shards together, as a single index would have them. */
function wholeOf(parts: QueryCandidates[]) {
  const corpus: CorpusSize = { chunks: 0, words: 0 };
  const terms = new Map<string, TermStatistics>();
  for (const { statistics } of parts) {
    corpus.chunks += statistics?.corpus.chunks ?? 0;
    corpus.words += statistics?.corpus.words ?? 0;
    for (const { word, chunks, times } of statistics?.terms ?? []) {
      const known = terms.get(word) ?? { word, chunks: 0, times: 0 };
      known.chunks += chunks;
      known.times = Math.max(known.times, times);
      terms.set(word, known);
    }
  }
  return { terms: [...terms.values()], corpus };
}

type Origin = Omit<ChunkOrigin, "id">;

/** File ids grow with time, so that the original is that of the file that came first. */
function comesBefore(one: Origin, other: Origin): boolean {
  if (one.fileId !== other.fileId) return one.fileId < other.fileId;
  return one.position < other.position;
}

/** Of chunks with equal texts all but the original. */
function laterOfEquals(origins: ChunkOrigin[]): Set<ChunkId> {
  const first = new Map<string, ChunkOrigin>();
  const later = new Set<ChunkId>();
  for (const origin of origins) {
    const known = first.get(origin.duplicateKey);
    if (known?.id === origin.id) continue;
    const isFirst = known === undefined || comesBefore(origin, known);
    if (isFirst) first.set(origin.duplicateKey, origin);
    if (known !== undefined) later.add(isFirst ? known.id : origin.id);
  }
  return later;
}

/** The same for chunks of several shards that were read: a vector index does not tell equal ones. */
export function withoutLaterEquals(chunks: HydratedChunk[]): HydratedChunk[] {
  const later = laterOfEquals(
    chunks.map(({ id, duplicateKey, position, file: { fileId } }) => {
      return { id, duplicateKey, position, fileId };
    }),
  );
  return later.size === 0 ? chunks : chunks.filter(({ id }) => !later.has(id));
}
