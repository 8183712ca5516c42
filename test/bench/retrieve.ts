import { join } from "node:path";

import { toBatches } from "../../src/core/work/batches.ts";
import { readCollection } from "./support/collection.ts";
import type { Collection, Document } from "./support/collection.ts";
import { ndcg } from "./support/ndcg.ts";
import { postJson } from "./support/post-json.ts";
import { timeCalls } from "./support/time-calls.ts";
import { startWorkerd } from "./support/workerd.ts";

const RESULTS = 10;
const CLIENTS = 8;
const DOCUMENTS_A_CALL = 200;
const ROUNDS = 3;
/** Asked before the queries, each once: as many different questions as a day may bring. */
const TITLES = 2_000;
const TITLES_A_ROUND = 500;
const WORKER = join(import.meta.dirname, "support/retrieve-worker.ts");
/** Time that the plain form of both legs took when the design was measured, ms. */
const FLOOR_MS = 4.4;

type Chunk = { file: { path: string } };

async function load(address: URL, documents: Document[]): Promise<number> {
  const start = performance.now();
  for (let at = 0; at < documents.length; at += DOCUMENTS_A_CALL) {
    await postJson(new URL("/load", address), documents.slice(at, at + DOCUMENTS_A_CALL));
  }
  return documents.length / ((performance.now() - start) / 1_000);
}

const retrieve = (address: URL, { text }: { text: string }) =>
  postJson<Chunk[]>(new URL("/retrieve", address), { text, limit: RESULTS });

async function quality(address: URL, { queries, grades }: Collection): Promise<number> {
  let sum = 0;
  for (const query of queries) {
    const passages = await retrieve(address, query);
    const ranked = passages.map(({ file }) => file.path);
    sum += ndcg(ranked, grades.get(query.id) ?? new Map(), RESULTS);
  }
  return sum / queries.length;
}

/** Rows that a retrieval reads, each query asked once. */
async function rowsARetrieval(address: URL, queries: { text: string }[]): Promise<number> {
  const rows = new URL("/rows", address);
  await postJson(rows, null);
  for (const query of queries) await retrieve(address, query);
  return Math.round((await postJson<number>(rows, null)) / queries.length);
}

/**
 * One retrieval (both legs, fusion, ten texts) in plain workerd, without HTTP API and D1.
 * Argument: a folder with docs.jsonl, queries.jsonl and qrels.tsv.
 */
export async function run([folder]: string[]): Promise<Record<string, unknown>> {
  if (folder === undefined) throw new Error("usage: npm run bench -- retrieve FOLDER");
  const collection = readCollection(folder);
  const worker = await startWorkerd(WORKER, {
    durableObject: { binding: "RAG_INDEX", className: "RagIndex" },
  });
  try {
    const { address } = worker;
    const loaded = await load(address, collection.documents);
    const { queries } = collection;
    const time = (subset: typeof queries, clients: number) =>
      timeCalls(subset, clients, (query) => retrieve(address, query));
    const { maxMs: firstSearchMs } = await time(queries.slice(0, 1), 1);
    const rowCounts: number[] = [];
    for (const titles of toBatches(collection.documents.slice(0, TITLES), TITLES_A_ROUND)) {
      const texts = titles.map(({ title }) => ({ text: title }));
      rowCounts.push(await rowsARetrieval(address, texts));
    }
    const ndcgAt10 = await quality(address, collection);
    const rowsOfWordsInMemory = await rowsARetrieval(address, queries);
    const { p50Ms, p95Ms } = await time(queries, 1);
    const rounds = Array.from({ length: ROUNDS }, () => queries).flat();
    const { perSecond } = await time(rounds, CLIENTS);
    const result = {
      documents: collection.documents.length,
      loadedPerSecond: Math.round(loaded),
      firstSearchMs,
      ndcgAt10: Number(ndcgAt10.toFixed(4)),
      rowsOfFirstTitles: rowCounts[0],
      rowsOfLastTitles: rowCounts.at(-1),
      rowsOfWordsInMemory,
      p50Ms,
      p95Ms,
      floorMs: FLOOR_MS,
      requestsPerSecondAt8: perSecond,
    };
    console.table(result);
    return result;
  } finally {
    await worker.stop();
  }
}
