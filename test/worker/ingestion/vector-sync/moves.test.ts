import { expect, test } from "vitest";

import type { RagId } from "../../../../src/core/ids.ts";
import { crashAtCalls, type CrashPoint } from "../../../support/crash.ts";
import { SHOWN_AFTER_MS, type VectorizeWorld } from "../../../support/vectorize-world.ts";
import { drive, nearest } from "./support.ts";

const PLANTS = ["heather", "sundew", "bracken", "gorse", "sedge", "willow", "alder", "rowan"];
const textOf = (at: number) => `${PLANTS[at % PLANTS.length]} grows in bed ${at}.`;
/** By meaning alone: no word of the question stands in a text. */
const queryFor = (at: number) => textOf(at).toLowerCase().replaceAll(" ", "");

/** All of it shows in the vector index. */
async function shownDrive(files: Record<string, number>) {
  const texts = Object.entries(files).map(([path, at]) => [path, textOf(at)]);
  const setup = await drive(Object.fromEntries(texts) as Record<string, string>);
  await setup.world.minutesPass(4);
  expect(await setup.world.index(setup.rag).ledger()).toMatchObject({ inFlight: 0, moved: 0 });
  return setup;
}

async function inFolder(world: VectorizeWorld, ragId: RagId, folder: string, query: string) {
  const { chunks, degradations } = await nearest(world, ragId, query, { folder });
  expect(degradations).toEqual([]);
  return chunks.map((chunk) => chunk.split(":", 1)[0] ?? "").sort();
}

/** Once a half minute until nothing is on its way any more. */
async function throughout(world: VectorizeWorld, check: () => Promise<void>): Promise<void> {
  for (let step = 0; step < 14; step++) {
    await check();
    world.now += SHOWN_AFTER_MS / 2;
    if (step % 2 === 1) await world.minutesPass(1);
  }
}

test("a file that moved is found in its new folder at once, and never in its old one", async () => {
  const { world, reader, rag, scan } = await shownDrive({
    "old/a.txt": 0,
    "old/b.txt": 1,
    "new/c.txt": 2,
  });
  const embedded = world.countEmbedded();
  reader.move("old/a.txt", "new/a.txt");
  await scan();
  expect(embedded).toEqual([]);
  expect(await world.index(rag).ledger()).toMatchObject({ moved: 1 });
  await throughout(world, async () => {
    expect(await inFolder(world, rag, "new", queryFor(0))).toEqual(["new/a.txt", "new/c.txt"]);
    expect(await inFolder(world, rag, "old", queryFor(0))).toEqual(["old/b.txt"]);
  });
  expect(await world.index(rag).ledger()).toMatchObject({ moved: 0, inFlight: 0 });
  const queries = world.countCalls("query");
  expect(await inFolder(world, rag, "new", queryFor(0))).toContain("new/a.txt");
  // The old folder is asked no longer, and the new one knows the file by itself.
  expect(queries()).toBe(1);
});

test("a file that moves on, out of its folder or back is found where it lies", async () => {
  const { world, reader, rag, scan } = await shownDrive({
    "a/x.txt": 0,
    "b/y.txt": 1,
    "c/z.txt": 2,
  });
  const way = ["b/x.txt", "c/x.txt", "x.txt", "c/d/x.txt", "a/x.txt"];
  let at = "a/x.txt";
  for (const [step, to] of way.entries()) {
    reader.move(at, to);
    at = to;
    await scan();
    for (const folder of ["a", "b", "c"]) {
      const isThere = (await inFolder(world, rag, folder, queryFor(0))).includes(at);
      expect([step, folder, isThere]).toEqual([step, folder, at.startsWith(`${folder}/`)]);
    }
    // Each time the vectors have come another part of the way.
    if (step % 2 === 0) await world.minutesPass(1);
    world.now += 20_000;
  }
  await world.minutesPass(8);
  expect(await world.index(rag).ledger()).toMatchObject({ moved: 0, inFlight: 0 });
  expect(await inFolder(world, rag, "a", queryFor(0))).toEqual(["a/x.txt"]);
  expect(world.vectorIdsOf(rag)).toHaveLength(3);
});

test("a moved folder of many files is found at once, and sent again in pages", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `${at % 7}/${at}.txt`);
  const files = Object.fromEntries(names.map((name, at) => [`old/deep/${name}`, at]));
  const { world, reader, rag, scan } = await shownDrive(files);
  const countUpserts = world.countCalls("upsert");
  for (const name of names) reader.move(`old/deep/${name}`, `new/${name}`);
  await scan();
  expect(countUpserts()).toBe(0);
  const all = names.map((name) => `new/${name}`).sort();
  const queries = world.countCalls("query");
  expect(await inFolder(world, rag, "new", queryFor(5))).toEqual(all);
  // So many files that all folders are asked.
  expect(queries()).toBe(1);
  await throughout(world, async () => {
    expect(await inFolder(world, rag, "new", queryFor(5))).toEqual(all);
    expect(await inFolder(world, rag, "old", queryFor(5))).toEqual([]);
  });
  expect(countUpserts()).toBe(1);
  expect(await world.index(rag).ledger()).toMatchObject({ moved: 0, inFlight: 0 });
});

test("a file moved and changed at once is found in its new place and version alone", async () => {
  const { world, reader, rag, scan } = await shownDrive({ "old/a.txt": 0, "new/c.txt": 2 });
  reader.move("old/a.txt", "new/a.txt");
  reader.change("new/a.txt", { text: textOf(3), externalId: "old/a.txt" });
  await scan();
  await throughout(world, async () => {
    expect(await inFolder(world, rag, "new", queryFor(3))).toEqual(["new/a.txt", "new/c.txt"]);
    expect(await inFolder(world, rag, "old", queryFor(3))).toEqual([]);
  });
  expect(await world.index(rag).ledger()).toMatchObject({ moved: 0, inFlight: 0 });
});

test("a worker that dies at any call while a move is sent again loses nothing", async () => {
  const run = async (crash: CrashPoint, at: number) => {
    const { world, reader, rag, scan } = await shownDrive({ "old/a.txt": 0, "new/c.txt": 2 });
    reader.move("old/a.txt", "new/a.txt");
    await world.workUntil(crash, async () => {
      await scan().catch(() => undefined);
      await world.minutesPass(2);
    });
    await scan();
    await world.minutesPass(10);
    expect([at, await inFolder(world, rag, "new", queryFor(0))]).toEqual([
      at,
      ["new/a.txt", "new/c.txt"],
    ]);
    expect(await world.index(rag).ledger()).toMatchObject({ moved: 0, inFlight: 0 });
  };
  const moment = (at: number) => (at % 2 === 1 ? "before" : "after");
  expect(await crashAtCalls(run, { every: 7, moment })).toBeGreaterThan(2);
});

test("daily verification repairs vectors whose folder is not their file's", async () => {
  const { world, rag } = await shownDrive({ "a/x.txt": 0, "b/y.txt": 1 });
  const [vectorId] = world.vectorIdsOf(rag);
  const { vectorIndex } = world.services;
  if (vectorId === undefined || vectorIndex === null) throw new Error("a vector is needed");
  const space = { ragId: rag, generation: 1 };
  const [vector] = await world.vectorize.getByIds([vectorId]);
  const values = Float32Array.from(vector?.values ?? []);
  await vectorIndex.upsert(space, [
    { id: vectorId, values, fileId: "f" as never, folder: "wrong" },
  ]);
  world.now += 24 * 60 * SHOWN_AFTER_MS;
  await world.minutesPass(4);
  expect(await inFolder(world, rag, "a", queryFor(0))).toEqual(["a/x.txt"]);
  expect(await inFolder(world, rag, "b", queryFor(1))).toEqual(["b/y.txt"]);
});
