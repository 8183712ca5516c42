import type { BitSet } from "../../core/bit-set.ts";
import type { ChunkId } from "../../core/ids.ts";
import { runToEnd, type CooperativeWork } from "../../core/work/cooperative.ts";
import type {
  QueryScores,
  Restriction,
  RestrictionPlan,
  SearchReply,
  SearchRequest,
} from "../../ports/rag-index.ts";
import type { Candidate } from "../../ports/vector-index.ts";
import { KeptChunkTable } from "../memory/chunk-table.ts";
import { KeptFileTable } from "../memory/file-table.ts";
import { readTotals } from "../tables.ts";
import { planMovedFiles } from "../vectors/vector-folders.ts";
import { excludedChunks } from "../write/scopes.ts";
import type { TermCounts } from "../write/term-counts.ts";
import type { IndexChange } from "../write/write-context.ts";
import { Eligibility, resolveRestriction } from "./eligibility.ts";
import { chooseCandidates, listsOf, rankCandidates, type QueryLegs } from "./fuse.ts";
import { readChunks, splitByEligibility } from "./hydration.ts";
import { searchWords } from "./lexical-leg.ts";
import type { VectorLeg } from "./vector-leg.ts";
import { ranksIn, WordScores } from "./word-scores.ts";

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
  /** The last resolved restrictions: a search uses one right after its plan. */
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

  /** How a vector index must apply a restriction. */
  planRestriction(restriction: Restriction, exactLimit = EXACT_SCAN_LIMIT_CHUNKS): RestrictionPlan {
    const { chunkCount, files } = this.#eligibility(restriction, false);
    return chunkCount <= exactLimit ? "exact" : planMovedFiles(this.#sql, restriction, files);
  }

  /** A step a query, until `isOver`. If chunks were deleted between, searches again in one step. */
  *search(request: SearchRequest, isOver: IsOver): CooperativeWork<SearchReply> {
    const { reply, isStale } = this.#readBest(request, yield* this.#candidates(request, isOver));
    if (!isStale) return reply;
    return this.#readBest(request, runToEnd(this.#candidates(request, isOver))).reply;
  }

  *#candidates(request: SearchRequest, isOver: IsOver): CooperativeWork<Candidates> {
    const { queries, restriction, includeDuplicates, limitPerLeg: limit, rule } = request;
    const eligibility = this.#eligibility(restriction, includeDuplicates);
    const scanned = isFullScan(request, eligibility);
    const vectors = queries.map(({ vector }) => (rule.mode === "keyword" ? null : vector));
    const among = scanned ? "all" : "in-flight";
    const scan = this.#vectorLeg.searcher(vectors, eligibility, { limit, among });
    const visible = scanned ? () => NO_MATCHES : this.#visibleMatches(request, eligibility);
    const legs: Candidates["legs"] = [];
    for (const [at, { text }] of queries.entries()) {
      if (at > 0) {
        yield 1;
        if (isOver()) break;
      }
      const { matches, equal } = visible(at);
      const words = request.lexical ? this.#words(eligibility, text, request) : NO_WORDS;
      legs.push({ ...words, vector: mergeCandidates(scan(at), matches), equal });
    }
    const unsearched = queries.length - legs.length;
    // The vector index has searched these; only their words are missing.
    for (let at = legs.length; at < queries.length; at++) {
      const { matches, equal } = visible(at);
      legs.push({ ...NO_WORDS, vector: matches, equal });
    }
    return { legs, scanned, unsearched, searched: eligibility.chunkCount };
  }

  /** The matches of a vector index that this call may see, by query. */
  #visibleMatches({ queries }: SearchRequest, eligibility: Eligibility) {
    const ids = queries.flatMap(({ nearest }) => nearest?.matches.map(({ id }) => id) ?? []);
    const { eligible, equal } = splitByEligibility(this.#sql, eligibility, [...new Set(ids)]);
    return (at: number) => {
      const { matches = [], floor = null } = queries[at]?.nearest ?? {};
      const counting = matches.filter(({ id, score }) => equal.has(id) && score >= (floor ?? -1));
      return { matches: matches.filter(({ id }) => eligible.has(id)), equal: counting.length };
    };
  }

  #words(eligibility: Eligibility, query: string, { limitPerLeg, merged }: SearchRequest) {
    return searchWords(this.#sql, this.#termCounts, eligibility, {
      query,
      limit: limitPerLeg,
      merged: merged === true,
      placeInMemory: (chunk) => this.#vectorLeg.nameOf(chunk),
      wordScores: this.#wordScores,
      postingsLimit: this.#postingsLimit,
    });
  }

  /** `isStale`: chunks were deleted, or withheld from the reader, since they were found. */
  #readBest(
    request: SearchRequest,
    { legs, searched, ...facts }: Candidates,
  ): { reply: SearchReply; isStale: boolean } {
    const { rule, needed, threshold, withVectors, merged = false } = request;
    const { ranked, relation } = rankCandidates(legs, rule, searched);
    // Where similarities decide, some more are read: those in memory are rounded.
    const isExact = rule.mode !== "semantic" && threshold === null && !merged;
    const limits = { needed, threshold, ...(isExact ? { slack: 0 } : {}) };
    const best = chooseCandidates(ranked, legs, limits);
    // The best by words shows other indexes what their own are worth.
    const heads = new Set(merged ? legs.flatMap(({ lexical: [head] }) => head?.id ?? []) : []);
    const choice = new Set([...best, ...ranked.filter(({ id }) => heads.has(id))]);
    const queryVectors = request.queries.map(({ vector }) => vector);
    const readable = this.#filterEligible(request, [...choice]);
    const chunks = readChunks(this.#sql, readable, queryVectors, withVectors);
    const queries = legs.map(({ equal, statistics, ...lists }) => {
      return { ...listsOf(lists), equal, statistics };
    });
    const reply = { chunks, queries, relation, candidates: ranked.length, ...facts };
    return { reply, isStale: chunks.length < choice.size };
  }

  /** Between the queries of a search, readers and scopes may have changed. */
  #filterEligible<Ranked extends { id: ChunkId }>(
    { queries, restriction, includeDuplicates }: SearchRequest,
    ranked: Ranked[],
  ): Ranked[] {
    if (queries.length === 1) return ranked;
    const ids = ranked.map(({ id }) => id);
    const eligibility = this.#eligibility(restriction, includeDuplicates);
    const { eligible } = splitByEligibility(this.#sql, eligibility, ids);
    return ranked.filter(({ id }) => eligible.has(id));
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
      return table.chunksIn(files, withDuplicates);
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

type IsOver = () => boolean;

type Candidates = Pick<SearchReply, "scanned" | "unsearched"> & {
  legs: (QueryLegs & Pick<QueryScores, "equal" | "statistics">)[];
  searched: number;
};

const NO_WORDS = { lexical: [] };
const NO_MATCHES = { matches: [], equal: 0 };

function isFullScan({ queries, deep }: SearchRequest, { chunkCount }: Eligibility): boolean {
  if (queries.every(({ nearest }) => nearest === undefined)) return true;
  if (deep !== true || chunkCount > DEEP_SCAN_LIMIT_CHUNKS) return false;
  return chunkCount * queries.length <= DEEP_SCAN_LIMIT_COSINES;
}

/** Best first; a chunk that both name keeps its score of the first. */
function mergeCandidates(first: Candidate[], second: Candidate[]): Candidate[] {
  if (second.length === 0) return first;
  const firstIds = new Set(first.map(({ id }) => id));
  return [...first, ...second.filter(({ id }) => !firstIds.has(id))].sort(
    (a, b) => b.score - a.score || (a.id < b.id ? -1 : 1),
  );
}
