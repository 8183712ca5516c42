import { join } from "node:path";

import { bytesOfSigns } from "../../src/rag-index/memory/sign-memory.ts";
import { bytesOfVectors, MEMORY_LIMIT_BYTES } from "../../src/rag-index/memory/vector-memory.ts";
import { readCollection } from "./support/collection.ts";
import type { Answered, Ask, Fill, Kind } from "./support/exact-worker.ts";
import { startWorkerd } from "./support/workerd.ts";

const WORKER = join(import.meta.dirname, "support/exact-worker.ts");
const DIMENSIONS = 1_024;
const FILLED_A_CALL = 500;
const QUERIES = 40;
const QUERIES_WITH_TRUTH = 20;
const MEBIBYTE = 1_024 * 1_024;

type Case = { kind: Kind; chunks: number; texts?: string[]; queries?: string[] };

async function post<Reply>(address: URL, path: string, body: unknown): Promise<Reply> {
  const init = { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(new URL(path, address), init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Reply;
}

const at = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
const rounded = (value: number) => Number(value.toFixed(2));

async function measure(address: URL, { kind, chunks, texts, queries }: Case) {
  const name = `${kind}-${chunks}`;
  const ask = async (query: number, isTruth: boolean) => {
    const start = performance.now();
    const text = queries?.[query % queries.length];
    const asked: Ask = { kind, query, isTruth, ...(text === undefined ? {} : { text }) };
    const answered = await post<Answered>(address, `/${name}/ask`, asked);
    return { ...answered, ms: performance.now() - start };
  };
  for (let from = 0; from < chunks; from += FILLED_A_CALL) {
    const count = Math.min(FILLED_A_CALL, chunks - from);
    const own = texts?.slice(from, from + count);
    const fill: Fill = { kind, from, count, ...(own === undefined ? {} : { texts: own }) };
    await post(address, `/${name}/fill`, fill);
  }
  await ask(0, false);
  await post(address, `/${name}/forget`, null);
  const cold = (await ask(0, false)).ms;
  let recalled = 0;
  for (let query = 0; query < QUERIES_WITH_TRUTH; query++) {
    const truth = new Set((await ask(query, true)).chunks);
    const { chunks: found } = await ask(query, false);
    recalled += found.filter((chunk) => truth.has(chunk)).length / truth.size;
  }
  const answers = [];
  for (let query = 0; query < QUERIES; query++) answers.push(await ask(query, false));
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const rows = answers.map(({ rowsRead }) => rowsRead).sort((a, b) => a - b);
  const whole = bytesOfVectors(chunks, DIMENSIONS);
  const bytes = whole <= MEMORY_LIMIT_BYTES ? whole : bytesOfSigns(chunks, DIMENSIONS);
  return {
    vectors: name,
    recallAt100: Number((recalled / QUERIES_WITH_TRUTH).toFixed(4)),
    p50Ms: rounded(at(times, 0.5)),
    p99Ms: rounded(at(times, 0.99)),
    coldMs: Math.round(cold),
    rowsRead: at(rows, 0.5),
    memoryMib: rounded(bytes / MEBIBYTE),
  };
}

/**
 * `npm run bench -- exact [FOLDER] [CHUNKS…]`: nearest neighbours in one index object, in plain
 * workerd: recall against an exact scan of the stored vectors, time of a search, the first search
 * after an eviction, rows read and memory. FOLDER has docs.jsonl and queries.jsonl.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const folder = args.find((argument) => !/^\d+$/.test(argument));
  const given = args.filter((argument) => /^\d+$/.test(argument)).map(Number);
  const sizes = given.length > 0 ? given : [5_000, 10_000, 30_000, 100_000];
  const cases: Case[] = sizes.flatMap((chunks) =>
    (["clustered", "random"] as const).map((kind) => ({ kind, chunks })),
  );
  if (folder !== undefined) {
    const { documents, queries } = readCollection(folder);
    const texts = documents.map(({ title, text }) => `${title}\n${text}`);
    const asked = queries.map(({ text }) => text);
    cases.unshift({ kind: "texts", chunks: texts.length, texts, queries: asked });
    // Twice the collection, so that it is large enough for signs; copies differ in a word.
    const twice = [...texts, ...texts.map((text, at) => `${text}\ncopy${at}`)];
    cases.unshift({ kind: "texts", chunks: twice.length, texts: twice, queries: asked });
  }
  const worker = await startWorkerd(WORKER, {
    durableObject: { binding: "RAG_INDEX", className: "VectorBench" },
  });
  try {
    const rows = [];
    for (const one of cases) {
      rows.push(await measure(worker.address, one));
      console.table(rows.slice(-1));
    }
    console.table(rows);
    return { rows };
  } finally {
    await worker.stop();
  }
}
