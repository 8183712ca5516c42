import type { ChunkId } from "../core/ids.ts";
import type {
  HydratedChunk,
  Hydration,
  RagIndex,
  ReadWanted,
  Restriction,
  RestrictionPlan,
  SearchReply,
  SearchRequest,
} from "../ports/rag-index.ts";
import { readersOf } from "../access/readers.ts";
import { runLeg, type RetrievalCall } from "./degradations.ts";
import { mergeShards, rescored, withoutLaterEquals, type MergedShards } from "./merge-shards.ts";
import { orderOf, type RagFindings } from "./rag-search.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";
import { searchesWords } from "./search-mode.ts";

const SEARCH_SHARE = 0.6;
const HYDRATION_SHARE = 0.7;
/** A search that ends by itself answers with what it has; it must be back in time. */
const OF_ITS_TIME = 0.9;

/** Which legs run, and what the vector leg looks through. */
type IndexLegs = {
  /** Vectors of the queries; null: no vector leg. */
  vectors: Float32Array[] | null;
  lexical: boolean;
  scan?: NonNullable<SearchRequest["scan"]>;
  /** The best are read only where there is a single shard. */
  read?: ReadWanted;
};

export type IndexSearch = MergedShards &
  Pick<SearchReply, "hasInFlight" | "scanned" | "chunks" | "best"> & {
    /** How each shard that answered resolved the restriction. */
    plans: RestrictionPlan[];
    /** Every shard answered. */
    isWhole: boolean;
  };

/** Hydration of the chosen candidates, and of substitutes for those that no longer exist. */
export type Hydrated = Hydration & {
  /** Candidates named by the index no longer exist in it: it has changed since its search. */
  superseded: boolean;
  /** Every shard answered that was asked. */
  isWhole: boolean;
};

type Choice = { ids: ChunkId[]; spare: ChunkId[] };

/** The index objects of one RAG as one. A shard that does not answer is a degradation. */
export class ShardedIndex {
  readonly #call: RetrievalCall;
  readonly #plan: SearchPlan;
  readonly #shards: RagIndex[];
  readonly #restriction: Restriction;

  constructor(call: RetrievalCall, target: RetrievalTarget, plan: SearchPlan) {
    const { id: ragId, generation, shards } = target.rag;
    this.#call = call;
    this.#plan = plan;
    const readers = readersOf(target.rag);
    this.#restriction = { ...target.restriction, ...(readers && { readers }) };
    this.#shards = Array.from({ length: shards }, (_, shard) =>
      call.services.ragIndexes({ ragId, generation, shard }),
    );
  }

  get isSingle(): boolean {
    return this.#shards.length === 1;
  }

  async search(legs: IndexLegs): Promise<IndexSearch> {
    const request = this.#request(legs);
    const kind = legs.read?.kind === "all" ? "hydration" : "search";
    const replies = await Promise.all(
      this.#shards.map((shard, at) =>
        runLeg(this.#call, this.#leg(kind, at), (signal) =>
          this.#inTurns(shard, at, request, signal),
        ),
      ),
    );
    const answered = replies.filter((reply) => reply !== null);
    const { queries, limitPerLeg } = this.#plan;
    const best = answered[0]?.best;
    return {
      ...mergeShards(replies, { queryCount: queries.length, limitPerLeg }),
      plans: answered.map(({ plan }) => plan),
      hasInFlight: answered.some(({ hasInFlight }) => hasInFlight),
      scanned: answered.every(({ scanned }) => scanned),
      isWhole: answered.length === replies.length,
      chunks: this.#withoutEquals(answered.flatMap(({ chunks }) => chunks)),
      ...(best === undefined ? {} : { best }),
    };
  }

  /** Searches and reads all candidates and `ids` in one step of each shard; null if one fails. */
  async searchAgain(
    findings: RagFindings,
    scan: "all" | "deep" | "in-flight",
    ids: ChunkId[],
  ): Promise<IndexSearch | null> {
    const { embedded, mode, queries: before } = findings;
    const vectors = embedded?.vectors ?? null;
    const lexical = searchesWords(mode) || vectors === null;
    const reading = { kind: "all", ids, withVectors: this.#wantsVectors(findings) } as const;
    const reply = await this.search({ vectors, lexical, scan, read: reading });
    if (!reply.isWhole) return null;
    const queries = reply.queries.map((legs, at) => rescored(legs, before[at]?.statistics));
    return { ...reply, queries };
  }

  /** Texts and exact similarities. */
  async hydrate(choice: Choice, findings: RagFindings): Promise<Hydrated> {
    const replies = await Promise.all(
      this.#shards.map((shard, at) => this.#hydrateShard(shard, at, choice, findings)),
    );
    return {
      chunks: this.#withoutEquals(replies.flatMap(({ chunks }) => chunks)),
      eligible: replies.flatMap(({ eligible }) => eligible),
      equal: replies.flatMap(({ equal }) => equal),
      superseded: replies.some(({ superseded }) => superseded),
      isWhole: replies.every(({ isWhole }) => isWhole),
    };
  }

  async #hydrateShard(
    shard: RagIndex,
    at: number,
    { ids, spare }: Choice,
    findings: RagFindings,
  ): Promise<Hydrated> {
    const { shardOf, embedded } = findings;
    // The shard of a candidate from the vector index is unknown: every shard is asked for it.
    const heldHere = (id: ChunkId) => (shardOf.get(id) ?? at) === at;
    const local = { ids: ids.filter(heldHere), spare: spare.filter(heldHere) };
    if (local.ids.length + local.spare.length === 0) return NOTHING_HELD;
    const { queries, includeDuplicates } = this.#plan;
    const restriction = this.#restriction;
    const spareLimit = Math.ceil(local.ids.length / this.#shards.length);
    const queryVectors = queries.map((_, query) => embedded?.vectors[query] ?? null);
    const request = { restriction, includeDuplicates, withVectors: this.#wantsVectors(findings) };
    const reply = await runLeg(this.#call, this.#leg("hydration", at), () =>
      shard.hydrate({ ...local, spareLimit, queryVectors, ...request }),
    );
    if (reply === null) return { ...NOTHING_HELD, isWhole: false };
    const eligible = new Set(reply.eligible);
    const superseded = local.ids.some((id) => shardOf.has(id) && !eligible.has(id));
    return { ...reply, superseded, isWhole: true };
  }

  /** Tells the index object when the time is over, or the caller gone, and reports what it left. */
  async #inTurns(shard: RagIndex, at: number, request: SearchRequest, signal: AbortSignal) {
    const count = request.queries.length;
    if (count === 1 || request.read?.kind === "all") return await shard.search(request);
    const leg = crypto.randomUUID();
    const remainingMs = this.#call.deadline.remainingMs * SEARCH_SHARE * OF_ITS_TIME;
    const drop = () => this.#call.services.inBackground(shard.drop(leg));
    signal.addEventListener("abort", drop, { once: true });
    try {
      const reply = await shard.search({ ...request, turns: { leg, remainingMs } });
      if (reply.unsearched > 0) {
        const { part } = this.#leg("search", at);
        const problem = `${reply.unsearched} of ${count} queries were not searched in time`;
        this.#call.report.degraded(part, `${part}: ${problem}`);
      }
      return reply;
    } finally {
      signal.removeEventListener("abort", drop);
    }
  }

  #request({ vectors, lexical, scan = "all", read: reading }: IndexLegs): SearchRequest {
    const { queries, includeDuplicates, limitPerLeg } = this.#plan;
    return {
      queries: queries.map((text, at) => ({ text, vector: vectors?.[at] ?? null })),
      restriction: this.#restriction,
      includeDuplicates,
      limitPerLeg,
      lexical,
      scan,
      mergedWith: this.isSingle ? (this.#plan.targets.length > 1 ? "rags" : null) : "shards",
      ...(reading === undefined ? {} : { read: reading }),
    };
  }

  #wantsVectors(findings: RagFindings): boolean {
    return orderOf(findings, this.#plan) === "neighbours";
  }

  #leg(kind: "search" | "hydration", at: number) {
    const count = this.#shards.length;
    const part = count === 1 ? "index" : `index part ${at + 1} of ${count}`;
    return { part, kind, share: kind === "search" ? SEARCH_SHARE : HYDRATION_SHARE };
  }

  /** Each shard removes its own duplicates; this removes those between shards. */
  #withoutEquals(chunks: HydratedChunk[]): HydratedChunk[] {
    return this.isSingle || this.#plan.includeDuplicates ? chunks : withoutLaterEquals(chunks);
  }
}

const NOTHING_HELD = { chunks: [], eligible: [], equal: [], superseded: false, isWhole: true };
