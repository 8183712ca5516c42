import { ModelFailure } from "../../ports/models.ts";

/** The `AI` binding as far as it is used here; its catalogue of names is not known to us. */
export type WorkersAi = {
  run(
    model: string,
    inputs: Record<string, unknown>,
    options: { signal?: AbortSignal; gateway?: { id: string } },
  ): Promise<unknown>;
};

/** Requests through the AI Gateway when one is named. */
export type WorkersAiSettings = { ai: WorkersAi; gatewayId: string | undefined };

/** "Capacity temporarily exceeded", and the account's own limit: to be tried again. */
const CAPACITY_EXCEEDED = 3040;
const RATE_LIMITED = 3036;
const TOO_MANY_REQUESTS = 429;
const INTERNAL = 500;

/** What the binding throws says its code at the head of the message: `3040: Capacity …`. */
function workersAiFailure(thrown: unknown): ModelFailure {
  const text = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : String(thrown);
  const code = Number(/\b(\d{3,4})\b/.exec(text)?.[1] ?? Number.NaN);
  const options = { cause: thrown };
  if (code === CAPACITY_EXCEEDED || code === RATE_LIMITED || code === TOO_MANY_REQUESTS) {
    return new ModelFailure(`${code}`, { status: TOO_MANY_REQUESTS, retryable: true }, options);
  }
  if (Number.isNaN(code)) return new ModelFailure("failed", {}, options);
  const retryable = code >= INTERNAL && code < 600;
  return new ModelFailure(`${code}`, { status: code, retryable }, options);
}

/** One call of the binding, abandoned when the signal says so. @throws ModelFailure */
export async function runWorkersAi(
  { ai, gatewayId }: WorkersAiSettings,
  model: string,
  inputs: Record<string, unknown>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  signal?.throwIfAborted();
  try {
    return await ai.run(model, inputs, {
      ...(signal === undefined ? {} : { signal }),
      ...(gatewayId === undefined ? {} : { gateway: { id: gatewayId } }),
    });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw workersAiFailure(thrown);
  }
}
