import { writeVersions } from "./write/write-versions.ts";
import { isObject } from "../core/is-object.ts";
import { runToEnd, type CooperativeWork } from "../core/work/cooperative.ts";
import type { RagIndex, SearchReply, SearchRequest } from "../ports/rag-index.ts";
import { facts, listFiles, passages, sample } from "./contents.ts";
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
import { abandon, remove } from "./write/remove-chunks.ts";
import { restrictToScopes } from "./write/scopes.ts";
import { purgeAudiences, purgeAudiencesAt, writeReaders } from "./write/audiences.ts";
import { missing, stage, vectors } from "./write/staging.ts";
import { TermCounts } from "./write/term-counts.ts";
import { giveWords, mergeDueAt, mergeWords } from "./write/word-index.ts";
import { noChange, noRemovals, type WriteContext } from "./write/write-context.ts";

/** Queries times chunks; a search of fewer takes some milliseconds. */
const COMPARISONS_IN_ONE_PIECE = 50_000;

/** What writes leave to be deleted later, a step at a time. */
const MAINTENANCE = [
  { dueAt: mergeDueAt, step: mergeWords },
  { dueAt: purgeAudiencesAt, step: purgeAudiences },
];

const isSearch = (argument: VerbArguments[IndexVerb][number]): argument is SearchRequest =>
  isObject(argument) && "queries" in argument && "limitPerLeg" in argument;

/** What is called on the tables; `destroy` is implemented by the object itself. */
export type IndexVerb = Exclude<keyof RagIndex, "destroy">;
export type VerbArguments = { [Verb in IndexVerb]: Parameters<RagIndex[Verb]> };
type VerbAnswers = { [Verb in IndexVerb]: Awaited<ReturnType<RagIndex[Verb]>> };
type Context = WriteContext & { search: Search; drop: (leg: string) => void };
type Verbs<Names extends IndexVerb> = {
  [Verb in Names]: (context: Context, ...args: VerbArguments[Verb]) => VerbAnswers[Verb];
};

type Answers<Names extends IndexVerb> = {
  [Verb in Names]: (...args: VerbArguments[Verb]) => VerbAnswers[Verb];
};

/** These methods create the tables of an object that is still empty. */
const FIRST_WRITES = {
  stage,
  activateVersion,
  writeVersions,
  describeFile,
  remove,
  restrictToScopes,
  writeReaders,
} satisfies Partial<Verbs<IndexVerb>>;

const LATER_WRITES = {
  abandon,
  confirmSeen,
  recordUpsert,
  queueMoved,
  confirmRemoved,
  recordVerifiedPage,
} satisfies Partial<Verbs<IndexVerb>>;

type WriteVerb = keyof typeof FIRST_WRITES | keyof typeof LATER_WRITES;

const READS: Verbs<Exclude<IndexVerb, WriteVerb>> = {
  missing,
  vectors,
  search: ({ search }, request) => runToEnd(search.search(request, never)),
  drop: ({ drop }, leg) => drop(leg),
  hydrate: ({ search }, request) => search.hydrate(request),
  facts,
  listFiles,
  sample,
  passages,
  inFlightBatches,
  vectorsToUpsert,
  tombstones,
  nextPageToVerify,
  orphansAmong,
  ledger: ({ sql }) => ({
    inFlight: countInFlight(sql),
    moved: countMoved(sql),
    purgeDueAt: purgeDueAt(sql),
  }),
};

const never = () => false;

const VERBS: Verbs<IndexVerb> = { ...FIRST_WRITES, ...LATER_WRITES, ...READS };

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
    if (verb in READS) return VERBS[verb](this.#context, ...args);
    return this.#write((context) => VERBS[verb](context, ...args));
  }

  /** A search in turns with other calls (`pass` lets them run); null for calls in one piece. */
  inTurns<Verb extends IndexVerb>(
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
    return this.#takingTurns(this.#context.search.search(request, isOver), leg, pass);
  }

  #drop(leg: string): void {
    if (this.#underWay.has(leg)) this.#dropped.add(leg);
  }

  async #takingTurns<Reply>(
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
    for (const { dueAt, step } of MAINTENANCE) {
      if ((dueAt(sql) ?? Infinity) <= now) this.#storage.transactionSync(() => step(sql, now));
    }
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
        giveWords(context);
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

/** What an empty index answers: it has no tables, and reading does not create them. */
const ANSWERS_OF_EMPTY: Answers<Exclude<IndexVerb, keyof typeof FIRST_WRITES>> = {
  missing: (files) => files.flatMap(({ ids }) => ids),
  vectors: () => [],
  search: ({ queries }) => ({
    queries: queries.map(() => ({ lexical: [], vector: [] })),
    unsearched: 0,
    plan: { kind: "none" },
    hasInFlight: false,
    scanned: true,
    chunks: [],
    best: { values: [], candidateCount: 0, finds: [] },
  }),
  drop: () => undefined,
  hydrate: () => ({ chunks: [], eligible: [], equal: [] }),
  facts: () => ({ chunks: 0, files: 0, staged: 0, tombstones: 0 }),
  listFiles: () => [],
  sample: () => [],
  passages: () => ({ passages: [], total: 0 }),
  abandon: () => false,
  inFlightBatches: () => [],
  vectorsToUpsert: () => [],
  tombstones: () => [],
  nextPageToVerify: () => ({ vectors: [], sample: null, upTo: 0, isLast: true }),
  orphansAmong: (ids) => ids,
  ledger: () => ({ inFlight: 0, moved: 0, purgeDueAt: null }),
  confirmSeen: () => undefined,
  recordUpsert: () => undefined,
  queueMoved: () => 0,
  confirmRemoved: () => undefined,
  recordVerifiedPage: () => ({ missing: 0, orphans: 0 }),
};

export function answerOfEmpty<Verb extends IndexVerb>(verb: Verb, ...args: VerbArguments[Verb]) {
  const answers: Partial<Answers<IndexVerb>> = ANSWERS_OF_EMPTY;
  return answers[verb]?.(...args);
}

/** The stored index; null when nothing was written yet and this method does not write either. */
export function openIndex(storage: DurableObjectStorage, verb: IndexVerb): IndexStore | null {
  return verb in FIRST_WRITES || hasSchema(storage.sql) ? new IndexStore(storage) : null;
}
