import { createServer } from "node:net";

import { freePort } from "../end-to-end/run-cli.ts";
import { filesOf, readCollection } from "./support/collection.ts";
import { madeUp, pushAll, startService, untilIndexed } from "./support/fresh-service.ts";
import type { PushedText, Service } from "./support/fresh-service.ts";
import { residentMiB } from "./support/group-memory.ts";

const MADE_UP = 5_000;
/** Documents that are made up at a time, and that a line of the table is about. */
const STEP = 10_000;
const CREATED = 201;

function documentsOf(what: string | undefined): { total: number; parts: Iterable<PushedText[]> } {
  const count = Number(what ?? MADE_UP);
  if (Number.isInteger(count)) return { total: count, parts: madeUpParts(count) };
  const documents = filesOf(readCollection(what ?? "").documents);
  return { total: documents.length, parts: [documents] };
}

function* madeUpParts(count: number): Generator<PushedText[]> {
  for (let from = 0; from < count; from += STEP) yield madeUp(Math.min(STEP, count - from), from);
}

/** A server that takes connections and never answers, as the endpoint of every event. */
async function deadEndpoint({ api }: Service): Promise<() => void> {
  const port = await freePort();
  const server = createServer((socket) => socket.on("error", () => undefined));
  server.listen(port, "127.0.0.1");
  const body = { url: `http://127.0.0.1:${port}/`, events: ["*" as const] };
  const { status } = (await api.POST("/event-endpoints", { body })).response;
  if (status !== CREATED) throw new Error(`the endpoint was refused: ${status}`);
  return () => void server.close();
}

/**
 * `npm run bench -- ingest [FOLDER | DOCUMENTS] [dead-endpoint]`: pushes the documents of a collection (docs.jsonl),
 * or so many made-up ones (5,000 without an argument), to a fresh local service, and waits until
 * all are indexed. Prints the rate and the service's memory at each 10,000. With `dead-endpoint`
 * events go to a server that never answers.
 */
export async function run([what, endpoint]: string[]): Promise<Record<string, unknown>> {
  const { total, parts } = documentsOf(what);
  const vars = ["ALLOW_PRIVATE_URLS:true"];
  const { service, stop } = await startService(undefined, { vars });
  const close = endpoint === "dead-endpoint" ? await deadEndpoint(service) : () => undefined;
  try {
    const startedAt = performance.now();
    const secondsUntil = (at: number) => (at - startedAt) / 1_000;
    const steps: { documents: number; perSecond: number; rssMiB: number | null }[] = [];
    let last = { documents: 0, at: startedAt };
    const indexing = untilIndexed(
      service,
      "bench",
      total,
      async ({ processedFiles: documents }) => {
        if (documents < total && documents < last.documents + STEP) return;
        const at = performance.now();
        const perSecond = Math.round((documents - last.documents) / ((at - last.at) / 1_000));
        steps.push({ documents, perSecond, rssMiB: residentMiB(service.pid) });
        last = { documents, at };
      },
    );
    const pushing = (async () => {
      for (const part of parts) await pushAll(service, "bench", part);
      return secondsUntil(performance.now());
    })();
    const [{ numberVectors }, pushed] = await Promise.all([indexing, pushing]);
    const seconds = secondsUntil(last.at);
    const result = {
      documents: total,
      vectors: numberVectors,
      pushesPerSecond: Math.round(total / pushed),
      indexedPerSecond: Math.round(total / seconds),
      seconds: Math.round(seconds * 10) / 10,
    };
    console.table([result]);
    console.table(steps);
    return { ...result, steps };
  } finally {
    await stop();
    close();
  }
}
