import { ModelFailure } from "../ports/models.ts";

/** One event of a stream, or one line of it. */
const MAX_EVENT_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/**
 * Fails beyond `maxBytes`, or when an event has no end: what is read is held in memory. An answer
 * that breaks off differs from a server that cannot be reached.
 */
export function limitedBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, isStream }: { maxBytes: number; isStream: boolean },
  signal?: AbortSignal | null,
): ReadableStream<Uint8Array> {
  let bytes = 0;
  let eventBytes = 0;
  const isTooLong = (piece: Uint8Array) => {
    bytes += piece.byteLength;
    const lineEnd = piece.lastIndexOf(LINE_FEED);
    eventBytes = lineEnd < 0 ? eventBytes + piece.byteLength : piece.byteLength - lineEnd;
    return bytes > maxBytes || (isStream && eventBytes > MAX_EVENT_BYTES);
  };
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await reader.read().catch((cause: unknown) => {
          throw signal?.aborted === true ? cause : brokenAnswer({ cause });
        });
        if (value === undefined) return controller.close();
        if (isTooLong(value)) {
          void reader.cancel().catch(() => undefined);
          throw new ModelFailure("the answer is too long");
        }
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

export const brokenAnswer = (cause?: ErrorOptions) =>
  new ModelFailure("the connection broke", { retryable: true }, cause);

export const limitedFetch =
  (fetched: typeof fetch | undefined, maxBytes: number): typeof fetch =>
  async (...args) => {
    const response = await (fetched ?? fetch)(...args);
    if (response.body === null) return response;
    const isStream = (response.headers.get("content-type") ?? "").includes("event-stream");
    return new Response(
      limitedBody(response.body, { maxBytes, isStream }, args[1]?.signal),
      response,
    );
  };

/** Our own failure behind what a library threw. */
export function ownFailureIn(thrown: unknown): ModelFailure | null {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof ModelFailure) return at;
  }
  return null;
}
