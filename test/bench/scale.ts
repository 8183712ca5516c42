import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { postJson } from "./support/post-json.ts";
import { queryFor } from "./support/synthetic-text.ts";
import { timeCalls } from "./support/time-calls.ts";
import { startWorkerd } from "./support/workerd.ts";

const WORKER = join(import.meta.dirname, "support/scale-worker.ts");
const DEFAULT_SIZES = [10_000, 100_000];
const SHARD_COUNTS = [1, 10];
const CHUNKS_A_FILE = 20;
const WORDS_A_CHUNK = 200;
const FILES_A_CALL = 100;
const CALLS = 200;
const QUERY_WORDS = 7;
const KILOBYTE = 1_024;

type Ask = { generation: number; shards: number };
type Post = <Reply>(path: string, body: unknown) => Promise<Reply>;

async function fill(post: Post, ask: Ask, chunks: number): Promise<number> {
  const files = Math.ceil(chunks / CHUNKS_A_FILE);
  const start = performance.now();
  for (let from = 0; from < files; from += FILES_A_CALL) {
    await post("/fill", { ...ask, from, to: Math.min(files, from + FILES_A_CALL) });
    if (process.stderr.isTTY) process.stderr.write(`\r${from * CHUNKS_A_FILE} of ${chunks} `);
  }
  return Math.round(chunks / ((performance.now() - start) / 1_000));
}

async function measure(post: Post, ask: Ask, chunks: number) {
  const files = Math.ceil(chunks / CHUNKS_A_FILE);
  await post("/vectors", { ...ask, chunks });
  const retrieve = async (at: number) => {
    const text = queryFor((at * 7_919) % chunks, WORDS_A_CHUNK, QUERY_WORDS);
    const result = await post<{ chunks: number }>("/retrieve", { ...ask, text });
    if (result.chunks === 0) throw new Error("nothing found");
  };
  // Each run of the bench makes versions that no earlier one has made.
  const version = Math.floor(Date.now() / 1_000);
  const swap = (changed: number) => (at: number) => {
    const file = (at * 104_729) % files;
    return post("/swap", { ...ask, file, version: version + at + changed * CALLS, changed });
  };
  const work: [string, (at: number) => Promise<unknown>][] = [
    ["a call that does nothing", () => post("/nothing", ask)],
    // The first calls read mostly from the disk, later ones from the machine's memory.
    ["retrieval with the Vectorize double", retrieve],
    ["retrieval, again", retrieve],
    ["swap of a file, 1 of 20 chunks new", swap(1)],
    ["swap of a file, 20 of 20 new", swap(CHUNKS_A_FILE)],
  ];
  const calls = Array.from({ length: CALLS }, (_, at) => at);
  await timeCalls(calls, 1, () => post("/nothing", ask));
  const times: Record<string, Awaited<ReturnType<typeof timeCalls>>> = {};
  for (const [name, call] of work) times[name] = await timeCalls(calls, 1, call);
  const facts = await post<{ bytes: number; chunks: number }>("/facts", ask);
  const kilobytesAChunk = Number((facts.bytes / KILOBYTE / facts.chunks).toFixed(1));
  return { chunks: facts.chunks, shards: ask.shards, kilobytesAChunk, times };
}

type Measured = Awaited<ReturnType<typeof measure>> & { chunksPerSecond: number };

function show({ chunks, shards, kilobytesAChunk, chunksPerSecond, times }: Measured): void {
  console.log(
    `${chunks} chunks in ${shards} shards: ${kilobytesAChunk} KiB a chunk, filled with ${chunksPerSecond} a second`,
  );
  console.table(times);
}

/**
 * Fills an index, stops and measures in a new process, when the disk has taken all: what is still
 * being written would be measured with it.
 */
async function fillAndMeasure(folder: string, ask: Ask, chunks: number): Promise<Measured> {
  const filled = join(folder, "filled.json");
  if (!existsSync(filled)) {
    mkdirSync(folder, { recursive: true });
    const perSecond = await inWorkerd(folder, (post) => fill(post, ask, chunks));
    writeFileSync(filled, JSON.stringify(perSecond));
  }
  const chunksPerSecond = Number(readFileSync(filled, "utf8"));
  execFileSync("sync");
  const measured = await inWorkerd(folder, (post) => measure(post, ask, chunks));
  return { ...measured, chunksPerSecond };
}

/**
 * A RAG's index as it grows, in plain workerd: one shard and ten of each size. Arguments: sizes in
 * chunks (default 10,000 and 100,000; 1,000,000 takes half an hour and 14 GB of disk),
 * `--keep=FOLDER` to fill indexes once and measure them again. All objects of a local workerd share one thread: ten shards are asked one after the
 * other here.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const sizes = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  const keepFolder = args.find((arg) => arg.startsWith("--keep="))?.slice("--keep=".length);
  if (sizes.length === 0) sizes.push(...DEFAULT_SIZES);
  const rows: Measured[] = [];
  for (const chunks of sizes) {
    for (const shards of SHARD_COUNTS) {
      const measured = await inFolder(keepFolder, `${chunks}-${shards}`, (state) =>
        fillAndMeasure(state, { generation: 1, shards }, chunks),
      );
      rows.push(measured);
      show(measured);
    }
  }
  return { rows };
}

async function inFolder<Result>(
  keepFolder: string | undefined,
  name: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder =
    keepFolder === undefined
      ? mkdtempSync(join(tmpdir(), "quarry-scale-"))
      : join(keepFolder, name);
  try {
    return await work(folder);
  } finally {
    if (keepFolder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function inWorkerd<Result>(
  folder: string,
  work: (post: Post) => Promise<Result>,
): Promise<Result> {
  const worker = await startWorkerd(WORKER, {
    durableObject: { binding: "RAG_INDEX", className: "RagIndex" },
    stateFolder: join(folder, "state"),
  });
  try {
    return await work((path, body) => postJson(new URL(path, worker.address), body));
  } finally {
    await worker.stop();
  }
}
