import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { POSTINGS_LIMIT } from "../../src/index-store/query-terms.ts";
import { readCollection } from "./support/collection.ts";
import type { Collection } from "./support/collection.ts";
import { ndcg } from "./support/ndcg.ts";
import { queryFor } from "./support/synthetic-text.ts";
import { startWorkerd } from "./support/workerd.ts";

const WORKER = join(import.meta.dirname, "support/scale-worker.ts");
const DEFAULT_SIZES = [10_000, 100_000];
const SHARD_COUNTS = [1, 10];
const CHUNKS_A_FILE = 20;
const WORDS_A_CHUNK = 200;
const FILES_A_CALL = 100;
const CALLS = 200;
const WARM_UP_CALLS = 20;
const QUERY_WORDS = 7;
const HYDRATED = 100;
const KILOBYTE = 1_024;

type Ask = { generation: number; shards: number };
type Post = <Reply>(path: string, body: unknown) => Promise<Reply>;
type Bench = { post: Post; pid: number };

const posterTo =
  (address: URL): Post =>
  async <Reply>(path: string, body: unknown) => {
    const init = { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(new URL(path, address), init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Reply;
  };

/** `readKiB`: read from storage a call, whatever the machine's load; null where nobody tells. */
type Times = { p50: number; p99: number; readKiB: number | null };

/** Linux counts what a process has read, from memory or disk. */
function bytesReadBy(pid: number): number | null {
  const file = `/proc/${pid}/io`;
  const counted = existsSync(file) ? /rchar: (\d+)/.exec(readFileSync(file, "utf8")) : null;
  return counted === null ? null : Number(counted[1]);
}

async function time(
  { pid }: Bench,
  calls: number,
  work: (at: number) => Promise<unknown>,
): Promise<Times> {
  for (let at = 0; at < WARM_UP_CALLS; at++) await work(calls + at);
  const readBefore = bytesReadBy(pid);
  const times: number[] = [];
  for (let at = 0; at < calls; at++) {
    const start = performance.now();
    await work(at);
    times.push(performance.now() - start);
  }
  const readAfter = bytesReadBy(pid);
  const read = readBefore === null || readAfter === null ? null : readAfter - readBefore;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(calls * share))] ?? 0;
  const readKiB = read === null ? null : Math.round(read / calls / KILOBYTE);
  return { p50: round(at(0.5)), p99: round(at(0.99)), readKiB };
}

const round = (value: number) => Number(value.toFixed(2));

async function fill(post: Post, ask: Ask, chunks: number): Promise<number> {
  const files = Math.ceil(chunks / CHUNKS_A_FILE);
  const start = performance.now();
  for (let from = 0; from < files; from += FILES_A_CALL) {
    await post("/fill", { ...ask, from, to: Math.min(files, from + FILES_A_CALL) });
    if (process.stderr.isTTY) process.stderr.write(`\r${from * CHUNKS_A_FILE} of ${chunks} `);
  }
  return chunks / ((performance.now() - start) / 1_000);
}

async function measure(bench: Bench, ask: Ask, chunks: number) {
  const { post } = bench;
  const files = Math.ceil(chunks / CHUNKS_A_FILE);
  const chunksPerSecond = Math.round(await fill(post, ask, chunks));
  const facts = await post<{ bytes: number; chunks: number }>("/facts", ask);
  const chunkAt = (at: number) => (at * 7_919) % chunks;
  const overhead = await time(bench, CALLS, () => post("/nothing", ask));
  const lexical = await time(bench, CALLS, async (at) => {
    const text = queryFor(chunkAt(at), WORDS_A_CHUNK, QUERY_WORDS);
    const found = await post<number>("/lexical", { ...ask, text });
    if (found === 0) throw new Error(`nothing found for ${text}`);
  });
  const hydration = await time(bench, CALLS, async (at) => {
    const wanted = Array.from({ length: HYDRATED }, (_, place) => chunkAt(at * HYDRATED + place));
    const read = await post<number>("/hydrate", { ...ask, chunks: wanted });
    if (read !== new Set(wanted).size) throw new Error(`${read} of ${HYDRATED} were read`);
  });
  const swap = (changed: number, versions: number) =>
    time(bench, CALLS, (at) =>
      post("/swap", { ...ask, file: (at * 104_729) % files, version: versions + at, changed }),
    );
  const oneChunk = await swap(1, 1);
  const wholeFile = await swap(CHUNKS_A_FILE, 10_000);
  return {
    chunks: facts.chunks,
    shards: ask.shards,
    chunksPerSecond,
    kilobytesAChunk: round(facts.bytes / KILOBYTE / facts.chunks),
    overhead,
    lexical,
    hydration,
    swapOfOneChunk: oneChunk,
    swapOfWholeFile: wholeFile,
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

const spread = ({ p50, p99, readKiB }: Times) =>
  `${p50} / ${p99}${readKiB === null ? "" : `, ${readKiB} KiB`}`;

function show(rows: Measured[]): void {
  console.table(
    rows.map((row) => ({
      chunks: row.chunks,
      shards: row.shards,
      "KiB a chunk": row.kilobytesAChunk,
      "chunks/s in": row.chunksPerSecond,
      "a call, ms p50 / p99, read": spread(row.overhead),
      "lexical leg": spread(row.lexical),
      "hydration of 100": spread(row.hydration),
      "swap, 1 chunk new": spread(row.swapOfOneChunk),
      "swap, 20 new": spread(row.swapOfWholeFile),
    })),
  );
}

/** What the bound leaves of the postings of a collection, as in an index of so many chunks. */
const BOUND_AS_AT = [100_000, 200_000, 500_000, 1_000_000];
const DOCUMENTS_A_CALL = 200;
const DEPTH = 10;
const RECALL_DEPTH = 100;

/**
 * nDCG@10 and recall@100 of the lexical leg with a bound that is to the collection what the
 * service's is to an index of 100,000 to 1,000,000 chunks; the first row is without a bound.
 */
async function boundQuality({ post }: Bench, { documents, queries, grades }: Collection) {
  const ask = { generation: 1, shards: 1 };
  for (let at = 0; at < documents.length; at += DOCUMENTS_A_CALL) {
    await post("/load", { ...ask, documents: documents.slice(at, at + DOCUMENTS_A_CALL) });
  }
  const rows = [];
  for (const chunks of [0, ...BOUND_AS_AT]) {
    const share = chunks === 0 ? 1 : POSTINGS_LIMIT / chunks;
    const limit = chunks === 0 ? Number.MAX_SAFE_INTEGER : Math.round(documents.length * share);
    let gain = 0;
    let recall = 0;
    for (const { id, text } of queries) {
      const wanted = grades.get(id) ?? new Map<string, number>();
      const found = await post<string[]>("/bounded", { ...ask, limit, text });
      gain += ndcg(found, wanted, DEPTH);
      const first = new Set(found.slice(0, RECALL_DEPTH));
      recall += [...wanted.keys()].filter((one) => first.has(one)).length / wanted.size;
    }
    rows.push({
      chunks: chunks === 0 ? "no bound" : chunks,
      ndcgAt10: Number((gain / queries.length).toFixed(4)),
      recallAt100: Number((recall / queries.length).toFixed(4)),
    });
  }
  console.table(rows);
  return rows;
}

/**
 * A RAG's index as it grows, in plain workerd: one shard and ten of each size. Arguments: sizes in
 * chunks (default 10,000 and 100,000; 1,000,000 takes about half an hour and 14 GB of disk). All
 * objects of a local workerd share one thread: ten shards are asked one after the other here.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const given = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  const folder = args.find((arg) => !/^\d+$/.test(arg));
  const sizes = given.length > 0 || folder !== undefined ? given : DEFAULT_SIZES;
  const rows: Measured[] = [];
  for (const chunks of sizes) {
    for (const shards of SHARD_COUNTS) {
      rows.push(await inWorkerd((bench) => measure(bench, { generation: 1, shards }, chunks)));
      show(rows);
    }
  }
  if (folder === undefined) return { rows };
  return { rows, bound: await inWorkerd((bench) => boundQuality(bench, readCollection(folder))) };
}

async function inWorkerd<Result>(work: (bench: Bench) => Promise<Result>): Promise<Result> {
  const worker = await startWorkerd(WORKER, {
    durableObject: { binding: "RAG_INDEX", className: "RagIndex" },
  });
  try {
    return await work({ post: posterTo(worker.address), pid: worker.pid });
  } finally {
    await worker.stop();
  }
}
