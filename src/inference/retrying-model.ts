import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";

import type { Now } from "../core/time.ts";
import type { Deadline } from "../core/work/deadline.ts";
import { withRetries } from "../core/work/with-retries.ts";
import { ModelFailure, type ChatModel } from "../ports/models.ts";
import { count } from "./model-usage.ts";
import type { Meter } from "./record-usage.ts";
import { streamedCall, type Hearing } from "./streamed-call.ts";

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
  hearing?: Hearing | undefined;
};

const TRIES = 4;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;

/** Statuses of servers that do not support the JSON-schema mode. */
const MODE_REFUSED = new Set([400, 404, 415, 422, 501]);

/**
 * The model for the SDK's loop: retries within the deadline, counts usage, removes searches from
 * the last step so that an answer ends it, and drops a refused JSON-schema mode. Text that somebody
 * heard cannot be taken back: a call that fails after it is not retried.
 */
export function retryingModel(call: RetryingCall): LanguageModelV4 {
  const { model } = call.chat;
  let mode = call.providerSchema;
  const generate = async (options: LanguageModelV4CallOptions) => {
    try {
      return await ask(call, withMode(options, mode));
    } catch (thrown) {
      const status = thrown instanceof ModelFailure ? thrown.status : null;
      if (mode === null || status === null || !MODE_REFUSED.has(status)) throw thrown;
      mode = null;
      return ask(call, options);
    }
  };
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
        const asked = final ? withoutSearches(options, call.handedBack) : options;
        const result = await withRetries(() => generate(asked), retryRules(call, options));
        return { ...(final ? answerOnly(result, call.handedBack) : result), warnings: [] };
      } finally {
        call.meter.calls += 1;
        call.meter.modelMs += call.now() - startedAt;
      }
    },
  };
}

async function ask(
  { chat, meter, hearing }: RetryingCall,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  if (hearing !== undefined) return await streamedCall({ chat, meter, hearing }, options);
  const result = await chat.model.doGenerate(options);
  count(meter, result.usage);
  return result;
}

const retryRules = ({ deadline }: RetryingCall, { abortSignal }: LanguageModelV4CallOptions) => ({
  tries: TRIES,
  firstDelayMs: FIRST_DELAY_MS,
  maxDelayMs: MAX_DELAY_MS,
  remainingMs: () => deadline.remainingMs,
  retryAfterMs: (thrown: unknown) =>
    thrown instanceof ModelFailure && thrown.retryable ? (thrown.retryAfterMs ?? 0) : null,
  signal: abortSignal ?? new AbortController().signal,
});

function withMode(
  options: LanguageModelV4CallOptions,
  schema: Record<string, unknown> | null,
): LanguageModelV4CallOptions {
  if (schema === null) return options;
  return { ...options, responseFormat: { type: "json", schema, name: "response" } };
}

/** Some tools stay declared, for providers that require them when earlier calls are sent. */
function withoutSearches(
  options: LanguageModelV4CallOptions,
  handedBack: ReadonlySet<string>,
): LanguageModelV4CallOptions {
  if (options.tools === undefined) return options;
  if (handedBack.size === 0) return { ...options, toolChoice: { type: "none" } };
  return { ...options, tools: options.tools.filter(({ name }) => handedBack.has(name)) };
}

/** The SDK would warn of searches in the last step, and leave no answer. */
function answerOnly(result: LanguageModelV4GenerateResult, handedBack: ReadonlySet<string>) {
  const isKept = (part: LanguageModelV4Content) =>
    part.type !== "tool-call" || handedBack.has(part.toolName);
  const content = result.content.filter(isKept);
  if (content.length === result.content.length) return result;
  return {
    ...result,
    content,
    finishReason: { ...result.finishReason, unified: "tool-calls" } as const,
  };
}
