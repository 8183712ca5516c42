import { ModelFailure } from "../ports/models.ts";

/** One event of a stream, or one line of it. */
const MAX_EVENT_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** Fails beyond `maxBytes`, or when an event has no end: what is read is held in memory. */
export function limitedBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  isStream: boolean,
): ReadableStream<Uint8Array> {
  let bytes = 0;
  let eventBytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength;
        const lineEnd = piece.lastIndexOf(LINE_FEED);
        eventBytes = lineEnd < 0 ? eventBytes + piece.byteLength : piece.byteLength - lineEnd;
        if (bytes > maxBytes || (isStream && eventBytes > MAX_EVENT_BYTES)) {
          throw new ModelFailure("the answer is too long");
        }
        controller.enqueue(piece);
      },
    }),
  );
}

export const limitedFetch =
  (fetched: typeof fetch | undefined, maxBytes: number): typeof fetch =>
  async (...args) => {
    const response = await (fetched ?? fetch)(...args);
    if (response.body === null) return response;
    const isStream = (response.headers.get("content-type") ?? "").includes("event-stream");
    return new Response(limitedBody(response.body, maxBytes, isStream), response);
  };

/** Our own failure behind what a library threw. */
export function ownFailureIn(thrown: unknown): ModelFailure | null {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof ModelFailure) return at;
  }
  return null;
}
