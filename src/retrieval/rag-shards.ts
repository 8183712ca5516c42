import { readersOf } from "../access/readers.ts";
import type { RagId } from "../core/ids.ts";
import type {
  RagIndex,
  Restriction,
  RestrictionPlan,
  SearchReply,
  SearchRequest,
} from "../ports/rag-index.ts";
import { runLeg, type RetrievalCall } from "./degradations.ts";
import { mergeShards } from "./merge-shards.ts";
import type { RetrievalTarget, SearchPlan } from "./retrieval-request.ts";

const PLAN_SHARE = 0.5;
const SEARCH_SHARE = 0.7;
/** A search that ends by itself answers with what it has; it must be back in time. */
const OF_ITS_TIME = 0.9;

/** Values that differ between the searches of a retrieval. */
export type ShardSearch = Pick<
  SearchRequest,
  "queries" | "lexical" | "rule" | "needed" | "withVectors"
> & {
  deep?: boolean;
};

/** `isWholeForm`: every shard answered. */
export type ShardsReply = SearchReply & { isWhole: boolean };

/** The index objects of one RAG as one. A shard that does not answer is a degradation. */
export class RagShards {
  readonly ragId: RagId;
  readonly #restriction: Restriction;
  readonly #call: RetrievalCall;
  readonly #plan: SearchPlan;
  readonly #shards: RagIndex[];

  constructor(call: RetrievalCall, target: RetrievalTarget, plan: SearchPlan) {
    const { id: ragId, generation, shards } = target.rag;
    const readers = readersOf(target.rag);
    this.ragId = ragId;
    this.#restriction = { ...target.restriction, ...(readers && { readers }) };
    this.#call = call;
    this.#plan = plan;
    this.#shards = Array.from({ length: shards }, (_, shard) =>
      call.services.ragIndexes({ ragId, generation, shard }),
    );
  }

  get isSingle(): boolean {
    return this.#shards.length === 1;
  }

  /** How each shard that answers wants the vector index to apply the restriction. */
  async plans(): Promise<RestrictionPlan[]> {
    const { named, metadata, condition, readers } = this.#restriction;
    const isRestricted =
      named !== null || metadata.length > 0 || condition !== undefined || readers !== undefined;
    if (!isRestricted) return [];
    return await this.#askAll("restriction", PLAN_SHARE, (shard) =>
      shard.planRestriction(this.#restriction),
    );
  }

  async search(search: ShardSearch): Promise<ShardsReply> {
    const { includeDuplicates, limitPerLeg, threshold, targets } = this.#plan;
    const request: SearchRequest = {
      ...search,
      restriction: this.#restriction,
      includeDuplicates,
      limitPerLeg,
      threshold,
      merged: !this.isSingle || targets.length > 1,
    };
    const replies = await this.#askAll("search", SEARCH_SHARE, (shard, part, signal) =>
      this.#searchInTurns(shard, part, request, signal),
    );
    const merged = mergeShards(replies, request);
    return { ...merged, isWhole: replies.length === this.#shards.length };
  }

  async #askAll<Reply>(
    kind: "restriction" | "search",
    share: number,
    ask: (shard: RagIndex, part: string, signal: AbortSignal) => Promise<Reply>,
  ): Promise<Reply[]> {
    const { length: count } = this.#shards;
    const replies = await Promise.all(
      this.#shards.map((shard, at) => {
        const part = count === 1 ? "index" : `index part ${at + 1} of ${count}`;
        return runLeg(this.#call, { part, kind, share }, (signal) => ask(shard, part, signal));
      }),
    );
    return replies.filter((reply) => reply !== null);
  }

  /** Tells the index object when the time is over, or the caller gone, and reports what it left. */
  async #searchInTurns(shard: RagIndex, part: string, request: SearchRequest, signal: AbortSignal) {
    const count = request.queries.length;
    if (count === 1) return checkReply(await shard.search(request));
    const leg = crypto.randomUUID();
    const remainingMs = this.#call.deadline.remainingMs * SEARCH_SHARE * OF_ITS_TIME;
    const drop = () => this.#call.services.runInBackground(shard.drop(leg));
    signal.addEventListener("abort", drop, { once: true });
    try {
      const reply = checkReply(await shard.search({ ...request, turns: { leg, remainingMs } }));
      if (reply.unsearched > 0) {
        // The joined text is the last.
        const losses = reply.unsearched - 1;
        const what =
          losses === 0 ? "the joined text was" : `${losses} of ${count - 1} queries were`;
        this.#call.report.addDegradation(part, `${part}: ${what} not searched in time`);
      }
      return reply;
    } finally {
      signal.removeEventListener("abort", drop);
    }
  }
}

/** While a deployment rolls out, an index object may still answer as the version before. */
function checkReply(reply: SearchReply): SearchReply {
  if (!Number.isInteger(reply.candidates)) throw new Error("the index is of another version");
  return { ...reply, relation: reply.relation || 0 };
}
