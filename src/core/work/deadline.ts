import { SECOND_MS, type Now } from "../time.ts";

/** Thrown when a leg exceeds its share of the time; `what` names the leg for the administrator. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";

  /** The message without the name of the leg. */
  readonly problem: string;

  constructor(what: string, afterMs: number) {
    const problem = `no answer after ${Math.round(afterMs)} ms`;
    super(`${what}: ${problem}`);
    this.problem = problem;
  }
}

/** One time budget for a whole call: a leg over its share is aborted by signal, else abandoned. */
export class Deadline {
  readonly #now: Now;
  readonly #endsAt: number;
  readonly #parent: AbortSignal | undefined;

  constructor(now: Now, budgetMs: number, parent?: AbortSignal) {
    this.#now = now;
    this.#endsAt = now() + budgetMs;
    this.#parent = parent;
  }

  /** Milliseconds left, never below zero; none for a caller who has disconnected. */
  get remainingMs(): number {
    if (this.#parent?.aborted === true) return 0;
    return Math.max(0, this.#endsAt - this.#now());
  }

  /**
   * Runs `work` within `share` (0 to 1) of what is left.
   * @throws DeadlineExceeded when the share is used up first; the parent's abort reason when the
   * caller has disconnected; otherwise whatever `work` throws.
   */
  async run<T>(what: string, work: (signal: AbortSignal) => Promise<T>, share = 1): Promise<T> {
    this.#parent?.throwIfAborted();
    const budgetMs = this.remainingMs * share;
    if (budgetMs <= 0) throw new DeadlineExceeded(what, 0);
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = (reason: unknown) => controller.abort(reason);
    const stopWithParent = () => stop(this.#parent?.reason);
    try {
      this.#parent?.addEventListener("abort", stopWithParent, { once: true });
      // First, so that what an aborted work throws does not hide the reason.
      const aborted = abortOf(controller.signal);
      timer = setTimeout(() => stop(new DeadlineExceeded(what, budgetMs)), budgetMs);
      return await Promise.race([work(controller.signal), aborted]);
    } finally {
      clearTimeout(timer);
      this.#parent?.removeEventListener("abort", stopWithParent);
    }
  }
}

/** Never resolves; rejects with the signal's reason once it is aborted. */
export const abortOf = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const stop = () => {
      const { reason } = signal;
      reject(reason instanceof Error ? reason : new Error("aborted", { cause: reason }));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

/** Null when the time was over first; the work goes on. */
export async function awaitOrNull<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

const TICKS_A_SECOND = 4;

/**
 * The seconds are counted in timers that ended one after another: while the thread was busy, the
 * work had no time either. @throws DeadlineExceeded; the work goes on
 */
export async function awaitWithin<T>(work: PromiseLike<T>, seconds: number): Promise<T> {
  const settled = Promise.resolve(work).then((value) => ({ value }));
  for (let tick = 0; tick < seconds * TICKS_A_SECOND; tick++) {
    const outcome = await awaitOrNull(settled, SECOND_MS / TICKS_A_SECOND);
    if (outcome !== null) return outcome.value;
  }
  throw new DeadlineExceeded("storage", seconds * SECOND_MS);
}
