import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { startWorker, type RunningWorker } from "../../src/cli/worker/start-worker.ts";
import { readCollection } from "./support/collection.ts";
import { residentMiB } from "./support/group-memory.ts";
import { openHeap, type Heap } from "./support/heap.ts";
import { madeUp, pushAll, signIn } from "./support/local-service.ts";
import type { Counts, PushedText, Send } from "./support/local-service.ts";

/**
 * `npm run bench -- ingest [FOLDER | DOCUMENTS] [PORT]`: pushes the documents of a collection
 * (docs.jsonl), or so many made-up ones (5,000 without an argument), to a fresh local service, and
 * waits until all are indexed. It tells the rate of each 10,000, and the memory then. It gives up
 * when no document is indexed for two minutes.
 */
/** A question takes the service's thread some 6 ms: rarely while much is left, then more often. */
const POLL_MS = { least: 100, most: 1_000, atFirst: 250 };
/** Of the time that is left, between two questions. */
const POLL_SHARE = 0.25;
const STALLED_MS = 120_000;
const MADE_UP = 5_000;
/** Documents that are made up at a time, and that a line of the table is about. */
const STEP = 10_000;
const DEFAULT_PORT = 8_899;

/** The heap is that of our own isolate; the process holds the simulators' isolates as well. */
type Step = { documents: number; perSecond: number; rssMiB: number | null; heapMiB: number };

type Documents = { total: number; parts: () => Iterable<PushedText[]> };

function documentsOf(what: string | undefined): Documents {
  const count = Number(what ?? MADE_UP);
  if (what === undefined || Number.isInteger(count)) {
    return { total: count, parts: () => madeUpParts(count) };
  }
  const { documents } = readCollection(what);
  const texts = documents.map(({ id, title, text }) => {
    return { path: `${id}.txt`, text: `${title}\n\n${text}` };
  });
  return { total: texts.length, parts: () => [texts] };
}

function* madeUpParts(count: number): Generator<PushedText[]> {
  for (let from = 0; from < count; from += STEP) yield madeUp(Math.min(STEP, count - from), from);
}

async function pushParts(send: Send, { parts }: Documents): Promise<number> {
  for (const part of parts()) await pushAll(send, part);
  return performance.now();
}

const countsOf = async (send: Send) => (await (await send("GET", "/rags/bench")).json()) as Counts;

function pauseBefore(total: number, documents: number, passedMs: number): number {
  const leftMs = ((total - documents) * passedMs) / documents;
  return Math.min(POLL_MS.most, Math.max(POLL_MS.least, leftMs * POLL_SHARE));
}

/** A step for every 10,000 documents that are indexed, and for the rest. */
async function untilIndexed(
  send: Send,
  total: number,
  measure: () => Promise<Pick<Step, "rssMiB" | "heapMiB">>,
) {
  const steps: Step[] = [];
  const startedAt = performance.now();
  let last = { documents: 0, at: performance.now() };
  let seen = { documents: 0, at: performance.now() };
  for (;;) {
    const { processedFiles: documents, numberVectors } = await countsOf(send);
    const at = performance.now();
    if (documents > seen.documents) seen = { documents, at };
    if (at - seen.at > STALLED_MS) throw new Error(`stopped at ${documents} of ${total}`);
    if (documents === total || documents >= last.documents + STEP) {
      const perSecond = Math.round((documents - last.documents) / ((at - last.at) / 1_000));
      steps.push({ documents, perSecond, ...(await measure()) });
      last = { documents, at };
    }
    if (documents === total) return { steps, vectors: numberVectors, endedAt: at };
    process.stderr.write(`\r${documents} of ${total} `);
    await pause(documents === 0 ? POLL_MS.atFirst : pauseBefore(total, documents, at - startedAt));
  }
}

async function measured(worker: RunningWorker, heap: Heap, documents: Documents) {
  const { total } = documents;
  const send = await signIn(worker.url);
  await send("POST", "/file-sources", { name: "bench", provider: "file_system" });
  await send("POST", "/rags", { name: "bench", fileSource: "bench" });
  const startedAt = performance.now();
  const measure = async () => {
    return { rssMiB: residentMiB(worker.pid), heapMiB: Math.round(await heap.read()) };
  };
  const [pushedAt, { steps, vectors, endedAt }] = await Promise.all([
    pushParts(send, documents),
    untilIndexed(send, total, measure),
  ]);
  const perSecond = (ms: number) => Math.round(total / (ms / 1_000));
  const result = {
    documents: total,
    vectors,
    pushesPerSecond: perSecond(pushedAt - startedAt),
    indexedPerSecond: perSecond(endedAt - startedAt),
    seconds: Math.round((endedAt - startedAt) / 100) / 10,
  };
  console.table([result]);
  console.table(steps);
  return { ...result, steps };
}

export async function run([what, port]: string[]): Promise<Record<string, unknown>> {
  const documents = documentsOf(what);
  const stateFolder = mkdtempSync(join(tmpdir(), "quarry-ingest-"));
  const at = Number(port ?? DEFAULT_PORT);
  const worker = await startWorker({
    port: at,
    stateFolder,
    vars: [],
    inspectorPort: at + 1,
    tell: () => undefined,
  });
  try {
    const heap = await openHeap(at + 1);
    try {
      return await measured(worker, heap, documents);
    } finally {
      heap.close();
    }
  } finally {
    await worker.stop();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}
