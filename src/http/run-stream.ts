import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { JSONValue } from "hono/utils/types";

import type { Log } from "../core/log.ts";
import { runEvents } from "../inference/run-events.ts";
import type { EmitEvent, RunEvent } from "../inference/run-events.ts";
import type { InferenceResult } from "../inference/types.ts";
import { chunkAnswer, degradedFor } from "./answers.ts";
import type { Caller } from "./caller.ts";
import { logFailure } from "./errors.ts";
import { timingHeader } from "./run-answer.ts";
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
  /** What the plain call answers. */
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

/**
 * Answers with the events of a run, as they happen.
 * @throws what the run throws before its first event.
 */
export async function streamRun(
  context: Context,
  streamed: StreamedRun<unknown>,
): Promise<Response> {
  const { log } = streamed;
  const { signal } = context.req.raw;
  const events = runEvents(streamed.run, signal);
  const texts: AsyncIterator<string, unknown, undefined> = {
    async next() {
      const { done, value } = await events.next();
      if (done === true) return { done, value };
      return { done: false, value: eventText(dataOf(value, streamed), value.type) };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
  const failed = (thrown: unknown) => {
    const { error } = logFailure(thrown, log);
    return eventText({ error }, "error");
  };
  return context.body(await eventStream({ texts, failed, signal }), 200, EVENT_STREAM_HEADERS);
}

function dataOf(
  event: RunEvent,
  { answerOf, includeSources, caller }: StreamedRun<unknown>,
): unknown {
  switch (event.type) {
    case "retrieval": {
      const items = event.items.map((chunk) => chunkAnswer(chunk, includeSources));
      return { items, ...degradedFor(caller, event.degradations) };
    }
    case "delta":
      return { text: event.text };
    case "tool": {
      const { type: _, ...told } = event;
      return told;
    }
    case "result":
      return answerOf(event.result);
    default:
      return event satisfies never;
  }
}
