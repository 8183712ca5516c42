import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { startWorker } from "../../src/cli/worker/start-worker.ts";
import { openHeap } from "./support/heap.ts";
import type { Heap } from "./support/heap.ts";
import { madeUp, pushAll, signIn } from "./support/local-service.ts";
import type { Counts, PushedText, Send } from "./support/local-service.ts";

const DEFAULT_DOCUMENTS = 10_000;
const ROUND = 1_000;
const SAMPLE_EVERY_MS = 250;
const PORT = 8_897;
const INSPECTOR_PORT = 9_330;

type Row = { documents: number; highestMib: number; heldMib: number };

async function untilIndexed(send: Send, total: number): Promise<void> {
  for (;;) {
    const counts = (await (await send("GET", "/rags/bench")).json()) as Counts;
    if (counts.processedFiles === total) return;
    await pause(SAMPLE_EVERY_MS);
  }
}

/** The highest reading while the work goes on, MiB. */
async function highest(heap: Heap, work: Promise<void>): Promise<number> {
  const state = { going: true, top: 0 };
  const ended = work.finally(() => (state.going = false));
  while (state.going) {
    state.top = Math.max(state.top, await heap.read());
    await Promise.race([pause(SAMPLE_EVERY_MS), ended]);
  }
  await ended;
  return Math.round(state.top * 10) / 10;
}

async function rounds(send: Send, heap: Heap, texts: PushedText[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < texts.length; from += ROUND) {
    const documents = Math.min(from + ROUND, texts.length);
    const work = async () => {
      await pushAll(send, texts.slice(from, documents));
      await untilIndexed(send, documents);
    };
    const highestMib = await highest(heap, work());
    await heap.collectGarbage();
    rows.push({ documents, highestMib, heldMib: Math.round((await heap.read()) * 10) / 10 });
    process.stderr.write(`\r${documents} documents `);
  }
  return rows;
}

/**
 * `npm run bench -- memory [DOCUMENTS]`: the heap of our own isolate while documents are pushed
 * and indexed: its highest reading in each round of 1,000, and what garbage collection leaves.
 */
export async function run([count]: string[]): Promise<Record<string, unknown>> {
  const stateFolder = mkdtempSync(join(tmpdir(), "quarry-memory-"));
  const worker = await startWorker({
    port: PORT,
    inspectorPort: INSPECTOR_PORT,
    stateFolder,
    vars: [],
    tell: () => undefined,
  });
  try {
    const heap = await openHeap(INSPECTOR_PORT);
    const send = await signIn(worker.url);
    await send("POST", "/file-sources", { name: "bench", provider: "file_system" });
    await send("POST", "/rags", { name: "bench", fileSource: "bench" });
    const rows = await rounds(send, heap, madeUp(Number(count ?? DEFAULT_DOCUMENTS)));
    heap.close();
    console.table(rows);
    return { rows };
  } finally {
    await worker.stop();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}
