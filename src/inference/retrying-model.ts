import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";

import { laneOf } from "../catalog/models/embedding-pace.ts";
import { SpendingReached } from "../core/errors.ts";
import type { Now } from "../core/time.ts";
import type { Deadline } from "../core/work/deadline.ts";
import { withRetries } from "../core/work/with-retries.ts";
import { ModelFailure, type ChatModel } from "../ports/models.ts";
import { estimateTokens } from "../text/tokens.ts";
import { count, textOf } from "./model-usage.ts";
import type { Meter } from "./record-usage.ts";
import { NO_USAGE, callStreaming, type TextReceiver } from "./streamed-call.ts";

export type RetryingCall = {
  chat: ChatModel;
  deadline: Deadline;
  now: Now;
  meter: Meter;
  /** JSON Schema for the provider's own mode; null: plain text. */
  providerSchema: Record<string, unknown> | null;
  /** Calls (counted by the meter) after which searches are no longer offered. */
  toolsUntil: number;
  /** Tools that are offered in the last step, too: their calls end the turn. */
  handedBack: ReadonlySet<string>;
  /** Absent: nobody listens. */
  hearing?: TextReceiver | undefined;
  isCallRequired?: boolean;
  /** An agent's later step for which a spending limit leaves no room ends the turn without text. */
  mayStop?: boolean;
  /** Receives what the server left out of the prompt, as a sentence. */
  losses?: Set<string>;
};

const TRIES = 4;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
const LOADING_WAIT_MS = 1_000;
/** The text so far becomes the answer so long before the time is over. */
const LAST_WORDS_MS = 300;

/**
 * The model for the SDK's loop: retries within the deadline, counts usage, removes searches from
 * the last step so that an answer ends it. Text that somebody heard cannot be taken back: a call that
 * fails after it is not retried.
 */
export function retryingModel(call: RetryingCall): LanguageModelV4 {
  const { model } = call.chat;
  const callsBefore = call.meter.calls;
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doStream: (options) => model.doStream(options),
    async doGenerate(options) {
      const startedAt = call.now();
      try {
        const final = call.meter.calls + 1 >= call.toolsUntil;
        const callOptions = final ? removeSearches(options, call.handedBack) : options;
        const request = applyMode(callOptions, call);
        const result = await withRetries(() => ask(call, request), retryRules(call, options));
        // The last step may lack its searches.
        const answer = final && options.tools !== undefined ? result : correctFinishReason(result);
        return { ...(final ? answerOnly(answer, call.handedBack) : answer), warnings: [] };
      } catch (thrown) {
        const isStep = call.mayStop === true && call.meter.calls > callsBefore;
        if (!isStep || !(thrown instanceof SpendingReached)) throw thrown;
        call.losses?.add(`model: ${thrown.message}`);
        return STOPPED;
      } finally {
        call.meter.calls += 1;
        call.meter.modelMs += call.now() - startedAt;
      }
    },
  };
}

/** As of a last step in which the model wanted to search. */
const STOPPED: LanguageModelV4GenerateResult = {
  content: [],
  finishReason: { unified: "tool-calls", raw: undefined },
  usage: NO_USAGE,
  warnings: [],
};

/** A server of one's own is always asked to stream: what it has written in time is the answer. */
async function ask(
  { chat, meter, hearing, deadline, losses }: RetryingCall,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  if (chat.server === undefined && hearing === undefined) {
    const result = await chat.model.doGenerate(options);
    count(meter, result.usage);
    return result;
  }
  const lane = laneOf(chat.server);
  const end = await lane?.begin({
    isAhead: true,
    leaseMs: deadline.remainingMs,
    signal: options.abortSignal,
  });
  try {
    const withinMs = Math.max(0, deadline.remainingMs - LAST_WORDS_MS);
    const result = await callStreaming({ chat, meter, hearing, withinMs }, options);
    await noteCutPrompt(chat, options, result.usage.inputTokens.total, losses);
    return result;
  } finally {
    end?.();
  }
}

/** A prompt of so many tokens, of which a server counts so few, was cut; fewer are no window. */
const MIN_CUT_TOKENS = 1_000;
const CUT_SHARE = 0.65;
const LEAST_WINDOW_TOKENS = 256;

/**
 * Ollama drops the beginning of a long prompt without a word: what it has read shows it. Ollama 0.30
 * did not count its cache (https://github.com/ollama/ollama/pull/16428): the window it names counts.
 */
async function noteCutPrompt(
  { tokenizer, window }: ChatModel,
  { prompt }: LanguageModelV4CallOptions,
  readTokens = 0,
  losses?: Set<string>,
): Promise<void> {
  if (window === undefined || readTokens < LEAST_WINDOW_TOKENS) return;
  const promptTokens = estimateTokens(textOf(prompt), tokenizer);
  if (promptTokens < MIN_CUT_TOKENS || readTokens > promptTokens * CUT_SHARE) return;
  const serverTokens = await window.read(true);
  if (serverTokens !== null && serverTokens > promptTokens) return;
  if (serverTokens === null) window.learn(readTokens);
  losses?.add(
    `context: the model's server read ${readTokens} of about ${promptTokens} tokens of the prompt`,
  );
}

function retryRules({ deadline }: RetryingCall, { abortSignal }: LanguageModelV4CallOptions) {
  let failures = 0;
  return {
    tries: Infinity,
    firstDelayMs: FIRST_DELAY_MS,
    maxDelayMs: MAX_DELAY_MS,
    remainingMs: () => deadline.remainingMs,
    retryAfterMs(thrown: unknown) {
      if (!(thrown instanceof ModelFailure) || !thrown.retryable) return null;
      // As long as there is time.
      if (thrown.isLoading) return LOADING_WAIT_MS;
      failures += 1;
      return failures < TRIES ? (thrown.retryAfterMs ?? 0) : null;
    },
    signal: abortSignal ?? new AbortController().signal,
  };
}

/** A call that is required is asked for here: the SDK throws where the model answers in words. */
function applyMode(
  options: LanguageModelV4CallOptions,
  { providerSchema: schema, isCallRequired = false }: RetryingCall,
): LanguageModelV4CallOptions {
  const isRequired = isCallRequired && options.toolChoice?.type === "auto";
  const request = isRequired ? { ...options, toolChoice: { type: "required" as const } } : options;
  if (schema === null) return request;
  return { ...request, responseFormat: { type: "json", schema, name: "response" } };
}

/** Some tools stay declared, for providers that require them when earlier calls are sent. */
function removeSearches(
  options: LanguageModelV4CallOptions,
  handedBack: ReadonlySet<string>,
): LanguageModelV4CallOptions {
  if (options.tools === undefined) return options;
  if (handedBack.size === 0) return { ...options, toolChoice: { type: "none" } };
  return { ...options, tools: options.tools.filter(({ name }) => handedBack.has(name)) };
}

/** Some servers end for a call that they do not name: https://github.com/labring/FastGPT/issues/7339. */
function correctFinishReason(result: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const { content, finishReason } = result;
  const hasCall = content.some(({ type }) => type === "tool-call");
  if (hasCall || finishReason.unified !== "tool-calls") return result;
  return { ...result, finishReason: { ...finishReason, unified: "stop" } };
}

/** The SDK would warn of searches in the last step, and leave no answer. */
function answerOnly(result: LanguageModelV4GenerateResult, handedBack: ReadonlySet<string>) {
  const isAnswerPart = (part: LanguageModelV4Content) =>
    part.type !== "tool-call" || handedBack.has(part.toolName);
  const content = result.content.filter(isAnswerPart);
  if (content.length === result.content.length) return result;
  return {
    ...result,
    content,
    finishReason: { ...result.finishReason, unified: "tool-calls" } as const,
  };
}
