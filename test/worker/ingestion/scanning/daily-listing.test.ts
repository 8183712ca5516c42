import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/time.ts";
import { sourceOf } from "../../../../src/panel/api/file-sources.ts";
import { statement, type World } from "../../../support/ingestion-world.ts";
import { followedWorld, lastRun, notes } from "../../sources/scanning.ts";

/** What the newest run says that it mended; null: it did not list everything after the feed. */
const mended = async (world: World, key: string) => {
  const { lastScan } = sourceOf(await findFileSource(world.services, { key }));
  return lastScan?.mended;
};

test("once a day everything is listed, and what the feed missed is mended and counted", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(6));
  world.now += 20 * HOUR_MS;
  await scan();
  expect({ listings: reader.listings, mended: await mended(world, source) }).toEqual({
    listings: 1,
    mended: null,
  });
  reader.change("f0.txt", "A note, told.");
  reader.change("told.txt", "A note, told too.");
  reader.remove("f1.txt");
  reader.files.set("f2.txt", { text: "A note, missed." });
  reader.files.set("missed.txt", { text: "A note, missed too." });
  reader.files.delete("f3.txt");
  // The feed shows it, and it goes before the listing begins: its download tells.
  reader.change("brief.txt", "A note, soon gone.");
  // The feed shows it, and the listing does not yet: it stays.
  reader.change("late.txt", "A note, late.");
  reader.beforePage = async () => {
    reader.files.delete("brief.txt");
    reader.files.delete("late.txt");
  };
  reader.afterListing = () => void reader.files.set("late.txt", { text: "A note, late." });
  world.now += 5 * HOUR_MS;
  await scan();
  expect(reader.listings).toBe(2);
  expect(await lastRun(source)).toMatchObject({ added: 4, changed: 2, removed: 2, error: null });
  expect(await mended(world, source)).toEqual({ added: 1, changed: 1, removed: 1 });
  expect(await world.shown(rag)).toEqual({
    "f0.txt": ["A note, told."],
    "told.txt": ["A note, told too."],
    "late.txt": ["A note, late."],
    "f2.txt": ["A note, missed."],
    "missed.txt": ["A note, missed too."],
    "f4.txt": ["A note, 4."],
    "f5.txt": ["A note, 5."],
  });
  await scan();
  expect(reader.listings).toBe(2);
});

test("a deletion that the feed tells of counts, whatever the daily listing shows yet", async () => {
  const { reader, world, rag, scan } = await followedWorld(notes(3));
  world.now += 25 * HOUR_MS;
  // Added minutes ago: the listing alone may not remove it, because it may lag.
  reader.change("new.txt", "A note, new.");
  await statement("update file_sources set listed_at = ?", world.now).run();
  await scan();
  expect(Object.keys(await world.shown(rag))).toContain("new.txt");
  world.now += 5 * MINUTE_MS;
  await env.DB.prepare("update file_sources set listed_at = 0").run();
  reader.remove("new.txt");
  reader.remove("f0.txt");
  // The listing lags behind the feed and shows one of them still.
  reader.beforePage = async () => void reader.files.set("f0.txt", { text: "A note, 0." });
  reader.afterListing = () => void reader.files.delete("f0.txt");
  await scan();
  expect(Object.keys(await world.shown(rag)).sort()).toEqual(["f0.txt", "f1.txt", "f2.txt"]);
  reader.beforePage = async () => undefined;
  await scan();
  expect(Object.keys(await world.shown(rag)).sort()).toEqual(["f1.txt", "f2.txt"]);
});

test("a daily listing that lacks most files is held by every scan until confirmed", async () => {
  const { reader, world, source, rag, scan } = await followedWorld(notes(30));
  for (let at = 0; at < 25; at++) reader.files.delete(`f${at}.txt`);
  world.now += 25 * HOUR_MS;
  for (let times = 0; times < 2; times++) {
    await scan();
    const error = "removal of 25 of 30 files is held until confirmed";
    expect(await lastRun(source)).toMatchObject({ removed: 0, error });
  }
  expect(Object.keys(await world.shown(rag))).toHaveLength(30);
  await scan(true);
  expect(await lastRun(source)).toMatchObject({ removed: 25, error: null });
  expect(await mended(world, source)).toEqual({ added: 0, changed: 0, removed: 25 });
});
