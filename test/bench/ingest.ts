import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { startWorker } from "../../src/cli/worker/start-worker.ts";
import { readCollection } from "./support/collection.ts";

/**
 * `npm run bench -- ingest [FOLDER] [PORT]`: pushes the documents of a collection (docs.jsonl) to
 * a fresh local service, and waits until all are indexed. Without a folder: 5,000 made-up ones.
 */
const UPLOADS_AT_ONCE = 8;
const POLL_MS = 250;
const MADE_UP = 5_000;
const WORDS_EACH = 220;
const DEFAULT_PORT = 8_899;

type Send = (method: string, path: string, body?: unknown, raw?: string) => Promise<Response>;

async function signIn(url: string): Promise<Send> {
  const credentials = { email: "admin@localhost", password: "quarry" };
  const origin = { Origin: url };
  const session = await fetch(`${url}/panel/api/session`, {
    method: "POST",
    body: JSON.stringify(credentials),
  });
  const cookie = session.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  return async (method, path, body, raw) => {
    const headers = { ...origin, Cookie: cookie, "Content-Type": "text/plain" };
    const text = raw ?? (body === undefined ? null : JSON.stringify(body));
    const init = text === null ? { method, headers } : { method, headers, body: text };
    const response = await fetch(`${url}/panel/api${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response;
  };
}

function madeUp(): { path: string; text: string }[] {
  const word = (seed: number) => (Math.imul(seed, 2_654_435_761) >>> 8).toString(36).slice(0, 6);
  return Array.from({ length: MADE_UP }, (_, at) => ({
    path: `${at % 50}/${at}.txt`,
    text: Array.from({ length: WORDS_EACH }, (_, n) => word((at * 31 + n * 7) % 20_000)).join(" "),
  }));
}

function documentsOf(folder: string | undefined) {
  if (folder === undefined) return madeUp();
  return readCollection(folder).documents.map(({ id, title, text }) => ({
    path: `${id}.txt`,
    text: `${title}\n\n${text}`,
  }));
}

async function pushAll(send: Send, documents: { path: string; text: string }[]): Promise<void> {
  const queue = documents.values();
  const worker = async () => {
    for (const { path, text } of queue) {
      await (await send("PUT", `/file-sources/bench/files/${path}`, undefined, text)).text();
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, worker));
}

type Counts = { totalFiles: number; processedFiles: number; numberVectors: number };

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
