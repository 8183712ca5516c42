import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { JSONValue } from "hono/utils/types";

import type { Log } from "../core/log.ts";
import { runEvents } from "../inference/run-events.ts";
import type { EmitEvent, RunListener, RunEvent } from "../inference/run-events.ts";
import type { InferenceResult, Timings } from "../inference/types.ts";
import { chunkAnswer, degradedAnswer } from "./answers.ts";
import type { Caller } from "./caller.ts";
import { logFailure } from "./errors.ts";
import { EVENT_STREAM_HEADERS, eventStream, eventText } from "./event-stream.ts";

const JSON_TYPE = "application/json";
const EVENTS_TYPE = "text/event-stream";

/** Whether the caller names server-sent events, and prefers nothing else that there is. */
function asksForEvents(context: Context): boolean {
  if (context.req.header("Accept")?.toLowerCase().includes(EVENTS_TYPE) !== true) return false;
  const supports = [EVENTS_TYPE, JSON_TYPE];
  return accepts(context, { header: "Accept", supports, default: JSON_TYPE }) === EVENTS_TYPE;
}

export type StreamedRun<Answer> = {
  run: (listening: { signal: AbortSignal; emit?: EmitEvent }) => Promise<InferenceResult>;
  /** The body of the plain call. */
  answerOf: (result: InferenceResult) => Answer;
  includeSources: boolean | undefined;
  caller: Caller;
  log: Log;
};

/** A run's answer in the form that its caller asks for. */
export async function answerRun<Answer extends JSONValue>(
  context: Context,
  streamed: StreamedRun<Answer>,
) {
  if (asksForEvents(context)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream has no type that the route could check
    return (await streamRun(context, streamed)) as never;
  }
  const result = await streamed.run({ signal: context.req.raw.signal });
  if (streamed.caller.isAdmin) context.header("X-Inference-Timings", timingHeader(result.timings));
  return context.json(streamed.answerOf(result), 200);
}

/** `X-Inference-Timings`, in the syntax of Server-Timing. */
function timingHeader({ contextMs, rerankingMs, modelMs, totalMs }: Timings): string {
  const parts = { context: contextMs, reranking: rerankingMs, model: modelMs, total: totalMs };
  return Object.entries(parts)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(", ");
}

/** Answers with a run's events as they happen. @throws what it throws before the first. */
export async function streamRun(
  context: Context,
  streamed: StreamedRun<unknown>,
): Promise<Response> {
  const { run, log } = streamed;
  const texts = async function* (events: AsyncIterable<RunEvent>) {
    for await (const event of events) yield eventText(dataOf(event, streamed), event.type);
  };
  const failureText = ({ error }: Failure) => eventText({ error }, "error");
  const body = await runBody({ run, signal: context.req.raw.signal, log }, texts, failureText);
  return context.body(body, 200, EVENT_STREAM_HEADERS);
}

type Failure = { status: number; error: string; thrown: unknown };

/**
 * The body of a run's answer: texts that are made of its events, and one that ends it after a
 * failure. @throws what the run throws before its first event.
 */
export async function runBody<Result extends object>(
  {
    run,
    signal,
    log,
  }: { run: (listening: RunListener) => Promise<Result>; signal: AbortSignal; log: Log },
  textsOf: (events: AsyncIterable<RunEvent<Result>>) => AsyncGenerator<string>,
  failedText: (failure: Failure) => string,
): Promise<ReadableStream<Uint8Array>> {
  const departure = new AbortController();
  const source = textsOf(runEvents(run, AbortSignal.any([signal, departure.signal])));
  const texts: AsyncIterator<string, unknown, undefined> = {
    next: () =>
      source.next().catch((thrown: unknown) => {
        // Texts that fail take no more events, for which the run would wait.
        departure.abort();
        throw thrown;
      }),
    // The run is ended, and not its texts: these may be waiting for it.
    return() {
      departure.abort();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  const failureText = (thrown: unknown) => failedText({ ...logFailure(thrown, log), thrown });
  return await eventStream({ texts, failureText, signal });
}

function dataOf(
  event: RunEvent,
  { answerOf, includeSources, caller }: StreamedRun<unknown>,
): unknown {
  switch (event.type) {
    case "retrieval": {
      const items = event.items.map((chunk) => chunkAnswer(chunk, includeSources));
      return { items, ...degradedAnswer(caller, event.degradations) };
    }
    case "delta":
      return { text: event.text };
    case "tool": {
      const { type: _, ...data } = event;
      return data;
    }
    case "result":
      return answerOf(event.result);
    default:
      return event satisfies never;
  }
}
