import type { UsageMessage } from "../../core/queue-messages.ts";
import type { UsageMessages } from "../../ports/job-queue.ts";

/** A queue bills each 64 KB of a message as one; what is beside the entries fits into the rest. */
const MESSAGE_BYTES = 60_000;
const CALLS_PER_MESSAGE = 100;
/** After so long it is certain that whoever was to send what is waiting has been stopped. */
const OVERDUE_MS = 5_000;

type Options = {
  /** 0: each call is sent by itself. */
  waitMs: number;
  now: () => number;
  pause: (ms: number) => Promise<void>;
  send: (message: UsageMessage | UsageMessages) => Promise<void>;
};

/**
 * Collects the usage of an isolate's calls, so that many share a message: the first is sent at
 * once, the next ones together after `waitMs`. Only messages are shared between calls, no promises:
 * the runtime would not let one call wait for another's.
 */
export class UsageOutbox {
  #waiting: UsageMessage[] = [];
  #bytes = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** When a call that was here before sends what is waiting; null: none does. */
  #dueAt: number | null = null;

  /** Resolves when the message is sent, or when an earlier call sends it soon. */
  async add(message: UsageMessage, { waitMs, now, pause, send }: Options): Promise<void> {
    const bytes = JSON.stringify(message).length;
    // A message that would be too large goes without this one.
    if (this.#bytes + bytes > MESSAGE_BYTES) await this.#flush(now(), send);
    this.#waiting.push(message);
    this.#bytes += bytes;
    if (this.#waiting.length >= CALLS_PER_MESSAGE) return await this.#flush(now(), send);
    const at = now();
    if (this.#dueAt !== null && at < this.#dueAt + OVERDUE_MS) return;
    const restMs = Math.min(waitMs, this.#sentAt + waitMs - at);
    if (restMs > 0) {
      this.#dueAt = at + restMs;
      await pause(restMs);
    }
    await this.#flush(now(), send);
  }

  async #flush(at: number, send: Options["send"]): Promise<void> {
    const [first, ...rest] = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#sentAt = at;
    this.#dueAt = null;
    if (first === undefined) return;
    const message = rest.length === 0 ? first : { calls: [first, ...rest] };
    // Many calls are in it, and a second delivery counts nothing twice.
    try {
      await send(message).catch(() => send(message));
    } catch (thrown) {
      this.#keep([first, ...rest]);
      throw thrown;
    }
  }

  /** Unsent calls go with the next ones, in at most one message. */
  #keep(unsent: UsageMessage[]): void {
    this.#waiting = [...unsent, ...this.#waiting].slice(0, CALLS_PER_MESSAGE);
    this.#bytes = JSON.stringify(this.#waiting).length;
  }
}
