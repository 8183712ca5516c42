import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Table from "cli-table3";
import { getPlatformProxy } from "wrangler";

import { INDEX_FORMAT } from "../../src/core/index-format.ts";
import type { FileSourceId } from "../../src/core/ids.ts";
import { openDatabase } from "../../src/db/client.ts";
import { continueScan, startScan } from "../../src/ingestion/scanning/scan-source.ts";
import type { ScanMessage } from "../../src/ports/job-queue.ts";
import type { Services } from "../../src/services.ts";
import { ScriptedSource } from "../doubles/source/scripted-source.ts";
import { countedRows, noRows } from "../support/counted-rows.ts";

const SIZES = [1_000, 10_000, 100_000];
const CHANGED = 10;
const PROJECT = join(import.meta.dirname, "../..");
const SOURCE = "source" as FileSourceId;

/** The bindings of a scan alone: the Worker's own objects would be missed here, and warned of. */
const CONFIG = {
  name: "scan",
  compatibility_date: "2026-10-15",
  d1_databases: [{ binding: "DB", database_name: "quarry", database_id: "scan" }],
  r2_buckets: [{ binding: "FILES", bucket_name: "files" }],
};

type Bindings = { DB: D1Database; FILES: R2Bucket };

const SOURCE_AND_RAG = [
  `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash, created_at)
   values ('${SOURCE}', 'Source', 'source', 'cloud_drive', '{}', '', 0)`,
  `insert into rags (id, name, identifier, file_source_id, created_at)
   values ('rag', 'RAG', 'rag', '${SOURCE}', 0)`,
  `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions, chunk_size,
     chunk_overlap, format, shards, created_at)
   values ('rag', 1, 'live', 'embedded/hash', 1024, 400, 60, ${INDEX_FORMAT}, 1, 0)`,
];

const EVERYTHING_INDEXED = `update rag_files
  set status = 'indexed', claimed_until = 0, indexed_at = 1, chunk_count = 1`;

function statements(): string[] {
  const folder = join(PROJECT, "migrations");
  const migrations = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return migrations
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint"));
}

const noCosts = () => ({ rows: noRows(), r2Operations: 0, messages: 0 });

type Costs = ReturnType<typeof noCosts>;

function countedBucket(bucket: R2Bucket, costs: Costs): R2Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        costs.r2Operations += 1;
        return Reflect.apply(method, target, args);
      };
    },
  });
}

const silent: Services["log"] = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silent,
};

/** What a scan uses of the services; anything else would throw. */
function scanServices(bindings: Bindings, reader: ScriptedSource, costs: Costs) {
  const queued: ScanMessage[] = [];
  const background: Promise<unknown>[] = [];
  const services = {
    now: () => Date.now(),
    log: silent,
    db: openDatabase(countedRows(bindings.DB, costs.rows)),
    files: countedBucket(bindings.FILES, costs),
    queue: {
      scan: async (message: ScanMessage) => {
        costs.messages += 1;
        queued.push(message);
      },
      index: async (messages: unknown[]) => {
        costs.messages += messages.length;
      },
      usage: async () => undefined,
    },
    sourceReaders: async () => reader,
    inBackground: (work: Promise<unknown>) => background.push(work),
  } as Partial<Services> as Services;
  return { services, queued, background };
}

/** One whole scan, with the messages that continue it. */
async function scan(bindings: Bindings, reader: ScriptedSource) {
  const costs = noCosts();
  const { services, queued, background } = scanServices(bindings, reader, costs);
  const startedAt = performance.now();
  await startScan(services, { fileSourceId: SOURCE, confirmRemovals: false, urls: null });
  for (let next = queued.shift(); next !== undefined; next = queued.shift()) {
    if (next.kind === "continue-scan") await continueScan(services, next);
  }
  await Promise.all(background);
  const { rows, r2Operations, messages } = costs;
  const ms = Math.round(performance.now() - startedAt);
  return {
    rowsRead: rows.read,
    rowsWritten: rows.written,
    d1Calls: rows.calls,
    r2Operations,
    messages,
    ms,
  };
}

async function measure(size: number) {
  const state = mkdtempSync(join(tmpdir(), "quarry-scan-"));
  const configPath = join(state, "wrangler.json");
  writeFileSync(configPath, JSON.stringify(CONFIG));
  const proxy = await getPlatformProxy<Bindings>({ configPath, persist: { path: state } });
  try {
    const { DB } = proxy.env;
    for (const sql of [...statements(), ...SOURCE_AND_RAG]) await DB.prepare(sql).run();
    const pathOf = (at: number) => `folder-${at % 100}/file-${at}.md`;
    const files = Array.from({ length: size }, (_, at) => [pathOf(at), `Text ${at}.`] as const);
    const reader = new ScriptedSource(Object.fromEntries(files));
    await scan(proxy.env, reader);
    await DB.prepare(EVERYTHING_INDEXED).run();
    for (let at = 0; at < CHANGED; at++) {
      reader.files.set(pathOf(Math.floor((at * size) / CHANGED)), { text: `Changed ${at}.` });
    }
    return { files: size, changed: CHANGED, ...(await scan(proxy.env, reader)) };
  } finally {
    await proxy.dispose();
    rmSync(state, { recursive: true, force: true });
  }
}

/**
 * `npm run bench -- scan [SIZE…]`: what a scan costs as its source grows, of which 10 files
 * changed: rows that D1 reports, D1 and R2 calls, queue messages, and the time (from Node, so
 * with a hop for each call). The source lists 1,000 files a page, from memory.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const sizes = args.length === 0 ? SIZES : args.map(Number);
  const results: Awaited<ReturnType<typeof measure>>[] = [];
  for (const size of sizes) results.push(await measure(size));
  const [first] = results;
  const table = new Table({ head: Object.keys(first ?? {}) });
  for (const result of results) table.push(Object.values(result));
  console.log(table.toString());
  return { results };
}
