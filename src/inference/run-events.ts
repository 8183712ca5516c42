import type { RetrievedChunk } from "../retrieval/score-chunks.ts";
import type { Caller, CallerFunctions, EarlierMessage, InferenceResult } from "./types.ts";

/** Events of a run while it works, in the order in which they happen. */
type ProgressEvent =
  /** Passages that a search found and no event named before; the result has them all. */
  | {
      type: "retrieval";
      items: RetrievedChunk[];
      degradations: string[];
      /** As in the result; absent for searches of the model. */
      questions?: string[];
    }
  /** Text of the model. `step` counts its calls from 0: a further call begins a new text. */
  | { type: "delta"; text: string; step: number }
  | { type: "tool"; id: string; tool: string; state: "started" }
  | { type: "tool"; id: string; tool: string; state: "finished"; ok: boolean };

export type RunEvent<Result = InferenceResult> = ProgressEvent | { type: "result"; result: Result };

/** Resolves when the event was taken: a slow listener slows the model's answer down. */
export type EmitEvent = (event: ProgressEvent) => Promise<void>;

/** A listener of a run; the signal ends the run. */
export type RunListener = { emit: EmitEvent; signal: AbortSignal };

/** Optional inputs of a run: who calls, what was said before, who listens. */
export type RunContext = Partial<{
  /** Earlier turns, oldest first; the passages and the prompt follow them. */
  messages: EarlierMessage[] | undefined;
  /** Calls of the caller's functions since the prompt, with their results. */
  followUp: EarlierMessage[] | undefined;
  /** Offered to the model beside the searches. */
  functions: CallerFunctions | undefined;
  /** Whether the answer names the passages behind it; structured output never does. */
  cites: boolean | undefined;
  /** The caller's disconnect: it ends all work at once. */
  signal: AbortSignal | undefined;
  /** Absent: nobody listens, and the model is not asked to stream. */
  emit: EmitEvent | undefined;
}> & { caller: Caller };

type PendingEvent<Result> = { event: RunEvent<Result>; notifyTaken: () => void };

/**
 * The events of a run, one at a time; the last one is `result`. Throws what the run throws, which
 * begins when the first is asked for. The signal, if there is one, ends it at once, also while `next` waits.
 * @param run starts the work: `runInference` or `runAgent` with what it is given.
 */
export async function* runEvents<Result extends object = InferenceResult>(
  run: (listening: RunListener) => Promise<Result>,
  signal = new AbortController().signal,
): AsyncGenerator<RunEvent<Result>, undefined, undefined> {
  const waiting: PendingEvent<Result>[] = [];
  let wake = () => {};
  let isOver = false;
  const hasNothing = () => waiting.length === 0 && !isOver;

  const emit = (event: RunEvent<Result>): Promise<void> =>
    new Promise((resume) => {
      waiting.push({ event, notifyTaken: resume });
      // Nobody may be there to take it.
      if (signal.aborted) resume();
      wake();
    });
  signal.addEventListener("abort", () => waiting.forEach(({ notifyTaken: resume }) => resume()), {
    once: true,
  });

  const running = run({ emit, signal });
  const finish = (result?: Result) => {
    isOver = true;
    if (result === undefined) wake();
    else void emit({ type: "result", result });
  };
  // The end reports the failure.
  running.then(finish, () => finish());

  for (;;) {
    while (hasNothing()) {
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const first = waiting.shift();
    if (first === undefined) break;
    first.notifyTaken();
    yield first.event;
  }
  await running;
}
