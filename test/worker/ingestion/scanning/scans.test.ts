import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { requestScan } from "../../../../src/catalog/file-sources/request-scan.ts";
import { openDatabase } from "../../../../src/db/sql.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { startScan } from "../../../../src/ingestion/scanning/scan-source.ts";
import { missingFile, SourceFailure } from "../../../../src/ports/source-reader.ts";
import { crashAtCalls, type CrashPoint } from "../../../support/crash.ts";
import { keysOf, statement } from "../../../support/ingestion-world.ts";
import { lastRun, listedWorld, notes } from "../../sources/scanning.ts";

/** The database, telling of the longest parameter that is bound, bytes. */
function measuredParameters(database: D1Database, longest: { bytes: number }): D1Database {
  const prepare = (sql: string) => {
    const bind = (...values: unknown[]) => {
      const sizes = values.map((value) => new TextEncoder().encode(String(value)).length);
      longest.bytes = Math.max(longest.bytes, ...sizes);
      return database.prepare(sql).bind(...values);
    };
    return { bind };
  };
  const batch = database.batch.bind(database);
  return { prepare, batch } as unknown as D1Database;
}

test("a scan adds, changes, moves and removes; what is unchanged is not opened again", async () => {
  const { reader, world, source, rag, scan } = await listedWorld({});
  reader.set({
    "a.txt": { text: "A note, first.", externalId: "1" },
    "b.txt": { text: "A note, second.", externalId: "2" },
    "c.txt": { text: "A note, third.", externalId: "3" },
  });
  await scan();
  expect(await lastRun(source)).toMatchObject({ added: 3, finished: 1, error: null });
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["a.txt", "b.txt", "c.txt"]);

  reader.openedPaths = [];
  await scan();
  expect(await lastRun(source)).toMatchObject({ added: 0, unchanged: 3, downloadsSaved: 3 });
  expect(reader.openedPaths).toEqual([]);

  // a and b swap their names, c changes, d is new.
  reader.set({
    "b.txt": { text: "A note, first.", externalId: "1" },
    "a.txt": { text: "A note, second.", externalId: "2" },
    "c.txt": { text: "A note, third and changed.", externalId: "3" },
    "d/e.txt": { text: "A note, fourth.", externalId: "4" },
  });
  await scan();
  expect(await lastRun(source)).toMatchObject({ added: 1, changed: 3, removed: 0 });
  expect(await world.texts(rag)).toEqual({
    "a.txt": ["A note, second."],
    "b.txt": ["A note, first."],
    "c.txt": ["A note, third and changed."],
    "d/e.txt": ["A note, fourth."],
  });

  reader.files.delete("c.txt");
  await scan();
  expect(await lastRun(source)).toMatchObject({ removed: 1, unchanged: 3 });
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["a.txt", "b.txt", "d/e.txt"]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 3, deleted: 1, vectors: 3 });
});

test("a name that was cut within a character is the same file at each scan", async () => {
  const { reader, world, source, rag, scan } = await listedWorld({});
  reader.files.set("cut \ud83d.txt", { text: "A note.", externalId: "1" });
  await scan();
  await scan();
  expect(await lastRun(source)).toMatchObject({ added: 0, changed: 0, unchanged: 1 });
  expect(await world.rows(rag)).toMatchObject([{ path: "cut \ufffd.txt" }]);
});

test("of a file that changes the text of its present version alone is kept", async () => {
  const { reader, world, source, rag, scan } = await listedWorld({ "a.txt": "A note, first." });
  await scan();
  for (const text of ["A note, second.", "A note, third."]) {
    reader.set({ "a.txt": text });
    await scan();
  }
  await sweep(world.services);
  expect((await keysOf(source)).filter((key) => key.includes("/text/"))).toHaveLength(1);
  // A second RAG reads what is kept.
  reader.openedPaths = [];
  const second = await world.addRag(source);
  await world.services.queue.scan({ kind: "apply-scopes", ragId: second, after: null });
  await world.deliver();
  expect(reader.openedPaths).toEqual([]);
  expect(await world.texts(second)).toEqual({ "a.txt": ["A note, third."] });
  expect(await world.texts(rag)).toEqual({ "a.txt": ["A note, third."] });
});

test("a page of files that say much of themselves is written in parts that D1 takes", async () => {
  const { reader, world, source } = await listedWorld({});
  const metadata = { abstract: "ü".repeat(2_000) };
  reader.set(
    Object.fromEntries(
      Array.from({ length: 900 }, (_, at) => [`f${at}.txt`, { text: `A note, ${at}.`, metadata }]),
    ),
  );
  const longest = { bytes: 0 };
  const { services } = world;
  const db = openDatabase(measuredParameters(env.DB, longest));
  const input = { fileSourceId: source, confirmRemovals: false, urls: null };
  await startScan({ ...services, db }, input);
  expect(await lastRun(source)).toMatchObject({ added: 900, error: null });
  expect(longest.bytes).toBeGreaterThan(500_000);
  expect(longest.bytes).toBeLessThan(2_000_000);
  const totals = await statement(
    "select count(*) as files, min(length(metadata)) as least from files where file_source_id = ?",
    source,
  ).first();
  expect(totals).toEqual({ files: 900, least: JSON.stringify(metadata).length });
});

test("an empty or partial listing deletes nothing", async () => {
  const { reader, world, source, rag, scan } = await listedWorld(notes(3));
  await scan();
  reader.set({});
  await scan();
  expect(await lastRun(source)).toMatchObject({ removed: 0, held: 3, status: "error" });
  reader.set({ "f0.txt": "A note, 0." });
  reader.partial = true;
  await scan();
  expect(await lastRun(source)).toMatchObject({ removed: 0, held: 0, status: "active" });
  expect(Object.keys(await world.texts(rag))).toHaveLength(3);
});

test("an item that cannot be read keeps its file and is named", async () => {
  const { reader, world, source, rag, scan } = await listedWorld(notes(3));
  await scan();
  reader.set({ "f0.txt": "A note, 0." });
  const item = { path: "f1.txt", message: "an unknown form" };
  reader.unread = [{ ...item, id: null }];
  await scan();
  expect(Object.keys(await world.texts(rag))).toHaveLength(3);
  reader.unread = [{ ...item, id: "f1.txt" }];
  await scan();
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["f0.txt", "f1.txt"]);
  expect(await lastRun(source)).toMatchObject({ removed: 1, failed: 1, status: "active" });
});

test("an item that cannot be read keeps no file whose path equals its id", async () => {
  const { reader, world, source, rag, scan } = await listedWorld({ "b.txt": "A note, fifth." });
  const keys = {
    "docs/a.txt": "docs/docs/a.txt",
    "a.txt": "docs/a.txt",
    "é.txt": "docs/é.txt",
    "é (2).txt": "docs/e\u0301.txt",
  };
  for (const [path, externalId] of Object.entries(keys))
    reader.files.set(path, { text: `A note about ${path}.`, externalId });
  await scan();
  for (const path of Object.keys(keys)) reader.files.delete(path);
  const ids = ["docs/a.txt", "docs/e\u0301.txt"];
  reader.unread = ids.map((id) => ({ id, path: "a.txt", message: "an unknown form" }));
  await scan();
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["a.txt", "b.txt", "é (2).txt"]);
  expect(await lastRun(source)).toMatchObject({ removed: 2, failed: 2, status: "active" });
});

test("a listing that fails half way resumes; one that is denied says so at once", async () => {
  const { reader, world, source, rag, scan } = await listedWorld(notes(25));
  reader.pageSize = 10;
  reader.failures.set(1, new SourceFailure("throttled", "drive: 429", 60_000));
  let calls = 0;
  reader.beforePage = async (page) => {
    if (page === 1 && ++calls === 3) reader.failures.clear();
  };
  await scan();
  expect(await lastRun(source)).toMatchObject({ added: 25, error: null, status: "active" });
  expect(reader.listings).toBe(1);
  expect(await world.counters(rag)).toMatchObject({ indexed: 25 });
  const problems = await env.DB.prepare("select problems from scan_runs where file_source_id = ?")
    .bind(source)
    .first<string>("problems");
  expect(problems).toMatch(/drive: 429; the scan waits until 20.*Z/);

  reader.failures.set(1, new SourceFailure("denied", "drive: 401 Unauthorized"));
  reader.set(notes(12));
  await scan();
  expect(await lastRun(source)).toMatchObject({
    finished: 1,
    removed: 0,
    status: "error",
    error: "drive: 401 Unauthorized",
  });
  expect(Object.keys(await world.texts(rag))).toHaveLength(25);

  reader.failures.set(1, new SourceFailure("down", "drive: 503"));
  await scan();
  expect(await lastRun(source)).toMatchObject({ error: "drive: 503 after 5 tries" });
});

test("one scan runs at a time, and one more follows what was asked for meanwhile", async () => {
  const { reader, world, source, scan } = await listedWorld(notes(3));
  let running = 0;
  let most = 0;
  reader.beforePage = async () => {
    running++;
    most = Math.max(most, running);
    if (reader.listings === 0) {
      const ask = { sourceId: source, confirmRemovals: false, urls: null };
      await requestScan(world.services, ask);
      await requestScan(world.services, ask);
      await world.deliver();
    }
    running--;
  };
  await scan();
  expect(most).toBe(1);
  expect(reader.listings).toBe(2);
});

test("two RAGs download a file once; an outside failure is retried at the next scan", async () => {
  const { reader, world, source, rag, scan } = await listedWorld({
    "a.txt": "A note, fine.",
    "b.txt": "A note, denied.",
  });
  const second = await world.addRag(source);
  reader.openFailures.set("b.txt", new SourceFailure("denied", "drive: 403 Forbidden"));
  await scan();
  expect(reader.openedPaths.filter((path) => path === "a.txt")).toHaveLength(1);
  for (const id of [rag, second]) {
    expect(await world.rows(id)).toMatchObject([
      { path: "a.txt", status: "indexed" },
      { path: "b.txt", status: "error", error: "drive: 403 Forbidden" },
    ]);
  }
  reader.openFailures.clear();
  await scan();
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, error: 0 });
});

test("a listed file that its provider does not find stays until a listing lacks it", async () => {
  const { reader, world, rag, scan } = await listedWorld({ "a.txt": "A note, first." });
  await scan();
  reader.set({ "a.txt": "A note, second." });
  reader.openFailures.set("a.txt", missingFile("bucket: 404"));
  await scan();
  const error = expect.stringContaining("listed, but not found") as unknown;
  expect(await world.rows(rag)).toMatchObject([{ path: "a.txt", status: "error", error }]);
  expect(await world.texts(rag)).toEqual({ "a.txt": ["A note, first."] });
  reader.openFailures.clear();
  await scan();
  expect(await world.texts(rag)).toEqual({ "a.txt": ["A note, second."] });
  reader.set({ "b.txt": "A note, another." });
  await scan(true);
  expect(await world.texts(rag)).toEqual({ "b.txt": ["A note, another."] });
});

test("a scan whose worker dies at any call ends with the same files, each listed once", async () => {
  const run = async (crash: CrashPoint) => {
    const { reader, world, source, rag, scan } = await listedWorld(notes(4));
    reader.pageSize = 3;
    await scan();
    reader.files.delete("f0.txt");
    reader.files.set("f1.txt", { text: "A note, changed." });
    reader.files.set("g.txt", { text: "A note, added." });
    await world.workUntil(crash, scan);
    await world.deliver();
    await world.sweepAfter(3, 15);
    // A scan that was asked for in vain is asked for by the clock.
    if ((await lastRun(source))?.["added"] === 4) await scan();
    expect(await lastRun(source)).toMatchObject({ finished: 1, error: null });
    expect(await world.texts(rag)).toEqual({
      "f1.txt": ["A note, changed."],
      "f2.txt": ["A note, 2."],
      "f3.txt": ["A note, 3."],
      "g.txt": ["A note, added."],
    });
    expect(await world.counters(rag)).toMatchObject({ indexed: 4, deleted: 1, vectors: 4 });
  };
  expect(await crashAtCalls(run, { every: 3 })).toBeGreaterThan(7);
});
