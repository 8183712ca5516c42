/**
 * `npm run bench -- large [LABEL…]`: time, memory and chunks of large documents of each type, and
 * of hostile files, read and cut in workerd. Memory is what is alive, heap and buffers together,
 * after each of the garbage collections that V8 is made to run all the time (with many pages: in a
 * small heap); time is taken in a second run without.
 */
import { join } from "node:path";

import { LARGE_DOCUMENTS, type LargeDocument } from "./support/large-documents.ts";
import { startWorkerd } from "./support/workerd.ts";

const WORKER = join(import.meta.dirname, "support/extract-worker.ts");
const MEGABYTE = 1e6;
const MIB = 1 << 20;
/** V8's heap in the measured run, MiB: above a Worker's, so that the peak is seen. */
const HEAP_LIMIT_MIB = 512;
/** With this heap full, collections come often enough by themselves. */
const SMALL_HEAP_MIB = 72;
const TRACE_FLAGS = ["--trace-gc", "--trace-gc-verbose", "--max-semi-space-size=4"];

const memoryFlags = ({ hasManyPages = false }: LargeDocument) =>
  hasManyPages
    ? [...TRACE_FLAGS, `--max-heap-size=${SMALL_HEAP_MIB}`]
    : [...TRACE_FLAGS, "--gc-global", `--max-heap-size=${HEAP_LIMIT_MIB}`];

type Reply = { outcome: string; characters: number; pages: number; chunks: number };

export async function run(labels: string[]): Promise<Record<string, unknown>> {
  const selection = LARGE_DOCUMENTS.filter(
    ({ label }) => labels.length === 0 || labels.some((part) => label.includes(part)),
  );
  const rows = [];
  for (const document of selection) {
    const bytes = document.make();
    const { seconds } = await readDocument(document, bytes, []);
    const { reply, output } = await readDocument(document, bytes, memoryFlags(document));
    const row = {
      document: document.label,
      MiB: Number((bytes.length / MIB).toFixed(1)),
      seconds: Number(seconds.toFixed(1)),
      memoryMB: Math.round(peakMegabytes(output)),
      ...reply,
    };
    process.stderr.write(`${JSON.stringify(row)}\n`);
    rows.push(row);
  }
  console.table(rows);
  const mostMemoryMegabytes = Math.max(...rows.map(({ memoryMB }) => memoryMB));
  return { documents: selection.length, mostMemoryMegabytes };
}

async function readDocument({ name }: LargeDocument, bytes: Uint8Array, v8Flags: string[]) {
  const { address, stop, output } = await startWorkerd(WORKER, { v8Flags });
  try {
    const started = performance.now();
    const response = await fetch(new URL(name, address), {
      method: "POST",
      body: new Uint8Array(bytes),
    });
    const reply = (await response.json()) as Reply;
    const seconds = (performance.now() - started) / 1_000;
    await stop();
    return { reply, seconds, output: output() };
  } finally {
    await stop();
  }
}

const COLLECTED = /Mark-Compact.*? -> (\d+\.\d) \(|External memory reported:\s+(-?\d+) KB/g;

/** The most that was alive after a full collection: V8's heap, and the buffers outside it. */
function peakMegabytes(output: string): number {
  let heap = 0;
  let peak = 0;
  for (const [, heapMib, externalKib] of output.matchAll(COLLECTED)) {
    if (heapMib !== undefined) heap = (Number(heapMib) * MIB) / MEGABYTE;
    else peak = Math.max(peak, heap + (Number(externalKib) * 1_024) / MEGABYTE);
  }
  return peak;
}
