/**
 * The service over doubles of Vectorize and Workers AI, each binding counted: what an event asked
 * for is told by `GET /__recorded`.
 */
import { composeServices } from "../../../src/compose.ts";
import { RateWindow as PlainRateWindow } from "../../../src/durable-objects/rate-window.ts";
import type { Env } from "../../../src/env.ts";
import { createApp } from "../../../src/http/app.ts";
import { runScheduledWork } from "../../../src/ingestion/maintenance/sweep.ts";
import { consume } from "../../../src/jobs/consume.ts";
import { panelApi } from "../../../src/panel/api/app.ts";
import { countedBindings, roundsOf, type Operation } from "../../support/counted-bindings.ts";
import { productionDoubles } from "../../support/production-doubles.ts";
import { indexRows } from "./counted-index.ts";

export { RagIndex } from "./counted-index.ts";
export { Clock } from "../../../src/durable-objects/clock.ts";
export { DriveDebounce } from "../../../src/durable-objects/drive-debounce.ts";
export { SpendingLedger } from "../../../src/durable-objects/spending-ledger.ts";
export { EventSender } from "../../../src/durable-objects/event-sender.ts";
export { RequestRecords } from "../../../src/durable-objects/request-records.ts";

/** One request, batch or beat, with everything that it asked for, background work included. */
export type Recorded = {
  event: string;
  /** Calls one after the other until the answer; 0 where nobody waits. */
  rounds: number;
  /** Operations that had begun by the answer. */
  beforeAnswer: number;
  operations: Operation[];
};

/** Rows of the objects' own SQLite databases; a key or an alarm is a row. */
export type ObjectRows = { read: number; written: number };

export type Told = {
  recorded: Recorded[];
  rows: ObjectRows;
  /** Size of the largest index object. */
  indexBytes: number;
  /** Events under way. */
  open: number;
};

/** Calls that run side by side end together, whichever is quicker by itself. */
const DELAY_MS = 25;

const { VECTORIZE, AI } = productionDoubles(0);

let recorded: Recorded[] = [];
let otherRowsWritten = 0;
let open = 0;

export class RateWindow extends PlainRateWindow {
  constructor(context: DurableObjectState, env: Env) {
    const { storage } = context;
    for (const name of ["put", "setAlarm", "deleteAll"] as const) {
      const write = (storage[name] as (...args: unknown[]) => unknown).bind(storage);
      const countedMethod = (...args: unknown[]) => {
        otherRowsWritten += 1;
        return write(...args);
      };
      Object.defineProperty(storage, name, { value: countedMethod });
    }
    super(context, env);
  }
}

const app = createApp(composeServices);
app.route("/panel/api", panelApi());

type Waiting = Promise<unknown>[];

/** The context with its background work at hand, so that the record waits for it. */
function watched(context: ExecutionContext, waiting: Waiting): ExecutionContext {
  return {
    waitUntil: (work: Promise<unknown>) => {
      waiting.push(work);
      context.waitUntil(work);
    },
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;
}

async function record<Result>(
  event: string,
  env: Env,
  context: ExecutionContext,
  work: (env: Env, context: ExecutionContext) => Promise<Result>,
): Promise<Result> {
  const waiting: Waiting = [];
  const recorder = countedBindings({ ...env, VECTORIZE, AI }, { delayMs: DELAY_MS });
  open += 1;
  const result = await work(recorder.env, watched(context, waiting));
  const { operations } = recorder;
  const line = { event, rounds: roundsOf(operations), beforeAnswer: operations.length, operations };
  const end = () => {
    open -= 1;
    recorded.push(line);
  };
  context.waitUntil(Promise.allSettled(waiting).then(end));
  return result;
}

function reportCounts() {
  const { read, written, bytes: indexBytes } = indexRows();
  const rows: ObjectRows = { read, written: written + otherRowsWritten };
  const answer: Told = { recorded, rows, indexBytes, open };
  recorded = [];
  otherRowsWritten = 0;
  return Response.json(answer);
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/__recorded") return reportCounts();
    if (pathname === "/__migrate") {
      for (const sql of await request.json<string[]>()) await env.DB.prepare(sql).run();
      return new Response("done");
    }
    if (pathname === "/__objects") {
      const { prefix, count } = await request.json<{ prefix: string; count: number }>();
      for (let at = 0; at < count; at++) await env.FILES.put(`${prefix}${at}.md`, `# Note ${at}`);
      return new Response("done");
    }
    if (pathname === "/__tick") {
      const aheadMs = Number(searchParams.get("ahead"));
      const now = () => Date.now() + aheadMs;
      await record("tick", env, context, (env, context) =>
        runScheduledWork({ ...composeServices(env, context), now }),
      );
      return new Response("done");
    }
    const event = `${request.method} ${pathname}`;
    return record(event, env, context, async (env, context) => app.fetch(request, env, context));
  },
  async queue(batch, env, context) {
    const event = `queue ${batch.queue}`;
    await record(event, env, context, (env, context) =>
      consume(composeServices(env, context), batch),
    );
  },
} satisfies ExportedHandler<Env>;
