import type { BitSet } from "../../core/bit-set.ts";
import type { ChunkId } from "../../core/ids.ts";
import { runToEnd, type CooperativeWork } from "../../core/work/cooperative.ts";
import type {
  ChunkOrigin,
  BestWanted,
  HydrateRequest,
  Hydration,
  QueryCandidates,
  Restriction,
  RestrictionPlan,
  SearchReply,
  SearchRequest,
} from "../../ports/rag-index.ts";
import { KeptChunkTable } from "../memory/chunk-table.ts";
import { excludedChunks } from "../write/scopes.ts";
import { KeptFileTable } from "../memory/file-table.ts";
import { rowsOf, readTotals } from "../tables.ts";
import type { IndexChange } from "../write/write-context.ts";
import { Eligibility, isRestricted, resolveRestriction } from "./eligibility.ts";
import {
  chooseCandidates,
  findsAmong,
  fuseQuery,
  MAX_HYDRATED,
  rankFused,
  scaleOf,
} from "./fuse.ts";
import { hydrateChunks, readChunks } from "./hydration.ts";
import { searchWords } from "./lexical-leg.ts";
import { ranksIn, WordScores } from "./word-scores.ts";
import type { TermCounts } from "../write/term-counts.ts";
import { hasInFlight } from "../vectors/in-flight-vectors.ts";
import { elsewhereOf } from "../vectors/vector-folders.ts";
import type { VectorLeg } from "./vector-leg.ts";

/** Up to this many eligible vectors, a restricted search scans all of them. */
export const EXACT_SCAN_LIMIT_CHUNKS = 30_000;

/** Up to this many eligible chunks, or this share, their rows are read; above, those of all. */
const FEW_CHUNKS = 2_000;
const FEW_CHUNKS_SHARE = 0.1;

/** Up to this many, searched here if most of the vector index's results are removed (up to 2 s). */
const DEEP_SCAN_LIMIT_CHUNKS = 120_000;
/** Restrictions that are kept, as of different readers; 60 KB each in a full shard. */
const MAX_RESOLVED = 8;
/** Each query is compared with each chunk. */
const DEEP_SCAN_LIMIT_COSINES = 300_000;

type SearchParts = { termCounts: TermCounts; vectorLeg: VectorLeg; postingsLimit: number };

export class Search {
  readonly #sql: SqlStorage;
  readonly #termCounts: TermCounts;
  readonly #vectorLeg: VectorLeg;
  readonly #postingsLimit: number;
  readonly #wordScores: WordScores;
  readonly #chunkTable: KeptChunkTable;
  readonly #fileTable: KeptFileTable;
  /** The last resolved restrictions: hydration uses one right after the candidates. */
  readonly #resolved = new Map<string, Eligibility>();

  constructor(sql: SqlStorage, { termCounts, vectorLeg, postingsLimit }: SearchParts) {
    this.#sql = sql;
    this.#postingsLimit = postingsLimit;
    this.#termCounts = termCounts;
    this.#vectorLeg = vectorLeg;
    this.#wordScores = new WordScores(ranksIn(sql));
    this.#chunkTable = new KeptChunkTable(sql);
    this.#fileTable = new KeptFileTable(sql);
  }

  forgetRestriction(): void {
    this.#resolved.clear();
  }

  follow(change: IndexChange): void {
    this.#chunkTable.follow(change);
    this.#fileTable.follow(change.files);
  }

  /** After a failed write, memory may be ahead of storage. */
  forget(): void {
    this.#chunkTable.forget();
    this.#fileTable.forget();
    this.forgetScores();
  }

  /** Called when words were given to the index, or taken from it. */
  forgetScores(): void {
    this.#wordScores.forget();
  }

  /** A step a query, until `isOver`. If chunks were deleted between, searches again in one step. */
  *search(request: SearchRequest, isOver: IsOver): CooperativeWork<SearchReply> {
    const { read: reader } = request;
    const matches = yield* this.#candidates(request, isOver);
    if (reader === undefined) return matches;
    if (reader.kind === "best") {
      const best = this.#withBest(request, reader, matches);
      if (!best.isStale) return best.reply;
      const retry = runToEnd(this.#candidates(request, isOver));
      return this.#withBest(request, reader, retry).reply;
    }
    const queryVectors = request.queries.map(({ vector }) => vector);
    const ids = [...new Set([...reader.ids, ...idsIn(matches)])];
    // A reply has a limit: texts of ten queries' candidates fill most of it.
    const withVectors = reader.withVectors && ids.length <= MAX_HYDRATED;
    const { chunks } = this.hydrate({ ...request, ids, queryVectors, withVectors });
    return { ...matches, chunks };
  }

  *#candidates(request: SearchRequest, isOver: IsOver): CooperativeWork<SearchReply> {
    const { queries, restriction, includeDuplicates, limitPerLeg: limit, lexical } = request;
    const { mergedWith = null } = request;
    const eligibility = this.#eligibility(restriction, includeDuplicates);
    const plan = planOf(this.#sql, request, eligibility);
    const vectors = queries.map(({ vector }) => vector);
    const scanned = scansAll(request, plan, eligibility);
    const among = scanned ? "all" : "in-flight";
    const nearest = this.#vectorLeg.searcher(vectors, eligibility, { limit, among });
    const queryCandidates: QueryCandidates[] = [];
    for (const [at, { text }] of queries.entries()) {
      // A reply with chunks is one of one moment.
      if (at > 0 && request.read?.kind !== "all") {
        yield 1;
        if (isOver()) break;
      }
      const forMerge = mergedWith !== null;
      const words = lexical ? this.#words(eligibility, { query: text, limit, forMerge }) : NO_WORDS;
      queryCandidates.push({ vector: nearest(at), ...words });
    }
    const unsearched = queries.length - queryCandidates.length;
    for (let at = 0; at < unsearched; at++) queryCandidates.push({ vector: [], ...NO_WORDS });
    const reply: SearchReply = {
      plan,
      scanned,
      hasInFlight: hasInFlight(this.#sql),
      queries: queryCandidates,
      unsearched,
      chunks: [],
    };
    if (mergedWith !== "shards" || includeDuplicates) return reply;
    return { ...reply, origins: originsOf(this.#sql, idsIn(reply)) };
  }

  #words(eligibility: Eligibility, query: { query: string; limit: number; forMerge: boolean }) {
    const nameOf = (chunk: number) => this.#vectorLeg.named(chunk);
    const wordScores = this.#wordScores;
    const search = { ...query, named: nameOf, wordScores, postingsLimit: this.#postingsLimit };
    return searchWords(this.#sql, this.#termCounts, eligibility, search);
  }

  hydrate(request: HydrateRequest): Hydration {
    const eligibility = this.#eligibility(request.restriction, request.includeDuplicates);
    return hydrateChunks(this.#sql, eligibility, request);
  }

  /** Only where similarities decide, some more are read: those in memory are rounded. */
  #withBest(
    request: SearchRequest,
    { rule, needed, threshold, withCandidates, withFinds, withVectors }: BestWanted,
    answer: SearchReply,
  ): { reply: SearchReply; isStale: boolean } {
    const { queries } = answer;
    const fused = queries.map((legs) => fuseQuery(legs, rule, scaleOf([legs])));
    const ranked = rankFused(queries, fused);
    const { ids } = chooseCandidates(ranked, queries, {
      needed,
      threshold,
      ...(rule.mode === "semantic" || threshold !== null ? {} : { slack: 0 }),
    });
    const queryVectors = request.queries.map(({ vector }) => vector);
    const chunks = readChunks(this.#sql, ids, queryVectors, withVectors);
    const chunkIds = chunks.map(({ id }) => id);
    const valueOf = new Map(ranked.map(({ id, value }) => [id, value]));
    const best = {
      values: chunkIds.map((id) => valueOf.get(id) ?? 0),
      candidateCount: ranked.length,
      finds: withFinds
        ? queries.map((legs, at) => findsAmong(chunkIds, legs, fused[at] ?? NONE))
        : [],
    };
    const reply = { ...answer, queries: withCandidates ? queries : [], chunks, best };
    return { reply, isStale: chunks.length < ids.length };
  }

  #eligibility(restriction: Restriction, includeDuplicates: boolean): Eligibility {
    const key = JSON.stringify([restriction, includeDuplicates]);
    const cached = this.#resolved.get(key);
    if (cached !== undefined) return cached;
    const within = resolveRestriction(this.#sql, restriction, this.#fileTable);
    const { chunks } = readTotals(this.#sql);
    const few = Math.max(FEW_CHUNKS, FEW_CHUNKS_SHARE * chunks);
    const chunksOf = (files: BitSet, withDuplicates: boolean) => {
      const table = this.#chunkTable.read(within.chunkCount <= few ? files : null);
      return table.within(files, withDuplicates);
    };
    const excluded = excludedChunks(this.#sql);
    const eligibility = new Eligibility(within, includeDuplicates, chunksOf, excluded);
    for (const oldest of this.#resolved.keys()) {
      if (this.#resolved.size < MAX_RESOLVED) break;
      this.#resolved.delete(oldest);
    }
    this.#resolved.set(key, eligibility);
    return eligibility;
  }
}

const NONE: ReadonlyMap<ChunkId, number> = new Map();

const NO_WORDS = { lexical: [] };

type IsOver = () => boolean;

const idsIn = ({ queries }: SearchReply): ChunkId[] =>
  queries.flatMap(({ lexical, vector }) => [...lexical, ...vector].map(({ id }) => id));

function scansAll(
  { scan, queries }: SearchRequest,
  { kind }: RestrictionPlan,
  { chunkCount }: Eligibility,
): boolean {
  if (kind === "exact" || scan === "all" || scan === undefined) return true;
  if (scan !== "deep" || chunkCount > DEEP_SCAN_LIMIT_CHUNKS) return false;
  return chunkCount * queries.length <= DEEP_SCAN_LIMIT_COSINES;
}

function planOf(
  sql: SqlStorage,
  { restriction, scan, queries, exactLimit = EXACT_SCAN_LIMIT_CHUNKS }: SearchRequest,
  { chunkCount, files }: Eligibility,
): RestrictionPlan {
  if (!isRestricted(restriction)) return { kind: "none" };
  const scansAnyway =
    scan !== "in-flight" && scan !== "deep" && queries.every(({ vector }) => vector !== null);
  if (scansAnyway || chunkCount <= exactLimit) return { kind: "exact" };
  return { kind: "filtered", chunkCount, elsewhere: elsewhereOf(sql, restriction, files) };
}

/** Tells which of equal chunks in several shards came first. */
function originsOf(sql: SqlStorage, ids: ChunkId[]): ChunkOrigin[] {
  return rowsOf<ChunkOrigin>(sql)`
    SELECT c.id, c.duplicate_key AS duplicateKey, f.id AS fileId, c.position
    FROM json_each(${[...new Set(ids)]}) wanted CROSS JOIN chunks c ON c.id = wanted.value
    JOIN files f ON f.file = c.file`;
}
