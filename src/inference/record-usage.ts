import {
  MOST_OUTPUT,
  maxTokensOf,
  billSubject,
  tokensOfFailure,
} from "../catalog/limits/metered-models.ts";
import { sendUsage } from "../catalog/usage/send-usage.ts";
import type { ModelUse, UsageMessage } from "../core/queue-messages.ts";
import { Deadline } from "../core/work/deadline.ts";
import { findPrice, PRICED_TOKENS, type Price } from "../db/catalog/model-store.ts";
import type { InferenceRecord } from "../db/records.ts";
import { newDelimiterKey } from "../text/prompt-delimiters.ts";
import { outputLimit } from "./assemble-prompt.ts";
import type { Caller, FinishedRun, InferenceResult, InferenceServices, Usage } from "./types.ts";

/** The subject of a call; the other fields of the message describe the outcome. */
type UsageSubject = Pick<UsageMessage, "inferenceId" | "agentId" | "ragIds"> & {
  kind: "inference" | "agent";
  caller: Caller;
  model: string;
};

type UsageSettings = Pick<InferenceRecord, "systemPrompt" | "maxOutputTokens">;

/** Counts the use of one run so far, also when the run fails later. */
export type Meter = {
  /** Tokens of the chat model, over all calls. */
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  modelMs: number;
  calls: number;
  /** Calls of embedding models and rerankers. */
  uses: ModelUse[];
};

/** Each run has a key of the delimiters (text/prompt-delimiters.ts) and a meter. */
export type RunTools = { key: string; meter: Meter };

/**
 * Records every run after its answer; a disconnected caller's run is aborted, and counted. Nothing
 * is searched where a spending limit leaves no room for the first model call.
 */
export function measureRun(...args: Parameters<typeof measure>): Promise<InferenceResult> {
  const [services] = args;
  const running = measure(...args);
  services.runInBackground(running.catch(() => undefined));
  return running;
}

async function measure(
  services: InferenceServices,
  subject: UsageSubject,
  setting: UsageSettings,
  run: (tools: RunTools, own: InferenceServices) => Promise<FinishedRun>,
  isCall = true,
): Promise<InferenceResult> {
  const { own, hold } = await beginCall(services, isCall ? subject : null, setting);
  const startedAt = services.now();
  const tokens = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  const meter: Meter = { ...tokens, modelMs: 0, calls: 0, uses: [] };
  const price = startPriceLookup(services, subject.model);
  const record = async (outcome: UsageMessage["outcome"], finished?: FinishedRun) => {
    const latencyMs = services.now() - startedAt;
    const usage = usageOf(meter, await price.soon());
    const { caller, ...what } = subject;
    const { inputTokens, outputTokens, cost } = usage;
    const { degradations = [], contextMs = 0, rerankingMs = 0 } = finished ?? {};
    const timings = { contextMs, rerankingMs, modelMs: meter.modelMs, totalMs: latencyMs };
    const message = {
      ...what,
      tokenId: caller.tokenId,
      inputTokens,
      outputTokens,
      cost: cost?.amount ?? null,
      currency: cost?.currency ?? null,
      latencyMs,
      outcome,
      uses: meter.uses,
    };
    sendUsage(services, message, { degraded: degradations, legs: timings });
    return { usage, timings };
  };
  let finished: FinishedRun;
  try {
    finished = await run({ key: newDelimiterKey(), meter }, own);
    hold?.settle(null);
  } catch (thrown) {
    hold?.settle(hasSpent(meter) ? null : tokensOfFailure(thrown));
    await record("error");
    throw thrown;
  }
  const { contextMs: _context, rerankingMs: _reranking, ...result } = finished;
  const outcome = result.degradations.length > 0 ? "degraded" : "ok";
  const { usage, timings } = await record(outcome, finished);
  return { ...result, systemPrompt: setting.systemPrompt, timings, usage, uses: meter.uses };
}

/** Whether a step has answered, or a part of one: the call counts, whatever its last step met. */
const hasSpent = ({ calls, outputTokens }: Meter) => calls > 1 || outputTokens > 0;

/** @throws QuarryError `spending-reached`, `limits-unavailable` */
async function beginCall(
  services: InferenceServices,
  call: UsageSubject | null,
  setting: UsageSettings,
) {
  const id = call?.agentId ?? call?.inferenceId ?? null;
  if (call === null || id === null) return { own: services, hold: null };
  const { kind, model } = call;
  const own = billSubject(services, { kind, id });
  const maxTokens = () => {
    const chat = own.models.chat(model);
    const output = outputLimit(setting, chat) ?? MOST_OUTPUT;
    return maxTokensOf(setting.systemPrompt, chat.tokenizer, output);
  };
  return { own, hold: await own.spending.reserve({ kind: "chat", model, maxTokens }, true) };
}

/** The price is normally read long before the answer; a database that hangs must not delay it. */
const PRICE_WAIT_MS = 200;

/** Starts in parallel with the model call; a price that cannot be read counts as none. */
function startPriceLookup(
  { db, log, now }: InferenceServices,
  model: string,
): { soon: () => Promise<Price | null> } {
  const logError = (thrown: unknown) => {
    log.warn("price not read", { error: thrown instanceof Error ? thrown.name : typeof thrown });
    return null;
  };
  const price = findPrice(db, model).catch(logError);
  return {
    soon: () => new Deadline(now, PRICE_WAIT_MS).run("price", () => price).catch(logError),
  };
}

function usageOf(meter: Meter, price: Price | null): Usage {
  const { inputTokens, cachedTokens, outputTokens } = meter;
  const cost =
    price === null
      ? null
      : {
          amount:
            (inputTokens * price.inputPrice + outputTokens * price.outputPrice) / PRICED_TOKENS,
          currency: price.currency,
        };
  const totalTokens = inputTokens + outputTokens;
  return { inputTokens, cachedTokens, outputTokens, totalTokens, cost };
}
