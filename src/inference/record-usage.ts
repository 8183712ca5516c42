import { sendUsage } from "../catalog/usage/send-usage.ts";
import type { AgentId, InferenceId, RagId } from "../core/ids.ts";
import { Deadline } from "../core/work/deadline.ts";
import { findPrice, PRICED_TOKENS } from "../db/usage/price-store.ts";
import type { Price } from "../db/usage/price-store.ts";
import type { ModelUse, UsageMessage } from "../ports/job-queue.ts";
import type { Services } from "../services.ts";
import type { Meter } from "./retrying-model.ts";
import type { Caller, InferenceServices, Usage } from "./types.ts";

type Recording = Pick<Services, "queue" | "log" | "now" | "inBackground">;

/** What was called; the other fields of the message describe the outcome. */
export type UsageSubject = {
  kind: UsageMessage["kind"];
  inferenceId: InferenceId | null;
  agentId: AgentId | null;
  ragIds: RagId[];
  caller: Caller;
  model: string | null;
};

export type UsageOutcome = {
  outcome: UsageMessage["outcome"];
  latencyMs: number;
  usage: Usage;
  /** Usage of embedding and reranking. */
  uses: ModelUse[];
};

/** The price is normally read long before the answer; a database that hangs must not delay it. */
const PRICE_WAIT_MS = 200;

/** Starts in parallel with the model call; a price that cannot be read counts as none. */
export function startPriceLookup(
  { db, log, now }: InferenceServices,
  model: string,
): { soon: () => Promise<Price | null> } {
  const warn = (thrown: unknown) => {
    log.warn("price not read", { error: thrown instanceof Error ? thrown.name : typeof thrown });
    return null;
  };
  const price = findPrice(db, model).catch(warn);
  return { soon: () => new Deadline(now, PRICE_WAIT_MS).run("price", () => price).catch(warn) };
}

export function usageOf(meter: Meter, price: Price | null): Usage {
  const { inputTokens, outputTokens } = meter;
  const cost =
    price === null
      ? null
      : {
          amount:
            (inputTokens * price.inputPrice + outputTokens * price.outputPrice) / PRICED_TOKENS,
          currency: price.currency,
        };
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, cost };
}

/** Sends the usage of one call, after its answer. */
export function recordUsage(services: Recording, subject: UsageSubject, how: UsageOutcome): void {
  const { caller, ...what } = subject;
  const { inputTokens, outputTokens, cost } = how.usage;
  sendUsage(services, {
    ...what,
    tokenId: caller.tokenId,
    inputTokens,
    outputTokens,
    cost: cost?.amount ?? null,
    currency: cost?.currency ?? null,
    latencyMs: how.latencyMs,
    outcome: how.outcome,
    uses: how.uses,
  });
}

const NO_TOKENS: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cost: null };

/** The same for a retrieval without a model; `degradations` and `uses` are those of its result. */
export function recordRetrieveUsage(
  services: Recording,
  of: {
    ragIds: RagId[];
    inferenceId?: InferenceId;
    caller: Caller;
    latencyMs: number;
    degradations: string[];
    uses: ModelUse[];
  },
): void {
  const { ragIds, inferenceId = null, caller, latencyMs, degradations, uses } = of;
  recordUsage(
    services,
    { kind: "retrieve", inferenceId, agentId: null, ragIds, caller, model: null },
    { outcome: degradations.length > 0 ? "degraded" : "ok", latencyMs, usage: NO_TOKENS, uses },
  );
}
