import { APICallError } from "@ai-sdk/provider";
import type { EmbeddingModelV4, LanguageModelV4 } from "@ai-sdk/provider";

import { ModelFailure } from "../../ports/models.ts";

const SECOND_MS = 1_000;
const RETRYABLE = new Set([408, 425, 429]);
const SERVER_ERROR = 500;

const isRetryableStatus = (status: number) => RETRYABLE.has(status) || status >= SERVER_ERROR;

/** `Retry-After` (seconds or a date) or `retry-after-ms`; null without either. */
function retryAfterOf(headers: Record<string, string>, nowMs: number): number | null {
  const exact = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const text = headers["retry-after"] ?? "";
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number.parseFloat(text) * SECOND_MS;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/** The failure behind an error status. */
export function failureOfStatus(
  status: number,
  headers: Record<string, string>,
  options?: { cause?: unknown },
): ModelFailure {
  const retryAfterMs = retryAfterOf(headers, Date.now());
  const retryable = isRetryableStatus(status);
  return new ModelFailure(`${status}`, { status, retryable, retryAfterMs }, options);
}

/** Turns errors of the SDK into ModelFailure; aborts pass unchanged. */
export function asModelFailure(thrown: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true || thrown instanceof ModelFailure) return thrown;
  const cause = { cause: thrown };
  if (APICallError.isInstance(thrown)) {
    const { statusCode, responseHeaders } = thrown;
    if (statusCode === undefined) {
      return new ModelFailure("connection failed", { retryable: true }, cause);
    }
    if (statusCode >= 400) return failureOfStatus(statusCode, responseHeaders ?? {}, cause);
    // A truncated body looks like an unreadable one; a retry may succeed.
    return new ModelFailure("unreadable reply", { retryable: true }, cause);
  }
  return new ModelFailure("unusable reply", {}, cause);
}

async function translated<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw asModelFailure(thrown, signal);
  }
}

export function withOurFailures(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => translated(model.doGenerate(options), options.abortSignal),
    doStream: (options) => translated(model.doStream(options), options.abortSignal),
  };
}

export function embeddingWithOurFailures(
  model: EmbeddingModelV4,
  maxEmbeddingsPerCall: number,
): EmbeddingModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    maxEmbeddingsPerCall,
    supportsParallelCalls: true,
    doEmbed: (options) => translated(model.doEmbed(options), options.abortSignal),
  };
}
