import { SECOND_MS } from "../core/time.ts";
import { awaitOrNull } from "../core/work/deadline.ts";

/** Proxies close connections on which nothing comes; many do after 30 or 60 seconds. */
const KEEP_ALIVE_MS = 15 * SECOND_MS;
const COMMENT = ": \n\n";

/** Proxies that would collect an answer before they pass it on let this one through. */
export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "X-Accel-Buffering": "no",
};

/** https://html.spec.whatwg.org/multipage/server-sent-events.html; JSON has no line breaks. */
export const eventText = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

export type Events = {
  /** Texts of events; the next is read when the client took the last. */
  texts: AsyncIterator<string, unknown, undefined>;
  /** The text that ends the stream after a failure. */
  failureText: (thrown: unknown) => string;
  /** Aborted when the client is gone, which some servers notice before they cancel the body. */
  signal?: AbortSignal;
  keepAliveMs?: number;
};

/**
 * The body of an answer of server-sent events. It begins with the first event, or with a comment
 * where that takes too long. A client that goes away ends the iterator.
 * @throws what fails before the body begins.
 */
export async function eventStream(events: Events): Promise<ReadableStream<Uint8Array>> {
  const { texts, failureText, signal, keepAliveMs = KEEP_ALIVE_MS } = events;
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string, unknown>> | null = null;
  const nextText = async (): Promise<string | null> => {
    next ??= texts.next();
    const got = await awaitOrNull(next, keepAliveMs);
    if (got === null) return COMMENT;
    next = null;
    return got.done === true ? null : got.value;
  };
  let first: { text: string | null } | null = { text: await nextText() };
  let isCancelled = false;

  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const text = first === null ? await nextText() : first.text;
          first = null;
          if (isCancelled) return;
          if (text === null) controller.close();
          else controller.enqueue(encoder.encode(text));
        } catch (thrown) {
          // The end of the work of a client that left is no failure.
          if (isCancelled) return;
          if (signal?.aborted !== true) controller.enqueue(encoder.encode(failureText(thrown)));
          controller.close();
        }
      },
      async cancel() {
        isCancelled = true;
        await texts.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
