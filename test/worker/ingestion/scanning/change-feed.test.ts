import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { updateFileSource } from "../../../../src/catalog/file-sources/update-file-source.ts";
import { SourceFailure } from "../../../../src/ports/source-reader.ts";
import { countedDatabase } from "../../../support/counted-rows.ts";
import { crashAtCalls } from "../../../support/crash.ts";
import { cursorOf, followedWorld, lastRun, notes } from "../../sources/scanning.ts";

test("changes since the last scan are asked for: additions, edits, moves, removals", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(4));
  expect(await cursorOf(source)).toBe("0");
  reader.openedPaths = [];
  reader.change("f1.txt", "A note, changed.");
  reader.change("g/new.txt", "A note, new.");
  reader.move("f2.txt", "g/moved.txt");
  reader.remove("f3.txt");
  await scan();
  expect(reader.listings).toBe(1);
  const counts = { added: 1, changed: 2, removed: 1, unchanged: 1 };
  expect(await lastRun(source)).toMatchObject({ ...counts, error: null });
  expect(await world.texts(rag)).toEqual({
    "f0.txt": ["A note, 0."],
    "f1.txt": ["A note, changed."],
    "g/new.txt": ["A note, new."],
    "g/moved.txt": ["A note, 2."],
  });
  expect(await world.counters(rag)).toMatchObject({ indexed: 4, deleted: 1, vectors: 4 });
  expect(await cursorOf(source)).toBe("4");

  // Nothing changed: nothing is opened, and the feed is taken up where it was left.
  reader.openedPaths = [];
  await scan();
  expect(reader.openedPaths).toEqual([]);
  expect(reader.followedFrom).toEqual([0, 4]);
  expect(await lastRun(source)).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 4 });
});

test("a feed of a few files reads as many rows in a large source as in a small one", async () => {
  const reads = [];
  for (const size of [20, 80]) {
    const { reader, world, scan } = await followedWorld(notes(size));
    reader.change("f1.txt", "A note, changed.");
    reader.remove("f2.txt");
    const { counts, db } = countedDatabase();
    await world.as({ ...world.services, db }, scan);
    reads.push(counts.read);
  }
  expect(Math.abs((reads[1] ?? 0) - (reads[0] ?? 0))).toBeLessThan(20);
});

test("an expired cursor lists everything, and deletes what was deleted meanwhile", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(4));
  reader.change("new.txt", "A note, new.");
  reader.remove("f3.txt");
  reader.oldestCursor = 1;
  await scan();
  expect(reader.listings).toBe(2);
  expect(await lastRun(source)).toMatchObject({ added: 1, removed: 1, unchanged: 3, error: null });
  expect(Object.keys(await world.texts(rag)).sort()).toEqual([
    "f0.txt",
    "f1.txt",
    "f2.txt",
    "new.txt",
  ]);
  expect(await cursorOf(source)).toBe("2");
  await scan();
  expect(reader.listings).toBe(2);
});

test("a feed that fails wherever it is taken up is given up for a listing", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(3));
  reader.change("new.txt", "A note, new.");
  reader.remove("f2.txt");
  reader.beforeChanges = async () => {
    throw new SourceFailure("down", "504");
  };
  await scan();
  expect(await lastRun(source)).toMatchObject({ error: "504 after 2 tries", removed: 0 });
  await scan();
  expect(await lastRun(source)).toMatchObject({ added: 1, removed: 1, error: null });
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["f0.txt", "f1.txt", "new.txt"]);
  // The cursor of the listing is followed from then on.
  reader.beforeChanges = async () => undefined;
  await scan();
  expect([reader.listings, reader.followedFrom]).toEqual([2, [2]]);
});

test("a file that the feed showed before its cursor expired, and that then went, goes", async () => {
  const { reader, world, rag, scan } = await followedWorld(notes(4));
  reader.changesAPage = 1;
  // Only what is said of it changed: its download would tell that it has gone.
  reader.change("f1.txt", { text: "A note, 1.", metadata: { labels: ["new"] } });
  reader.change("f2.txt", "A note, changed too.");
  reader.beforeChanges = async (first) => {
    if (first !== 1) return;
    reader.remove("f1.txt");
    reader.oldestCursor = 3;
  };
  await scan();
  expect(reader.listings).toBe(2);
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["f0.txt", "f2.txt", "f3.txt"]);
});

test("a listing that begins anew forgets what it showed before", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(4));
  reader.oldestCursor = 100;
  reader.pageSize = 2;
  reader.restartAt = 1;
  // Shown by the first page of the listing that is given up.
  reader.beforePage = async (page) => void (page === 1 && reader.files.delete("f0.txt"));
  await scan();
  expect(await lastRun(source)).toMatchObject({ removed: 1, error: null });
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["f1.txt", "f2.txt", "f3.txt"]);
});

test("of what a feed tells twice of a file the later holds", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(3));
  reader.changesAPage = 1;
  reader.change("f2.txt", { text: "A note, 2.", metadata: { labels: ["soon gone"] } });
  reader.remove("f0.txt");
  reader.change("f1.txt", "A note, changed.");
  reader.beforeChanges = async (first) => {
    if (first === 1) reader.remove("f2.txt");
    if (first === 2) reader.change("f0.txt", "A note, back again.");
  };
  await scan();
  expect(await world.texts(rag)).toEqual({
    "f0.txt": ["A note, back again."],
    "f1.txt": ["A note, changed."],
  });
  expect(await cursorOf(source)).toBe("5");
});

test("a changed configuration ends the scan under way and drops its cursor", async () => {
  // Any provider does: it is the double that is read.
  const { reader, world, source, scan } = await followedWorld(notes(3), "web");
  reader.change("f1.txt", "A note, changed.");
  let calls = 0;
  reader.beforeChanges = async () => {
    if (++calls > 1) return;
    // The scan that follows begins later: it is the last run.
    world.now += 1_000;
    const fileSource = await findFileSource(world.services, { key: source });
    const config = { startUrls: ["https://another.example.com/"] };
    await updateFileSource(world.services, { source: fileSource, patch: { config } });
  };
  await scan();
  expect(calls).toBe(1);
  expect(reader.listings).toBe(2);
  expect(await lastRun(source)).toMatchObject({ changed: 1, error: null });
});

test("following a feed whose worker dies at any call ends as if it had not", async () => {
  const points = await crashAtCalls(async (crash) => {
    const { reader, world, source, rag, scan } = await followedWorld(notes(3));
    reader.changesAPage = 2;
    reader.openedPaths = [];
    reader.change("f1.txt", "A note, changed.");
    reader.change("g.txt", "A note, added.");
    reader.remove("f0.txt");
    await world.workUntil(crash, scan);
    await world.deliver();
    await world.sweepAfter(3, 15);
    // A scan that was asked for in vain is asked for by the clock.
    if ((await lastRun(source))?.["added"] === 3) await scan();
    expect(await world.texts(rag)).toEqual({
      "f1.txt": ["A note, changed."],
      "f2.txt": ["A note, 2."],
      "g.txt": ["A note, added."],
    });
    expect(await world.counters(rag)).toMatchObject({ indexed: 3, deleted: 1, vectors: 3 });
    expect(await lastRun(source)).toMatchObject({ error: null });
    expect({ cursor: await cursorOf(source), listings: reader.listings }).toEqual({
      cursor: "3",
      listings: 1,
    });
  });
  expect(points).toBeGreaterThan(15);
});

test("an item of a feed that cannot be read lists everything", async () => {
  const { reader, scan } = await followedWorld(notes(2));
  reader.unread = [{ id: "f1.txt", path: "f1.txt", message: "an unknown form" }];
  await scan();
  expect(reader.listings).toBe(2);
});
