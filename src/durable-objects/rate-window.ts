import { DurableObject } from "cloudflare:workers";

import { admit, packTimes, unpackTimes, WINDOW_MS } from "../core/sliding-window.ts";
import type { Env } from "../env.ts";
import type { RateWindow as RateWindowPort } from "../ports/own-objects.ts";
import type { RateVerdict } from "../ports/rate-limits.ts";

const KEY = "passed";
/** The answer does not wait for the disk write: a count lost in a crash costs one request. */
const UNCONFIRMED = { allowUnconfirmed: true };

/**
 * The sliding rate window of one surface and client. One thread and no await between reading and
 * counting make it exact under concurrency. Memory holds the count, storage a copy for an eviction
 * inside the window, and one alarm deletes the copy.
 */
export class RateWindow extends DurableObject<Env> implements RateWindowPort {
  #passed: number[] = [];
  #alarmIsSet = false;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    void context.blockConcurrencyWhile(async () => {
      const stored = await context.storage.get<Uint8Array>(KEY);
      if (stored !== undefined) this.#passed = unpackTimes(stored);
      this.#alarmIsSet = (await context.storage.getAlarm()) !== null;
    });
  }

  async take(limit: number): Promise<RateVerdict> {
    const now = Date.now();
    const { allowed, passed, remaining, resetMs } = admit(this.#passed, now, limit);
    this.#passed = passed;
    if (allowed) this.#store(now);
    return { allowed, limit, remaining, resetMs };
  }

  #store(now: number) {
    void this.ctx.storage.put(KEY, packTimes(this.#passed), UNCONFIRMED);
    if (this.#alarmIsSet) return;
    this.#alarmIsSet = true;
    void this.ctx.storage.setAlarm(now + WINDOW_MS, UNCONFIRMED);
  }

  override async alarm() {
    const newest = this.#passed.at(-1) ?? 0;
    const emptyAt = newest + WINDOW_MS;
    if (emptyAt > Date.now()) {
      await this.ctx.storage.setAlarm(emptyAt);
      return;
    }
    this.#passed = [];
    this.#alarmIsSet = false;
    await this.ctx.storage.deleteAll();
  }
}
