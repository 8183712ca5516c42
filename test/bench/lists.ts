import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Table from "cli-table3";
import { getPlatformProxy } from "wrangler";

import { INDEX_FORMAT } from "../../src/core/index-format.ts";
import { openDatabase, type Database } from "../../src/db/client.ts";
import { lookUpInference, lookUpRag } from "../../src/db/access/principal-lookup.ts";
import { readFilesAfter, readFileSlices, readFolderPage } from "../../src/db/files/public-files.ts";
import { listPublicInferences, listPublicRags } from "../../src/db/access/public-lists.ts";
import type { RagId } from "../../src/core/ids.ts";

const RAGS = 500;
const FILES = 50_000;
const ROUNDS = 20;
const PROJECT = join(import.meta.dirname, "../..");
const BIG = "rag-001" as RagId;
const LIVE = { ragId: BIG, generation: 1 };

/** Rows, made inside the database: 500 RAGs, one of which has 50,000 files in 500 folders. */
const FILL = [
  `insert into file_sources (id, name, identifier, provider, config, webhook_secret_hash, created_at)
   values ('source', 'Source', 'source', 'file_system', '{}', '', 0)`,
  `with recursive n(i) as (values (1) union all select i + 1 from n where i < ${RAGS})
   insert into rags (id, name, identifier, file_source_id, created_at)
   select printf('rag-%03d', i), 'RAG ' || i, printf('rag-%03d', i), 'source', 0 from n`,
  `insert into rag_generations (rag_id, generation, state, embedding_model, dimensions, chunk_size,
     chunk_overlap, format, shards, created_at)
   select id, 1, 'live', 'embedded/hash', 1024, 400, 60, ${INDEX_FORMAT}, 1, 0 from rags`,
  `insert into inferences (id, name, identifier, system_prompt, model, created_at)
   values ('inference', 'Inference', 'inference', '', 'embedded/extractive', 0)`,
  `insert into inference_rags (inference_id, rag_id)
   select 'inference', id from rags where identifier <= 'rag-003'`,
  `insert into tokens (id, name, hash, all_rags, all_inferences, created_at)
   values ('all', 'All', 'all', 1, 1, 0), ('one', 'One', 'one', 0, 0, 0)`,
  `insert into token_rags (token_id, rag_id) values ('one', 'rag-007')`,
  `insert into token_inferences (token_id, inference_id) values ('one', 'inference')`,
];

const fillFiles = (from: number, to: number) => [
  `with recursive n(i) as (values (${from}) union all select i + 1 from n where i < ${to})
   insert into files (id, file_source_id, path, name, size, mime_type, version, metadata, created_at)
   select 'file-' || i, 'source', printf('folder-%03d/file-%05d.md', i / 100, i), 'file.md', 1000,
     'text/markdown', '1', '{}', 0 from n`,
  `with recursive n(i) as (values (${from}) union all select i + 1 from n where i < ${to})
   insert into rag_files (rag_id, generation, file_id, path, status, revision, indexed_at, chunk_count)
   select '${BIG}', 1, 'file-' || i, printf('folder-%03d/file-%05d.md', i / 100, i),
     case when i % 1000 = 0 then 'error' else 'indexed' end, 1, 0, 3 from n`,
];

const FILES_A_STATEMENT = 10_000;

async function fill(database: D1Database): Promise<void> {
  const folder = join(PROJECT, "migrations");
  const migrations = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const statements = migrations
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint"));
  for (let from = 0; from < FILES; from += FILES_A_STATEMENT) {
    FILL.push(...fillFiles(from, from + FILES_A_STATEMENT - 1));
  }
  for (const sql of [...statements, ...FILL]) await database.prepare(sql).run();
}

/** The database, adding up what D1 reports as rows read. */
function counting(database: D1Database, counts: { rows: number }): Database {
  return openDatabase(
    new Proxy(database, {
      get(target, name) {
        if (name !== "batch") return (Reflect.get(target, name) as () => unknown).bind(target);
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements);
          for (const { meta } of results) counts.rows += meta.rows_read;
          return results;
        };
      },
    }),
  );
}

/** The database alone: the Worker's own objects would be missed here, and warned of. */
const CONFIG = {
  name: "lists",
  compatibility_date: "2026-10-15",
  d1_databases: [{ binding: "DB", database_name: "quarry", database_id: "lists" }],
};

type Case = [name: string, work: (db: Database) => Promise<unknown>];

const all = { kind: "token", hash: "all" } as const;
const one = { kind: "token", hash: "one" } as const;
const page = (number: number, limit: number) => ({ offset: (number - 1) * limit, limit });
const none = { status: null, folder: null };
const failed = { status: "error", folder: null } as const;
const folder = { status: null, folder: "folder-123/" };

const CASES: Case[] = [
  [`GET /api/rags, ${RAGS} RAGs`, (db) => listPublicRags(db, all)],
  ["GET /api/rags, a token for one", (db) => listPublicRags(db, one)],
  ["GET /api/inferences, a token for one", (db) => listPublicInferences(db, one)],
  ["caller, RAG and permission", (db) => lookUpRag(db, one, "rag-007")],
  ["caller, inference and 3 RAGs", (db) => lookUpInference(db, one, "inference")],
  ["…/files?page=1&limit=100", (db) => readFileSlices(db, [slice(1, none)])],
  ["…/files?page=400&limit=100", (db) => readFileSlices(db, [slice(400, none)])],
  ["…/files?page=1&status=error", (db) => readFileSlices(db, [slice(1, failed)])],
  ["…/files?page=1&path=folder-123/", (db) => readFolderPage(db, slice(1, folder))],
  ["…/files, one batch of 1,000", (db) => readFilesAfter(db, LIVE, none, "folder-300", 1_000)],
];

const slice = (number: number, filter: Parameters<typeof readFilesAfter>[2]) => ({
  ...LIVE,
  ...page(number, 100),
  filter,
});

async function measure(database: D1Database, [name, work]: Case) {
  const counts = { rows: 0 };
  const db = counting(database, counts);
  await work(db);
  const { rows } = counts;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work(db);
    times.push(performance.now() - start);
  }
  const p50 = times.sort((a, b) => a - b)[ROUNDS / 2] ?? 0;
  return { name, rowsRead: rows, p50Ms: Math.round(p50 * 10) / 10 };
}

/**
 * Rows that D1 reports to have read, and the time of the round trip (from Node, so with a hop of
 * its own), for the public lists. One query may read rows that grow with the RAG: a deep page,
 * which skips entries of a covering index.
 */
export async function run(): Promise<Record<string, unknown>> {
  const state = mkdtempSync(join(tmpdir(), "quarry-lists-"));
  const configPath = join(state, "wrangler.json");
  writeFileSync(configPath, JSON.stringify(CONFIG));
  const proxy = await getPlatformProxy<{ DB: D1Database }>({
    configPath,
    persist: { path: state },
  });
  try {
    await fill(proxy.env.DB);
    const table = new Table({ head: ["list", "rows read", "p50 ms"] });
    const results: Awaited<ReturnType<typeof measure>>[] = [];
    for (const one of CASES) {
      const result = await measure(proxy.env.DB, one);
      results.push(result);
      table.push([result.name, result.rowsRead, result.p50Ms]);
    }
    console.log(table.toString());
    return { rags: RAGS, files: FILES, results };
  } finally {
    await proxy.dispose();
    rmSync(state, { recursive: true, force: true });
  }
}
