import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { HOUR_MS } from "../../../src/core/time.ts";
import type { FileUpsertBatch } from "../../../src/ports/vector-ledger.ts";
import {
  countStatements,
  factsOf,
  indexOf,
  search,
  stubOf,
  untilPurged,
  versionOf,
} from "./support.ts";

const PASSAGES = 600;
/** A statement for each passage would be many times as many. */
const FEW_STATEMENTS = 60;

const texts = (word: string) => Array.from({ length: PASSAGES }, (_text, at) => `${word} n${at}`);
const find = async (name: string, query: string) =>
  (await search(indexOf(name), query, { vector: null, limitPerLeg: 5 })).lexical;

/** Stores a large version as ingestion does: what is staged has its place already. */
async function writeLarge(
  name: string,
  revision: number,
  passages: string[],
  batch?: FileUpsertBatch,
) {
  const facts = factsOf("large.md");
  const { staged, chunks } = await versionOf(facts.fileId, passages);
  const index = indexOf(name);
  const ids = chunks.map(({ id }) => id);
  const missing = new Set(await index.missing([{ fileId: facts.fileId, ids }]));
  const newChunks = staged.filter(({ id }) => missing.has(id));
  const places = new Map(chunks.map((place) => [place.id, place]));
  for (const chunk of newChunks) chunk.place = places.get(chunk.id);
  await index.stage(facts.fileId, revision, newChunks, batch);
  return () => index.activateVersion(facts, revision, chunks);
}

/** The number of statements that a call of the index executes. */
async function statementsOf(name: string, call: () => Promise<unknown>): Promise<number> {
  const { texts: statements } = await runInDurableObject(
    stubOf(name),
    (_object, { storage: { sql } }) => countStatements(sql),
  );
  await call();
  return statements.length;
}

test("a large version is activated and removed in few statements, whatever its words", async () => {
  const name = "large version";
  const activate = await writeLarge(name, 1, texts("granite"));
  expect(await find(name, "granite n7")).toEqual([]);
  expect(await statementsOf(name, activate)).toBeLessThan(FEW_STATEMENTS);
  expect((await find(name, "granite n7"))[0]).toBe("granite n7");
  const fileId = factsOf("large.md").fileId;
  const remove = () => indexOf(name).remove([{ fileId, revision: 2 }]);
  expect(await statementsOf(name, remove)).toBeLessThan(FEW_STATEMENTS);
  expect(await find(name, "granite n7")).toEqual([]);
  expect(await indexOf(name).facts()).toMatchObject({ chunks: 0, files: 0, staged: PASSAGES });
  await untilPurged(name);
  await runInDurableObject(stubOf(name), (_object, { storage: { sql } }) => {
    for (const table of ["chunks", "contents"])
      expect(sql.exec(`SELECT count(*) AS rows FROM ${table}`).one()).toEqual({ rows: 0 });
  });
});

test("passages that return before they are deleted are stored again, and found once", async () => {
  const name = "returning";
  await (
    await writeLarge(name, 1, texts("quartz"))
  )();
  await (
    await writeLarge(name, 2, texts("basalt"))
  )();
  expect(await find(name, "quartz")).toEqual([]);
  const activate = await writeLarge(name, 3, texts("quartz"));
  expect(await activate()).toEqual({ outcome: "activated", chunkCount: PASSAGES });
  expect(await find(name, "quartz n7")).toContain("quartz n7");
  expect(await find(name, "basalt")).toEqual([]);
  await untilPurged(name);
  expect(await indexOf(name).facts()).toMatchObject({ chunks: PASSAGES, staged: 0 });
  expect((await find(name, "n7")).filter((text) => text === "quartz n7")).toHaveLength(1);
});

test("of a file that moves, vectors of passages that have left are not sent again", async () => {
  const name = "moved";
  const index = indexOf(name);
  await (
    await writeLarge(name, 1, texts("granite"), { id: 1, at: 0, folder: "old" })
  )();
  await (
    await writeLarge(name, 2, ["basalt"], { id: 2, at: 0, folder: "old" })
  )();
  await index.confirmSeen([2], 1);
  await index.confirmSeen([], HOUR_MS);
  await index.describeFile({ ...factsOf("large.md"), path: "new/large.md" }, 3);
  expect(await index.queueMoved(PASSAGES)).toBe(1);
  expect(await index.vectorsToUpsert(HOUR_MS, PASSAGES)).toHaveLength(1);
  await untilPurged(name);
  expect(await index.ledger()).toMatchObject({ inFlight: 1 });
});

test("what was staged of a version that comes to nothing leaves the index", async () => {
  const name = "changed back";
  await (
    await writeLarge(name, 1, texts("granite"))
  )();
  await writeLarge(name, 2, texts("basalt"));
  await indexOf(name).describeFile(factsOf("large.md"), 3);
  for (let step = 0; step < 5; step++) await runDurableObjectAlarm(stubOf(name));
  expect(await indexOf(name).facts()).toMatchObject({ chunks: PASSAGES, staged: 0 });
  expect((await find(name, "basalt n7")).join()).not.toContain("basalt");
  expect((await find(name, "granite n7"))[0]).toBe("granite n7");
});
