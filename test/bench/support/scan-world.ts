import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getPlatformProxy } from "wrangler";

import type { FileSourceId } from "../../../src/core/ids.ts";
import { INDEX_FORMAT } from "../../../src/core/index-format.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { continueScan, startScan } from "../../../src/ingestion/scanning/scan-source.ts";
import type { IndexMessage, ScanMessage } from "../../../src/core/queue-messages.ts";
import type { SourceReader } from "../../../src/ports/source-reader.ts";
import type { Services } from "../../../src/services.ts";
import { countedRows, noRows } from "../../support/counted-rows.ts";
import { migrationStatements } from "./migration-statements.ts";

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

export const EVERYTHING_INDEXED = `update rag_files
  set status = 'indexed', claimed_until = 0, indexed_at = 1, chunk_count = 1`;

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
function scanServices(bindings: Bindings, makeReader: () => SourceReader, costs: Costs) {
  const queued: ScanMessage[] = [];
  const background: Promise<unknown>[] = [];
  let skippedMs = 0;
  const services = {
    now: () => Date.now() + skippedMs,
    log: silent,
    config: { FULL_LISTING_HOURS: 24 } as Partial<Services["config"]> as Services["config"],
    db: openDatabase(countedRows(bindings.DB, costs.rows)),
    files: countedBucket(bindings.FILES, costs),
    queue: {
      /** A delay is not waited for; the clock is put forward instead. */
      scan: async (message: ScanMessage, delaySeconds = 0) => {
        costs.messages += 1;
        skippedMs += delaySeconds * 1_000;
        queued.push(message);
      },
      index: async (messages: IndexMessage[]) => {
        costs.messages += messages.length;
      },
      usage: async () => undefined,
    },
    inBackground: (work: Promise<unknown>) => background.push(work),
  } as Partial<Services> as Services;
  services.sourceReaders = async () => makeReader();
  return { services, queued, background };
}

/** One whole scan, with the messages that continue it. */
export async function scan(bindings: Bindings, makeReader: () => SourceReader) {
  const costs = noCosts();
  const { services, queued, background } = scanServices(bindings, makeReader, costs);
  const startedAt = performance.now();
  await startScan(services, { fileSourceId: SOURCE, confirmRemovals: false, urls: null });
  for (let next = queued.shift(); next !== undefined; next = queued.shift()) {
    if (next.kind === "continue-scan") await continueScan(services, next);
  }
  await Promise.all(background);
  const { rows, r2Operations, messages } = costs;
  const ms = Math.round(performance.now() - startedAt);
  const { read: rowsRead, written: rowsWritten, calls: d1Calls } = rows;
  return { rowsRead, rowsWritten, d1Calls, r2Operations, messages, ms };
}

/** D1 and R2 of their own for the time of `work`, with one source and a RAG of it. */
export async function withSource<Result>(
  work: (bindings: Bindings) => Promise<Result>,
): Promise<Result> {
  const state = mkdtempSync(join(tmpdir(), "quarry-scan-"));
  const configPath = join(state, "wrangler.json");
  writeFileSync(configPath, JSON.stringify(CONFIG));
  const proxy = await getPlatformProxy<Bindings>({ configPath, persist: { path: state } });
  try {
    const { DB } = proxy.env;
    for (const sql of [...migrationStatements(), ...SOURCE_AND_RAG]) await DB.prepare(sql).run();
    return await work(proxy.env);
  } finally {
    await proxy.dispose();
    rmSync(state, { recursive: true, force: true });
  }
}
