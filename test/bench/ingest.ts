import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { startWorker } from "../../src/cli/worker/start-worker.ts";
import { readCollection } from "./support/collection.ts";
import { madeUp, pushAll, signIn } from "./support/local-service.ts";
import type { Counts, Send } from "./support/local-service.ts";

/**
 * `npm run bench -- ingest [FOLDER] [PORT]`: pushes the documents of a collection (docs.jsonl) to
 * a fresh local service, and waits until all are indexed. Without a folder: 5,000 made-up ones.
 */
const POLL_MS = 250;
const MADE_UP = 5_000;
const DEFAULT_PORT = 8_899;

function documentsOf(folder: string | undefined) {
  if (folder === undefined) return madeUp(MADE_UP);
  return readCollection(folder).documents.map(({ id, title, text }) => ({
    path: `${id}.txt`,
    text: `${title}\n\n${text}`,
  }));
}

async function untilIndexed(send: Send, total: number, startedAt: number): Promise<Counts> {
  for (;;) {
    const counts = (await (await send("GET", "/rags/bench")).json()) as Counts;
    if (counts.processedFiles === total) return counts;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stderr.write(`\r${counts.processedFiles} of ${total} after ${seconds} s `);
    await pause(POLL_MS);
  }
}

export async function run([folder, port]: string[]): Promise<Record<string, unknown>> {
  const documents = documentsOf(folder);
  const stateFolder = mkdtempSync(join(tmpdir(), "quarry-ingest-"));
  const worker = await startWorker({
    port: Number(port ?? DEFAULT_PORT),
    stateFolder,
    vars: [],
    tell: () => undefined,
  });
  try {
    const send = await signIn(worker.url);
    await send("POST", "/file-sources", { name: "bench", provider: "file_system" });
    await send("POST", "/rags", { name: "bench", fileSource: "bench" });
    const startedAt = performance.now();
    await pushAll(send, documents);
    const pushedAt = performance.now();
    const counts = await untilIndexed(send, documents.length, startedAt);
    const endedAt = performance.now();
    const perSecond = (ms: number) => Math.round(documents.length / (ms / 1_000));
    const result = {
      documents: documents.length,
      vectors: counts.numberVectors,
      pushesPerSecond: perSecond(pushedAt - startedAt),
      indexedPerSecond: perSecond(endedAt - startedAt),
      seconds: Math.round((endedAt - startedAt) / 100) / 10,
    };
    console.table([result]);
    return result;
  } finally {
    await worker.stop();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}
