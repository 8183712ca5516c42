import { MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { Deadline, DeadlineExceeded } from "../../core/work/deadline.ts";
import { Lane, type InLane } from "../../core/work/lane.ts";
import { ModelFailure, type Embedder, type ModelServer } from "../../ports/models.ts";

/** One long passage: the first call, before the server has shown its speed. */
const FIRST_TOKENS = 512;
/** A call takes about so long, so that a question that comes meanwhile is not late. */
const CALL_MS = 2 * SECOND_MS;
/** A call grows at most so many times. */
const GROWTH = 4;
/** A call is late when it takes so many times as long as it should, and this long. */
const PATIENCE = 4;
const LEAST_LIMIT_MS = 30 * SECOND_MS;
/** The longest time, also before the speed is known: 512 tokens at two a second. */
const LAST_MS = 5 * MINUTE_MS;
/** After a call without an answer, questions do not wait for the server so long, and then briefly. */
const SILENT_MS = 30 * SECOND_MS;
const RETURN_MS = SECOND_MS / 2;
/** Vectors of late answers that are kept, for a model. */
const KEPT_VECTORS = 1_000;

/** A text, and its place among those to be embedded. */
export type PacedText = { text: string; at: number; tokens: number };

/** How a call is made; `isAhead`: somebody waits for the answer to a question. */
export type CallOptions = Omit<InLane, "leaseMs"> & {
  signal: AbortSignal;
  /** The texts are queries, not passages. */
  isQuery?: boolean;
  /** Lets a call that is late go on. */
  runInBackground?: (work: Promise<unknown>) => void;
};

/** `isLate`: nobody waits for the answer any more. Resolves to whether anything had to be sent. */
export type Send = (signal: AbortSignal, isLate: () => boolean) => Promise<boolean>;

/**
 * The speed that a model's server has shown: how many tokens it gets in a call, and how long it may
 * take. Known while the isolate lives: production has several, each with a pace of its own; where
 * one process serves all, as `npm start` does, there is one.
 */
export class EmbeddingPace {
  readonly #lane: Lane;
  #tokensPerCall = FIRST_TOKENS;
  /** Sums over the last calls, each of which halves those before it. */
  #shown = { tokens: 0, ms: 0 };
  /** Until when the server is taken to be silent, ms; 0: it has answered. */
  #silentUntil = 0;
  /** Tokens of the longest text that was taken after one was cut: longer ones get calls alone. */
  longestText = Infinity;
  /** Vectors of late answers, by text. */
  readonly late = new Map<string, Float32Array>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Takes the texts of the next call, at most `limit`, from the beginning of `texts`. */
  take(texts: PacedText[], limit: number): PacedText[] {
    let tokens = 0;
    const end = texts.findIndex((text, at) => {
      tokens += text.tokens;
      const isLong = Math.max(text.tokens, texts[0]?.tokens ?? 0) > this.longestText;
      return at > 0 && (at >= limit || isLong || tokens > this.#tokensPerCall);
    });
    return texts.splice(0, end < 0 ? texts.length : end);
  }

  /** @throws ModelFailure `isLate` for no answer in time; what `send` throws; the signal's reason */
  async call(tokens: number, send: Send, how: CallOptions): Promise<void> {
    const { isAhead = false } = how;
    let isLate = false;
    if (isAhead) this.#refuseSilent();
    const lastMs = isAhead ? SILENT_MS : LAST_MS;
    const end = await this.#lane.begin({ ...how, leaseMs: lastMs });
    const limitMs = this.#limitMs(tokens, isAhead);
    const startedAt = Date.now();
    const ending = new AbortController();
    const until = AbortSignal.any([AbortSignal.timeout(lastMs), ending.signal]);
    const answer = send(until, () => isLate).finally(end);
    const measured = answer.then((wasSent) => this.#recordAnswer(wasSent ? tokens : 0, startedAt));
    const beating = setInterval(() => void how.beat?.().catch(() => {}), SECOND_MS);
    try {
      await runInTime(limitMs, how.signal, () => measured);
    } catch (thrown) {
      isLate = Date.now() - startedAt >= RETURN_MS && isSilence(thrown);
      if (isLate) {
        if (this.late.size > KEPT_VECTORS) this.late.clear();
        this.#tokensPerCall = Math.max(1, this.#tokensPerCall / 2);
        this.#silentUntil = startedAt + lastMs;
        const over = measured.catch(() => (this.#silentUntil = Date.now() + SILENT_MS));
        how.runInBackground?.(over);
      } else ending.abort(how.signal.reason);
      throw thrown;
    } finally {
      clearInterval(beating);
    }
  }

  #refuseSilent(): void {
    if (Date.now() >= this.#silentUntil) return;
    throw new ModelFailure("the server does not answer at the moment");
  }

  #limitMs(tokens: number, isAhead: boolean): number {
    if (isAhead && this.#silentUntil > 0) return RETURN_MS;
    const { ms, tokens: measuredTokens } = this.#shown;
    const expectedMs = measuredTokens === 0 ? Infinity : (tokens * ms) / measuredTokens;
    return Math.min(LAST_MS, Math.max(LEAST_LIMIT_MS, PATIENCE * expectedMs));
  }

  #recordAnswer(tokens: number, startedAt: number): void {
    this.#silentUntil = 0;
    if (tokens === 0) return;
    const ms = Math.max(1, Date.now() - startedAt);
    // A short question shows the way there and back, not the speed.
    const weight = 1 - Math.min(1, tokens / this.#tokensPerCall) / 2;
    const { tokens: earlier, ms: took } = this.#shown;
    this.#shown = { tokens: earlier * weight + tokens, ms: took * weight + ms };
    const inTime = (this.#shown.tokens / this.#shown.ms) * CALL_MS;
    this.#tokensPerCall = Math.min(inTime, Math.max(this.#tokensPerCall, GROWTH * tokens));
  }
}

/** An answer that is wrong is no silence, and not to be tried again. */
const isSilence = (thrown: unknown) =>
  thrown instanceof DeadlineExceeded ||
  (thrown instanceof ModelFailure && !thrown.status && thrown.retryable);

/** Calls a provider that takes calls side by side. @throws ModelFailure `isLate` */
export const callAtOnce = (send: Send, { signal }: CallOptions) =>
  runInTime(LEAST_LIMIT_MS, signal, async (until) => void (await send(until, () => false)));

async function runInTime(
  ms: number,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<void>,
) {
  try {
    await new Deadline(Date.now, ms, signal).run("embedding", work);
  } catch (thrown) {
    if (!(thrown instanceof DeadlineExceeded) || signal.aborted) throw thrown;
    throw new ModelFailure(thrown.problem, { retryable: true, isLate: true });
  }
}

const paces = new Map<string, EmbeddingPace>();
const lanes = new Map<string, Lane>();

/** The pace of a model with these dimensions; null: its provider takes calls side by side. */
export function paceOf({ name, dimensions, server }: Embedder): EmbeddingPace | null {
  const lane = laneOf(server && { ...server, callsAtOnce: server.callsAtOnce ?? 1 });
  if (lane === null) return null;
  const key = JSON.stringify([name, dimensions, server?.address]);
  const pace = paces.get(key) ?? new EmbeddingPace(lane);
  paces.set(key, pace);
  return pace;
}

/** The models of one server wait for each other; null: calls need not wait. */
export function laneOf(server: ModelServer | undefined): Lane | null {
  if (server === undefined || server.callsAtOnce === null) return null;
  const { address, callsAtOnce: atOnce } = server;
  const lane = lanes.get(address) ?? new Lane(atOnce);
  lanes.set(address, lane);
  return lane;
}
