import { isObject } from "../core/is-object.ts";
import { runToEnd, type CooperativeWork } from "../core/work/cooperative.ts";
import type { RagIndex, SearchReply, SearchRequest } from "../ports/rag-index.ts";
import { facts, listFiles, passages, readVersions, sample } from "./contents.ts";
import { hasSchema, prepareSchema } from "./schema.ts";
import { POSTINGS_LIMIT } from "./search/query-terms.ts";
import { Search } from "./search/search.ts";
import { VectorLeg } from "./search/vector-leg.ts";
import { readTotals } from "./tables.ts";
import {
  confirmSeen,
  countInFlight,
  inFlightBatches,
  recordUpsert,
  vectorsToUpsert,
} from "./vectors/in-flight-vectors.ts";
import { confirmRemoved, purgeDueAt, tombstones } from "./vectors/tombstones.ts";
import { countMoved, queueMoved } from "./vectors/vector-folders.ts";
import { nextPageToVerify, orphansAmong, recordVerifiedPage } from "./vectors/verification.ts";
import { activateVersion, describeFile } from "./write/activate-version.ts";
import { purgeAudiences, purgeAudiencesAt, writeReaders } from "./write/audiences.ts";
import { abandon, purgeLeft, purgeLeftAt, remove } from "./write/remove-chunks.ts";
import { restrictToScopes } from "./write/scopes.ts";
import { missing, stage, vectors } from "./write/staging.ts";
import { TermCounts } from "./write/term-counts.ts";
import { indexWords, mergeDueAt, mergeWords } from "./write/word-index.ts";
import { noChange, noRemovals, type WriteContext } from "./write/write-context.ts";
import { writeVersions } from "./write/write-versions.ts";

/** Queries times chunks; a search of fewer takes some milliseconds. */
const COMPARISONS_IN_ONE_PIECE = 50_000;

/** Deletes, a step at a time, the rows that writes leave for later. */
const MAINTENANCE = [
  { dueAt: purgeLeftAt, step: purgeLeft },
  { dueAt: mergeDueAt, step: mergeWords },
  { dueAt: purgeAudiencesAt, step: purgeAudiences },
];

const isSearch = (argument: VerbArguments[IndexVerb][number]): argument is SearchRequest =>
  isObject(argument) && "queries" in argument && "limitPerLeg" in argument;

/** Verbs that are called on the tables; `destroy` is implemented by the object itself. */
export type IndexVerb = Exclude<keyof RagIndex, "destroy">;
export type VerbArguments = { [Verb in IndexVerb]: Parameters<RagIndex[Verb]> };
type VerbAnswers = { [Verb in IndexVerb]: Awaited<ReturnType<RagIndex[Verb]>> };
type Context = WriteContext & { search: Search; drop: (leg: string) => void };

/** A method on the tables. Without `emptyAnswer` it creates those of an object that is still empty. */
type VerbOf<Verb extends IndexVerb> = {
  run: (context: Context, ...args: VerbArguments[Verb]) => VerbAnswers[Verb];
  /** In one transaction. */
  writes?: true;
  /** The answer of an index without tables: only a first write creates them. */
  emptyAnswer?: (...args: VerbArguments[Verb]) => VerbAnswers[Verb];
};

const VERBS: { [Verb in IndexVerb]: VerbOf<Verb> } = {
  stage: { run: stage, writes: true },
  activateVersion: { run: activateVersion, writes: true },
  writeVersions: { run: writeVersions, writes: true },
  describeFile: { run: describeFile, writes: true },
  remove: { run: remove, writes: true },
  restrictToScopes: { run: restrictToScopes, writes: true },
  writeReaders: { run: writeReaders, writes: true },
  abandon: { run: abandon, writes: true, emptyAnswer: () => false },
  confirmSeen: { run: confirmSeen, writes: true, emptyAnswer: () => undefined },
  recordUpsert: { run: recordUpsert, writes: true, emptyAnswer: () => undefined },
  queueMoved: { run: queueMoved, writes: true, emptyAnswer: () => 0 },
  confirmRemoved: { run: confirmRemoved, writes: true, emptyAnswer: () => undefined },
  recordVerifiedPage: {
    run: recordVerifiedPage,
    writes: true,
    emptyAnswer: () => ({ missing: 0, orphans: 0 }),
  },
  missing: { run: missing, emptyAnswer: (files) => files.flatMap(({ ids }) => ids) },
  vectors: { run: vectors, emptyAnswer: () => [] },
  search: {
    run: ({ search }, request) => runToEnd(search.search(request, () => false)),
    emptyAnswer: ({ queries }) => ({
      chunks: [],
      queries: queries.map(() => ({ lexical: [], vector: [], equal: 0 })),
      relation: 0,
      candidates: 0,
      unsearched: 0,
      scanned: true,
    }),
  },
  drop: { run: ({ drop }, leg) => drop(leg), emptyAnswer: () => undefined },
  planRestriction: {
    run: ({ search }, restriction, exactLimit) => search.planRestriction(restriction, exactLimit),
    emptyAnswer: () => "exact",
  },
  facts: { run: facts, emptyAnswer: () => ({ chunks: 0, files: 0, staged: 0, tombstones: 0 }) },
  listFiles: { run: listFiles, emptyAnswer: () => [] },
  sample: { run: sample, emptyAnswer: () => [] },
  passages: { run: passages, emptyAnswer: () => ({ passages: [], total: 0 }) },
  readVersions: { run: readVersions, emptyAnswer: () => ({ versions: [], next: null }) },
  inFlightBatches: { run: inFlightBatches, emptyAnswer: () => [] },
  vectorsToUpsert: { run: vectorsToUpsert, emptyAnswer: () => [] },
  tombstones: { run: tombstones, emptyAnswer: () => [] },
  nextPageToVerify: {
    run: nextPageToVerify,
    emptyAnswer: () => ({ vectors: [], sample: null, upTo: 0, isLast: true }),
  },
  orphansAmong: { run: orphansAmong, emptyAnswer: (ids) => ids },
  ledger: {
    run: ({ sql }) => ({
      inFlight: countInFlight(sql),
      moved: countMoved(sql),
      purgeDueAt: purgeDueAt(sql),
    }),
    emptyAnswer: () => ({ inFlight: 0, moved: 0, purgeDueAt: null }),
  },
};

/** Every method of the port, for code that forwards calls. */
export const INDEX_VERBS = Object.keys(VERBS).filter((name): name is IndexVerb => name in VERBS);

/** One RAG's index over a Durable Object's SQLite storage; a write is one transaction. */
export class IndexStore {
  readonly #storage: DurableObjectStorage;
  readonly #context: Context;
  readonly #vectorLeg: VectorLeg;
  /** When `maintain` is to be called, ms; null: writes have left nothing to be deleted. */
  dueAt: number | null;
  readonly #comparisonsInOnePiece: number;
  readonly #underWay = new Set<string>();
  readonly #dropped = new Set<string>();

  /** See the constants; benchmarks and tests take other limits. */
  constructor(
    storage: DurableObjectStorage,
    {
      postingsLimit = POSTINGS_LIMIT,
      comparisonsInOnePiece = COMPARISONS_IN_ONE_PIECE,
    }: { postingsLimit?: number; comparisonsInOnePiece?: number } = {},
  ) {
    prepareSchema(storage);
    const { sql } = storage;
    const termCounts = new TermCounts(sql);
    this.#storage = storage;
    this.#comparisonsInOnePiece = comparisonsInOnePiece;
    this.#vectorLeg = new VectorLeg(sql);
    const search = new Search(sql, { termCounts, vectorLeg: this.#vectorLeg, postingsLimit });
    const empty = { change: noChange(), removals: noRemovals(), unindexed: [] };
    this.#context = { sql, termCounts, search, drop: (leg) => this.#drop(leg), ...empty };
    this.dueAt = this.#nextDueAt();
  }

  call<Verb extends IndexVerb>(verb: Verb, ...args: VerbArguments[Verb]): VerbAnswers[Verb] {
    const { run, writes } = VERBS[verb];
    if (writes !== true) return run(this.#context, ...args);
    return this.#write((context) => run(context, ...args));
  }

  /** A search in turns with other calls (`pass` lets them run); null for calls in one piece. */
  searchInTurns<Verb extends IndexVerb>(
    verb: Verb,
    [request]: VerbArguments[Verb],
    pass: () => Promise<unknown>,
  ): Promise<SearchReply> | null {
    if (verb !== "search" || !isSearch(request) || request.turns === undefined) return null;
    const comparisons = request.queries.length * readTotals(this.#context.sql).chunks;
    if (comparisons <= this.#comparisonsInOnePiece) return null;
    const { leg, remainingMs } = request.turns;
    const endsAt = Date.now() + remainingMs;
    const isOver = () => this.#dropped.has(leg) || Date.now() >= endsAt;
    return this.#runInTurns(this.#context.search.search(request, isOver), leg, pass);
  }

  #drop(leg: string): void {
    if (this.#underWay.has(leg)) this.#dropped.add(leg);
  }

  async #runInTurns<Reply>(
    work: CooperativeWork<Reply>,
    leg: string,
    pass: () => Promise<unknown>,
  ): Promise<Reply> {
    this.#underWay.add(leg);
    try {
      for (let step = work.next(); ; step = work.next()) {
        if (step.done === true) return step.value;
        await pass();
      }
    } finally {
      this.#underWay.delete(leg);
      this.#dropped.delete(leg);
    }
  }

  /** A step of what is due. */
  maintain(now: number): void {
    const { sql } = this.#context;
    const due = MAINTENANCE.find(({ dueAt }) => (dueAt(sql) ?? Infinity) <= now);
    if (due !== undefined) this.#write((context) => due.step(context, now));
    this.dueAt = this.#nextDueAt();
  }

  #nextDueAt(): number | null {
    const { sql } = this.#context;
    const times = MAINTENANCE.flatMap(({ dueAt }) => dueAt(sql) ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  #write<Result>(work: (context: Context) => Result): Result {
    const change = noChange();
    const removals = noRemovals();
    const { search, termCounts } = this.#context;
    search.forgetRestriction();
    try {
      const context = { ...this.#context, change, removals, unindexed: [] };
      const result = this.#storage.transactionSync(() => {
        const worked = work(context);
        indexWords(context);
        return worked;
      });
      this.#vectorLeg.follow(change);
      search.follow(change);
      if (change.words) search.forgetScores();
      if (removals.leavesRest) this.dueAt = this.#nextDueAt();
      return result;
    } catch (error) {
      termCounts.forget();
      search.forget();
      this.#vectorLeg.forget();
      throw error;
    }
  }
}

export const answerOfEmpty = <Verb extends IndexVerb>(verb: Verb, ...args: VerbArguments[Verb]) =>
  VERBS[verb].emptyAnswer?.(...args);

/** The stored index; null when nothing was written yet and this method does not write either. */
export function openIndex(storage: DurableObjectStorage, verb: IndexVerb): IndexStore | null {
  const isFirst = VERBS[verb].emptyAnswer === undefined;
  return isFirst || hasSchema(storage.sql) ? new IndexStore(storage) : null;
}
