import { DurableObject } from "cloudflare:workers";

import { SlidingWindow, WINDOW_MS } from "../core/sliding-window.ts";
import { SECOND_MS } from "../core/time.ts";
import type { Env, RateWindow as RateWindowPort } from "../env.ts";
import type { RateVerdict } from "../ports/rate-limits.ts";

const KEY = "times";
/** The answer does not wait for the disk write: what a crash may lose is said below. */
const UNCONFIRMED = { allowUnconfirmed: true };
/**
 * From so many requests a second on, one write follows for all of a second: each is billed. Slower
 * clients' requests are written at once, because the timer keeps the object awake, which is billed
 * as well.
 */
const FAST_A_SECOND = 4;

/**
 * The sliding rate window of one surface and client. One thread and no await between reading and
 * counting make it exact under concurrency. Memory holds the count, storage a copy for an eviction
 * inside the window, and one alarm deletes the copy. The copy of a fast client's requests is up to a
 * second behind; the timer that writes it keeps the object from being evicted, so that only a crash
 * or a deployment forgets that second.
 */
export class RateWindow extends DurableObject<Env> implements RateWindowPort {
  #window = new SlidingWindow();
  #alarmIsSet = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    void context.blockConcurrencyWhile(async () => {
      const times = await context.storage.get<number[]>(KEY);
      if (times !== undefined) this.#window = new SlidingWindow(times);
      this.#alarmIsSet = (await context.storage.getAlarm()) !== null;
    });
  }

  async take(limit: number): Promise<RateVerdict> {
    const now = Date.now();
    const { newest } = this.#window;
    const admission = this.#window.admit(now, limit);
    if (admission.allowed) this.#store(now);
    // Times of a clock that was ahead must not come back with the next eviction.
    else if (this.#window.newest !== newest) this.#write();
    return { limit, ...admission };
  }

  #store(now: number) {
    const isFast = this.#window.hasAdmittedSince(FAST_A_SECOND, now - SECOND_MS);
    if (isFast) this.#timer ??= setTimeout(() => this.#write(), SECOND_MS);
    else this.#write();
    if (this.#alarmIsSet) return;
    this.#alarmIsSet = true;
    void this.ctx.storage.setAlarm(now + WINDOW_MS, UNCONFIRMED);
  }

  #write() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    void this.ctx.storage.put(KEY, this.#window.admittedTimes, UNCONFIRMED);
  }

  override async alarm() {
    const emptyAt = this.#window.newest + WINDOW_MS;
    if (emptyAt > Date.now()) {
      await this.ctx.storage.setAlarm(emptyAt);
      return;
    }
    this.#window = new SlidingWindow();
    this.#alarmIsSet = false;
    await this.ctx.storage.deleteAll();
  }
}
