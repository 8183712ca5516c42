import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { inParallel } from "../../src/core/work/parallel.ts";
import { comparePlaces } from "./support/compare-places.ts";
import { readCollection } from "./support/collection.ts";
import type { Collection, Document } from "./support/collection.ts";
import { startService } from "./support/fresh-service.ts";
import type { Service } from "./support/fresh-service.ts";
import { ndcg } from "./support/ndcg.ts";

const DEPTH = 10;
/** Some documents have several chunks: ask for more chunks than documents are counted. */
const TOP_K = 30;
const UPLOADS_AT_ONCE = 8;
const POLL_MS = 250;
const MEGABYTE = 1_048_576;

/**
 * Pushes a collection (docs.jsonl, queries.jsonl, qrels.tsv in the folder given) as files into a
 * fresh service, waits until all are indexed, asks every query over HTTP and prints documents a
 * second, the processes' peak memory and nDCG@10. `--rerank` asks with reranking; `--places` compares
 * the places where vectors are searched instead.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const folder = args.find((arg) => !arg.startsWith("--"));
  if (folder === undefined)
    throw new Error("usage: npm run bench -- quality FOLDER [--rerank|--places]");
  const collection = readCollection(folder);
  if (args.includes("--places")) {
    const places = await comparePlaces(collection);
    console.table(places);
    return { documents: collection.documents.length, places };
  }
  const { service, pid, stop } = await startService();
  try {
    const ingest = await pushAll(service, collection.documents, pid);
    const quality = await askAll(service, collection, args.includes("--rerank"));
    const result = { documents: collection.documents.length, ...ingest, ...quality };
    console.table([result]);
    return result;
  } finally {
    await stop();
  }
}

async function pushAll({ url, key, token }: Service, documents: Document[], pid: number) {
  const startedAt = performance.now();
  let peak = 0;
  const rssAt: Record<string, number> = {};
  await inParallel(documents, UPLOADS_AT_ONCE, async ({ id, title, text }) => {
    const response = await fetch(`${url}/panel/api/file-sources/bench/files/${id}.md`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "text/markdown" },
      body: `# ${title}\n\n${text}\n`,
    });
    if (!response.ok) throw new Error(`PUT ${id}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  });
  const pushedMs = performance.now() - startedAt;
  for (;;) {
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`${url}/api/rags/bench`, { headers });
    const rag = (await reply.json()) as { totalFiles: number; processedFiles: number };
    const rss = memoryOf(pid);
    peak = Math.max(peak, rss);
    rssAt[String(Math.floor((rag.processedFiles / documents.length) * 4))] = rss;
    if (rag.processedFiles === documents.length) break;
    await pause(POLL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    pushSeconds: Math.round(pushedMs / 100) / 10,
    indexedSeconds: Math.round(seconds * 10) / 10,
    documentsPerSecond: Math.round(documents.length / seconds),
    memoryMbByQuarter: Object.values(rssAt).map((rss) => Math.round(rss / MEGABYTE)),
  };
}

async function askAll(service: Service, collection: Collection, useReranking: boolean) {
  const { url, token } = service;
  const latencies: number[] = [];
  let sum = 0;
  for (const { id, text } of collection.queries) {
    const startedAt = performance.now();
    const reply = await fetch(`${url}/api/rags/bench/retrieve`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({
        semanticSearch: [text],
        topK: TOP_K,
        useReranking,
        includeSources: true,
      }),
    });
    const { chunks } = (await reply.json()) as { chunks: { source: { filePath: string } }[] };
    latencies.push(performance.now() - startedAt);
    const files = chunks.map(({ source }) => source.filePath.replace(/\.md$/, ""));
    sum += ndcg([...new Set(files)], collection.grades.get(id) ?? new Map(), DEPTH);
  }
  latencies.sort((a, b) => a - b);
  const p50 = latencies[Math.floor(latencies.length / 2)] ?? 0;
  return {
    queries: collection.queries.length,
    ndcgAt10: Math.round((sum / collection.queries.length) * 10_000) / 10_000,
    p50Ms: Math.round(p50 * 10) / 10,
  };
}

/** Resident bytes of a process and all below it (Linux only; 0 elsewhere). */
function memoryOf(root: number): number {
  try {
    const parents = new Map<number, number>();
    for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
      const stat = readStat(name);
      if (stat !== null) parents.set(Number(name), stat);
    }
    const below = (pid: number): boolean => {
      const parent = parents.get(pid);
      return pid === root || (parent !== undefined && parent > 1 && below(parent));
    };
    return [...parents.keys()].filter(below).reduce((total, pid) => total + residentBytes(pid), 0);
  } catch {
    return 0;
  }
}

function readStat(pid: string): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    if (!/^Name:\s+workerd/m.test(status)) return 0;
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
