import { ModelFailure } from "../../ports/models.ts";
import { NO_SUCH_MODEL } from "../openai/model-failures.ts";

type WorkersAiOptions = {
  signal?: AbortSignal;
  gateway?: { id: string };
  /**
   * Fails instead of waiting for capacity
   * (https://developers.cloudflare.com/workers-ai/features/reject-if-busy/).
   */
  rejectIfBusy?: boolean;
};

/** The part of the `AI` binding that is used here, for any model name. */
export type WorkersAi = {
  toMarkdown?(file: { name: string; blob: Blob }, options: object): Promise<unknown>;
  run(model: string, inputs: Record<string, unknown>, options: WorkersAiOptions): Promise<unknown>;
};

/** Requests through the AI Gateway when one is named. */
export type WorkersAiSettings = { ai: WorkersAi; gatewayId: string | undefined };

/**
 * The HTTP status behind each code of the service
 * (https://developers.cloudflare.com/workers-ai/platform/errors/).
 */
const STATUS_OF_CODE = new Map<number, number>([
  ...[5007, 5004, 3039, 3003].map((code) => [code, 400] as const),
  ...[5018, 5016, 3023, 3041].map((code) => [code, 403] as const),
  [3042, 404],
  ...[5019, 5005].map((code) => [code, 405] as const),
  ...[3007, 3008].map((code) => [code, 408] as const),
  [3006, 413],
  // Out of capacity, and the daily allocation of an account without a plan.
  ...[3040, 3036].map((code) => [code, 429] as const),
]);
/** The service's timeouts, lack of capacity and failures: a retry may succeed. */
const isRetryable = (status: number) => status === 408 || status === 429 || status >= 500;

/** An error of the binding begins with its code: `3040: Capacity …`. */
function workersAiFailure(thrown: unknown): ModelFailure {
  const text = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : String(thrown);
  const code = Number(/\b(\d{3,4})\b/.exec(text)?.[1] ?? Number.NaN);
  const options = { cause: thrown };
  if (Number.isNaN(code)) return new ModelFailure("failed", {}, options);
  const status = STATUS_OF_CODE.get(code) ?? (code < 600 ? code : null);
  const retryable = status !== null && isRetryable(status);
  const message = status === 404 ? `404${NO_SUCH_MODEL}` : `${code}`;
  return new ModelFailure(message, { status, retryable }, options);
}

/** One call of the binding, abandoned when the signal aborts. @throws ModelFailure */
export async function runWorkersAi(
  { ai, gatewayId }: WorkersAiSettings,
  model: string,
  inputs: Record<string, unknown>,
  signal: AbortSignal | undefined,
  options: Pick<WorkersAiOptions, "rejectIfBusy"> = {},
): Promise<unknown> {
  signal?.throwIfAborted();
  try {
    return await ai.run(model, inputs, {
      ...options,
      ...(signal === undefined ? {} : { signal }),
      ...(gatewayId === undefined ? {} : { gateway: { id: gatewayId } }),
    });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw workersAiFailure(thrown);
  }
}
