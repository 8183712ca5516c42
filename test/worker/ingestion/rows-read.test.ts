import { expect, test } from "vitest";

import type { FileSourceId } from "../../../src/core/ids.ts";
import type { IndexMessage } from "../../../src/core/queue-messages.ts";
import { MINUTE_MS } from "../../../src/core/time.ts";
import { indexFiles } from "../../../src/ingestion/indexing/index-files.ts";
import { workBudget } from "../../../src/ingestion/indexing/work-budget.ts";
import { continueScan, startScan } from "../../../src/ingestion/scanning/scan-source.ts";
import { pushUrls } from "../../../src/ingestion/webhooks/push-urls.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import { countedDatabase, noRows } from "../../support/counted-rows.ts";
import { rowsOf, statement, type World } from "../../support/ingestion-world.ts";
import { sourceWorld } from "../sources/scanning.ts";

const FEW = 200;
const MANY = 1_400;
const CHANGED = 10;
/** The list's entry, the file's row, and the row again when what is gone is looked for. */
const ROWS_PER_UNCHANGED_FILE = 3;
/** The run, its source, the hold, and the place where the page before it ended. */
const ROWS_PER_PAGE = 4;
/**
 * D1 counts pages and the last row of an index twice now and then. One more row for each file would
 * be 1,200.
 */
const SPARE_ROWS = 400;

const pathOf = (at: number) => `folder-${at % 10}/file-${at}.txt`;

/** A source of so many files, all indexed in one RAG beside another one's, and a row counter. */
async function worldOf(size: number, provider = "cloud_drive") {
  const files = Array.from({ length: size }, (_, at) => [pathOf(at), `A note, ${at}.`] as const);
  const reader = new ScriptedSource(Object.fromEntries(files));
  reader.pageSize = 100;
  const { world, source, rag } = await sourceWorld(reader, { provider });
  const { counts, db } = countedDatabase();
  world.services.db = db;
  await scanOnly(world, source);
  await statement(
    `update rag_files set status = 'indexed', claimed_until = 0, indexed_at = 1 where rag_id = ?`,
    rag,
  ).run();
  const countedIn = async (work: () => Promise<unknown>) => {
    Object.assign(counts, noRows());
    await work();
    return { read: counts.read, written: counts.written };
  };
  return { reader, world, source, countedIn };
}

/** A scan without the index work that it queues. */
async function scanOnly(world: World, fileSourceId: FileSourceId): Promise<void> {
  world.now += MINUTE_MS;
  world.waiting = [];
  await startScan(world.services, { fileSourceId, confirmRemovals: false, urls: null });
  for (const { body } of world.waiting.splice(0)) {
    if ("kind" in body && body.kind === "continue-scan") await continueScan(world.services, body);
  }
}

test("a scan reads three rows for each unchanged file, and writes none", async () => {
  const costs = [];
  for (const size of [FEW, MANY]) {
    const { reader, world, source, countedIn } = await worldOf(size);
    for (let at = 0; at < CHANGED; at++) {
      reader.files.set(pathOf(at), { text: `A note, changed, ${at}.` });
    }
    costs.push(await countedIn(() => scanOnly(world, source)));
  }
  const [few, many] = costs;
  const more = MANY - FEW;
  const rowsRead = (many?.read ?? 0) - (few?.read ?? 0);
  expect(rowsRead).toBeGreaterThanOrEqual(more);
  const pages = more / 100;
  const forPages = pages * ROWS_PER_PAGE + SPARE_ROWS;
  expect(rowsRead).toBeLessThan(more * ROWS_PER_UNCHANGED_FILE + forPages);
  // Three rows a page: the run, its source, and the hold's index.
  expect((many?.written ?? 0) - (few?.written ?? 0)).toBeLessThanOrEqual(3 * pages);
});

const URLS = Array.from({ length: 40 }, (_, at) => `https://moss.example.com/${at}`);

/** An index job that lasts so long that its holds are renewed. */
async function slowIndexJob(world: World, source: FileSourceId): Promise<void> {
  const untouched = world.services;
  world.services = { ...untouched };
  world.aroundBucket(async ({ go }) => {
    world.now += MINUTE_MS;
    return await go();
  });
  const messages = await rowsOf<IndexMessage>(
    `update rag_files set status = 'pending', claimed_until = 5 where path in (?1, ?2)
       and rag_id in (select id from rags where file_source_id = ?3)
     returning rag_id as ragId, generation, file_id as fileId, revision`,
    pathOf(1),
    pathOf(2),
    source,
  );
  await indexFiles(world.services, messages, workBudget(world.services.now));
  world.services = untouched;
}

const push = async (world: World, sourceId: FileSourceId) =>
  await pushUrls(world.services, { sourceId, urls: URLS, limits: { maxPushedUrls: 10_000 } });

const WORK: [string, (world: World, source: FileSourceId) => Promise<unknown>][] = [
  ["pushed URLs that are new", push],
  ["a slow index job", slowIndexJob],
  ["a removed file", (world, id) => world.drop(id, pathOf(7))],
];

test("work on a few files reads as many rows in a large source as in a small one", async () => {
  const costs: Record<string, number[]> = {};
  for (const size of [FEW, MANY]) {
    const { world, source, countedIn } = await worldOf(size, "web");
    for (const [name, work] of WORK) {
      (costs[name] ??= []).push((await countedIn(() => work(world, source))).read);
    }
    world.waiting = [];
    (costs["the same pushed again"] ??= []).push((await countedIn(() => push(world, source))).read);
  }
  for (const [name, [few = 0, many = 0]] of Object.entries(costs)) {
    expect({ name, grows: many - few > 5 }).toEqual({ name, grows: false });
  }
});
