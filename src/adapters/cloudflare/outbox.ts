/** A queue bills each 64 KB of a message as one; what is beside the entries fits into the rest. */
const MESSAGE_BYTES = 60_000;
const ITEMS_PER_MESSAGE = 100;
/** After so long it is certain that whoever was to send what is waiting has been stopped. */
const OVERDUE_MS = 5_000;

type Items<Item> = [Item, ...Item[]];
type Options<Item> = {
  /** 0: each item is sent by itself. */
  waitMs: number;
  now: () => number;
  pause: (ms: number) => Promise<void>;
  send: (items: Items<Item>) => Promise<unknown>;
};

export const pause = (ms: number) => new Promise<void>((over) => void setTimeout(over, ms));

/**
 * Collects what the calls of an isolate report, so that many share a message: the first is sent at
 * once, the next ones together after `waitMs`. Only items are shared between calls, no promises:
 * the runtime would not let one call wait for another's.
 */
export class Outbox<Item> {
  #waiting: Item[] = [];
  #bytes = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** When a call that was here before sends what is waiting; null: none does. */
  #dueAt: number | null = null;

  /** Resolves when the item is sent, or when an earlier call sends it soon. */
  async add(item: Item, { waitMs, now, pause, send }: Options<Item>): Promise<void> {
    const bytes = JSON.stringify(item).length;
    // A message that would be too large goes without this one.
    if (this.#bytes + bytes > MESSAGE_BYTES) await this.#flush(now(), send);
    this.#waiting.push(item);
    this.#bytes += bytes;
    if (this.#waiting.length >= ITEMS_PER_MESSAGE) return await this.#flush(now(), send);
    const at = now();
    if (this.#dueAt !== null && at < this.#dueAt + OVERDUE_MS) return;
    const restMs = Math.min(waitMs, this.#sentAt + waitMs - at);
    if (restMs > 0) {
      this.#dueAt = at + restMs;
      await pause(restMs);
    }
    await this.#flush(now(), send);
  }

  async #flush(at: number, send: Options<Item>["send"]): Promise<void> {
    const [first, ...rest] = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#sentAt = at;
    this.#dueAt = null;
    if (first === undefined) return;
    const items: Items<Item> = [first, ...rest];
    // Many calls are in it, and a second delivery counts nothing twice.
    try {
      await send(items).catch(() => send(items));
    } catch (thrown) {
      this.#keep(items);
      throw thrown;
    }
  }

  /** Unsent items go with the next ones, in at most one message. */
  #keep(unsent: Item[]): void {
    this.#waiting = [...unsent, ...this.#waiting].slice(0, ITEMS_PER_MESSAGE);
    this.#bytes = JSON.stringify(this.#waiting).length;
  }
}
