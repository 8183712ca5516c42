import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { queryFor } from "./support/synthetic-text.ts";
import { startWorkerd } from "./support/workerd.ts";

const WORKER = join(import.meta.dirname, "support/scale-worker.ts");
const DEFAULT_SIZES = [10_000, 100_000];
const SHARD_COUNTS = [1, 10];
const CHUNKS_A_FILE = 20;
const WORDS_A_CHUNK = 200;
const FILES_A_CALL = 100;
const CALLS = 200;
const QUERY_WORDS = 7;
const HYDRATED = 100;
const MOSTLY = 0.8;
const KILOBYTE = 1_024;
/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

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

/** What a process has used; null where no Linux tells. */
type Used = { cpuMs: number; readBytes: number; reads: number; fromDisk: number };

function usedBy(pid: number): Used | null {
  if (!existsSync(`/proc/${pid}/io`)) return null;
  const io = readFileSync(`/proc/${pid}/io`, "utf8");
  const counted = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(io)?.[1]);
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
  const cpuMs = (Number(stat[13]) + Number(stat[14])) * TICK_MS;
  const [readBytes, reads] = [counted("rchar"), counted("syscr")];
  return { cpuMs, readBytes, reads, fromDisk: counted("read_bytes") };
}

/** Milliseconds as a caller sees them; the rest a call, whatever else the machine does. */
type Times = { p50: number; p99: number; used: Used | null };

async function time(
  { pid }: Bench,
  calls: number,
  work: (at: number) => Promise<unknown>,
): Promise<Times> {
  const before = usedBy(pid);
  const times: number[] = [];
  for (let at = 0; at < calls; at++) {
    const start = performance.now();
    await work(at);
    times.push(performance.now() - start);
  }
  const after = usedBy(pid);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(calls * share))] ?? 0;
  const a = (name: keyof Used) =>
    before === null || after === null ? 0 : (after[name] - before[name]) / calls;
  const used = {
    cpuMs: round(a("cpuMs")),
    reads: Math.round(a("reads")),
    readBytes: Math.round(a("readBytes")),
    fromDisk: Math.round(a("fromDisk")),
  };
  return { p50: round(at(0.5)), p99: round(at(0.99)), used: before === null ? null : used };
}

const round = (value: number) => Number(value.toFixed(1));

async function fill(post: Post, ask: Ask, chunks: number): Promise<number> {
  const files = Math.ceil(chunks / CHUNKS_A_FILE);
  const start = performance.now();
  for (let from = 0; from < files; from += FILES_A_CALL) {
    await post("/fill", { ...ask, from, to: Math.min(files, from + FILES_A_CALL) });
    if (process.stderr.isTTY) process.stderr.write(`\r${from * CHUNKS_A_FILE} of ${chunks} `);
  }
  return Math.round(chunks / ((performance.now() - start) / 1_000));
}

/**
 * Each kind of call twice, the same calls: what they read is first mostly on the disk and then
 * in the machine's memory.
 */
async function measure(bench: Bench, ask: Ask, chunks: number) {
  const { post } = bench;
  const files = Math.ceil(chunks / CHUNKS_A_FILE);
  await post("/vectors", { ...ask, chunks });
  const chunkAt = (at: number) => (at * 7_919) % chunks;
  const words = (at: number) => queryFor(chunkAt(at), WORDS_A_CHUNK, QUERY_WORDS);
  const search = (path: string) => async (at: number) => {
    const found = await post<number | { chunks: number }>(path, { ...ask, text: words(at) });
    if ((typeof found === "number" ? found : found.chunks) === 0) throw new Error("nothing found");
  };
  const hydrate = async (at: number) => {
    const wanted = Array.from({ length: HYDRATED }, (_, place) => chunkAt(at * HYDRATED + place));
    const read = await post<number>("/hydrate", { ...ask, chunks: wanted });
    // Some have changed in an index that was kept.
    if (read < HYDRATED * MOSTLY) throw new Error(`${read} of ${HYDRATED} were read`);
  };
  // Each run of the bench makes versions that no earlier one has made.
  const version = Math.floor(Date.now() / 1_000);
  const swap = (changed: number) => (at: number) =>
    post("/swap", {
      ...ask,
      file: (at * 104_729) % files,
      version: version + at + changed * CALLS,
      changed,
    });
  const work: [string, (at: number) => Promise<unknown>][] = [
    ["a call that does nothing", () => post("/nothing", ask)],
    ["lexical leg", search("/lexical")],
    ["lexical leg, again", search("/lexical")],
    ["hydration of 100", hydrate],
    ["hydration of 100, again", hydrate],
    ["retrieval with the Vectorize double", search("/retrieve")],
    ["swap of a file, 1 of 20 chunks new", swap(1)],
    ["swap of a file, 20 of 20 new", swap(CHUNKS_A_FILE)],
  ];
  await time(bench, CALLS, () => post("/nothing", ask));
  const times: Record<string, Times> = {};
  for (const [name, call] of work) times[name] = await time(bench, CALLS, call);
  const facts = await post<{ bytes: number; chunks: number }>("/facts", ask);
  const kilobytesAChunk = round(facts.bytes / KILOBYTE / facts.chunks);
  return { chunks: facts.chunks, shards: ask.shards, kilobytesAChunk, times };
}

type Measured = Awaited<ReturnType<typeof measure>> & { chunksPerSecond: number };

function show({ chunks, shards, kilobytesAChunk, chunksPerSecond, times }: Measured): void {
  console.log(
    `${chunks} chunks in ${shards} shards: ${kilobytesAChunk} KiB a chunk, filled with ${chunksPerSecond} a second`,
  );
  console.table(
    Object.entries(times).map(([call, { p50, p99, used }]) => ({
      call,
      "p50 ms": p50,
      "p99 ms": p99,
      "processor ms": used?.cpuMs,
      "pages read": used?.reads,
      "KiB read": used === null ? undefined : Math.round(used.readBytes / KILOBYTE),
      "KiB from disk": used === null ? undefined : Math.round(used.fromDisk / KILOBYTE),
    })),
  );
}

/**
 * Fills an index, stops and measures in a new process, when the disk has taken all: what is still
 * being written would be measured with it.
 */
async function fillAndMeasure(folder: string, ask: Ask, chunks: number): Promise<Measured> {
  const filled = join(folder, "filled.json");
  if (!existsSync(filled)) {
    mkdirSync(folder, { recursive: true });
    const perSecond = await inWorkerd(folder, ({ post }) => fill(post, ask, chunks));
    writeFileSync(filled, JSON.stringify(perSecond));
  }
  const chunksPerSecond = Number(readFileSync(filled, "utf8"));
  execFileSync("sync");
  const measured = await inWorkerd(folder, (bench) => measure(bench, ask, chunks));
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
  const kept = args.find((arg) => arg.startsWith("--keep="))?.slice("--keep=".length);
  if (sizes.length === 0) sizes.push(...DEFAULT_SIZES);
  const rows: Measured[] = [];
  for (const chunks of sizes) {
    for (const shards of SHARD_COUNTS) {
      const measured = await inFolder(kept, `${chunks}-${shards}`, (state) =>
        fillAndMeasure(state, { generation: 1, shards }, chunks),
      );
      rows.push(measured);
      show(measured);
    }
  }
  return { rows };
}

async function inFolder<Result>(
  kept: string | undefined,
  name: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder =
    kept === undefined ? mkdtempSync(join(tmpdir(), "quarry-scale-")) : join(kept, name);
  try {
    return await work(folder);
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function inWorkerd<Result>(
  folder: string,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const worker = await startWorkerd(WORKER, {
    durableObject: { binding: "RAG_INDEX", className: "RagIndex" },
    stateFolder: join(folder, "state"),
  });
  try {
    return await work({ post: posterTo(worker.address), pid: worker.pid });
  } finally {
    await worker.stop();
  }
}
