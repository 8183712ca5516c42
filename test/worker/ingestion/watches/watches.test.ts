import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { updateFileSource } from "../../../../src/catalog/file-sources/update-file-source.ts";
import type { FileSourceId } from "../../../../src/core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/core/time.ts";
import { watchesOf } from "../../../../src/db/scans/watch-store.ts";
import { purgeSource } from "../../../../src/ingestion/removal/purge-removed-resources.ts";
import { keepWatches } from "../../../../src/ingestion/watches/keep-watches.ts";
import { receiveNotifications } from "../../../../src/ingestion/webhooks/receive-notifications.ts";
import { SourceFailure, type SourceReader } from "../../../../src/ports/source-reader.ts";
import { ScriptedSource } from "../../../doubles/source/scripted-source.ts";
import { WatcherDouble } from "../../../doubles/source/watched-source.ts";
import { World, statement } from "../../../support/ingestion-world.ts";

async function watchedWorld(address: string | undefined = "https://quarry.example.com") {
  const scans: FileSourceId[] = [];
  const world = new World({ debounceDriveScan: async (id) => void scans.push(id) });
  const watcher = new WatcherDouble(() => world.now);
  const reader: SourceReader = Object.assign(new ScriptedSource(), { watcher });
  world.services.sourceReaders = async () => reader;
  world.services.config = { ...world.services.config, PUBLIC_BASE_URL: address };
  // Other tests of this file have sources of their own.
  await env.DB.prepare("update file_sources set watch_due_at = null").run();
  const source = await world.addSource("cloud_drive");
  await statement("update file_sources set watch_due_at = 0 where id = ?", source).run();
  const keep = async (afterMs = 0) => {
    world.now += afterMs;
    await keepWatches(world.services);
  };
  return { world, watcher, source, scans, keep };
}

const notify = async (
  world: World,
  { id: watchId = "", token = "" }: { id?: string; token?: string } = {},
  event: "changed" | "ended" | "expiring",
  resourceId: string | null = null,
) => await receiveNotifications(world.services, [{ watchId, token, resourceId, event }]);

const dueTime = async (id: FileSourceId) =>
  await statement("select watch_due_at as at from file_sources where id = ?", id).first<
    number | null
  >("at");

const watchOf = async (world: World, key: string) => {
  const { watchedUntil, watchError } = (await findFileSource(world.services, { key })).source;
  return { watchedUntil, watchError };
};

test("a source is watched without a gap: renewed early, the old watch stopped late", async () => {
  const { world, watcher, source, scans, keep } = await watchedWorld();
  await keep();
  expect(watcher.watched()).toEqual(["changes"]);
  // Changes from before the watch are found by a scan.
  expect(scans).toEqual([source]);
  expect(await watchOf(world, source)).toEqual({
    watchedUntil: world.now + 7 * DAY_MS,
    watchError: null,
  });
  const end = world.now + 30 * DAY_MS;
  let overlaps = 0;
  while (world.now < end) {
    // The clock comes by every minute; only when the watches are due does it do anything.
    world.now = Math.max((await dueTime(source)) ?? end, world.now + MINUTE_MS);
    expect(watcher.watched().length).toBeGreaterThan(0);
    await keep();
    if (watcher.watched().length === 2) overlaps++;
  }
  // 5.25 days of each life of 7: five renewals, each with both watches for five minutes.
  expect(watcher.calls.filter((call) => call === "start")).toHaveLength(6);
  expect(watcher.calls.filter((call) => call === "stop")).toHaveLength(5);
  expect(overlaps).toBeGreaterThanOrEqual(5);
  expect(scans).toEqual([source]);
  const ids = (await watchesOf(world.services.db, source)).map(({ id }) => id);
  expect(ids).toEqual([...watcher.live.keys()]);
});

test("each watch has an id and a token of its own, and only its hash is stored", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  watcher.names = ["a", "b"];
  await keep();
  const tokens = [...watcher.live.values()].map(({ token }) => token);
  expect(new Set(tokens).size).toBe(2);
  for (const token of tokens) expect(token.length).toBeGreaterThanOrEqual(43);
  const text = JSON.stringify(await watchesOf(world.services.db, source));
  for (const token of tokens) expect(text).not.toContain(token);
  // A target that is no longer there is no longer watched.
  watcher.names = ["b"];
  await keep(DAY_MS);
  expect(watcher.watched()).toEqual(["b"]);
});

test.each([undefined, "http://quarry.example.com", "https://localhost:8787", "https://10.0.0.7"])(
  "a service at %s is not watched for, and the provider is not asked",
  async (address) => {
    const { watcher, keep, world } = await watchedWorld();
    world.services.config = { ...world.services.config, PUBLIC_BASE_URL: address };
    await keep();
    expect(watcher.calls).toEqual([]);
  },
);

test("a renewal that fails is tried again for days, told, and forgotten when it works", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  await keep();
  watcher.failures.set("start", new SourceFailure("denied", "Google does not notify us"));
  await keep(5.5 * DAY_MS);
  expect(await watchOf(world, source)).toMatchObject({ watchError: "Google does not notify us" });
  expect(watcher.watched()).toEqual(["changes"]);
  for (let hour = 0; hour < 30; hour++) await keep(HOUR_MS);
  expect(watcher.watched()).toEqual(["changes"]);
  expect((await watchesOf(world.services.db, source)).length).toBe(1);
  watcher.failures.clear();
  await keep(HOUR_MS);
  expect(await watchOf(world, source)).toEqual({
    watchedUntil: world.now + 7 * DAY_MS,
    watchError: null,
  });
});

test("a start whose answer is lost leads to another; the first is stopped once known", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  watcher.losesAnswers = true;
  await keep();
  watcher.losesAnswers = false;
  await keep(2 * MINUTE_MS);
  expect(watcher.watched()).toHaveLength(2);
  const [watch] = watcher.live.values();
  await notify(world, watch, "changed", watch?.resourceId);
  // It is known now, so that it is stopped at once.
  await keep(MINUTE_MS);
  expect(watcher.watched()).toHaveLength(1);
  expect((await watchesOf(world.services.db, source)).map(({ id }) => id)).toEqual([
    ...watcher.live.keys(),
  ]);
});

test("a lost start that nothing tells of costs no turn before its end", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  watcher.losesAnswers = true;
  await keep();
  watcher.losesAnswers = false;
  await keep(2 * MINUTE_MS);
  const turns = watcher.calls.length;
  expect(await watchOf(world, source)).toMatchObject({ watchError: null });
  // The clock comes by each time that the watches are due.
  const end = world.now + 12 * HOUR_MS;
  while (world.now < end) {
    world.now = Math.min(end, Math.max((await dueTime(source)) ?? end, world.now + MINUTE_MS));
    await keep();
  }
  expect(watcher.calls).toHaveLength(turns);
});

test("a target that fails keeps none from its renewal, nor old watches from their end", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  watcher.names = ["a", "b", "c"];
  watcher.refused.add("a");
  await keep();
  expect(watcher.watched()).toEqual(["b", "c"]);
  expect(await watchOf(world, source)).toEqual({ watchedUntil: null, watchError: "a is refused" });
  watcher.names = ["a", "b"];
  await keep(MINUTE_MS);
  expect(watcher.watched()).toEqual(["b"]);
});

test("another address of the service is told to the provider within a day", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  watcher.extendWatches(() => true);
  await keep();
  const PUBLIC_BASE_URL = "https://moved.example.com";
  world.services.config = { ...world.services.config, PUBLIC_BASE_URL };
  expect(((await dueTime(source)) ?? Infinity) - world.now).toBeLessThanOrEqual(DAY_MS);
  await keep(DAY_MS);
  await keep(6 * MINUTE_MS);
  expect([...watcher.live.values()]).toMatchObject([{ baseUrl: PUBLIC_BASE_URL }]);
});

test("of more libraries than are watched the same are, and the source says so", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  const names = Array.from({ length: 52 }, (_, at) => `library ${String(at).padStart(2, "0")}`);
  watcher.names = [...names].reverse();
  for (let turn = 0; turn < 6; turn++) await keep(MINUTE_MS);
  expect(watcher.watched()).toEqual(names.slice(0, 50));
  expect(await watchOf(world, source)).toMatchObject({
    watchError: "only 50 of 52 libraries are watched",
  });
});

test("a watch that its provider ended is replaced at once, and a scan follows", async () => {
  const { world, watcher, source, scans, keep } = await watchedWorld();
  await keep();
  const [watch] = watcher.live.values();
  watcher.live.clear();
  await notify(world, watch, "ended");
  expect(scans).toEqual([source, source]);
  await keep(MINUTE_MS);
  expect(watcher.watched()).toEqual(["changes"]);
});

test("a watch is extended where the provider can, also early when it asks for it", async () => {
  const { watcher, source, scans, keep, world } = await watchedWorld();
  let isKnown = true;
  watcher.extendWatches(() => isKnown);
  await keep();
  const [watch] = watcher.live.values();
  await keep(2 * DAY_MS);
  expect(watcher.calls).not.toContain("extend");
  await notify(world, watch, "expiring");
  await keep(MINUTE_MS);
  expect(watcher.calls.filter((call) => call === "extend")).toHaveLength(1);
  expect(await watchOf(world, source)).toMatchObject({ watchedUntil: world.now + 7 * DAY_MS });
  await keep(5.5 * DAY_MS);
  expect(watcher.calls.filter((call) => call === "start")).toHaveLength(1);
  expect(scans).toEqual([source]);
  // Nobody knows since when it notified no more: a scan finds what it missed.
  isKnown = false;
  await keep(5.5 * DAY_MS);
  expect(watcher.calls.filter((call) => call === "start")).toHaveLength(2);
  expect(scans).toEqual([source, source]);
});

test("a changed configuration starts another watch and stops the old one", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  await keep();
  const [before] = watcher.live.keys();
  const fileSource = await findFileSource(world.services, { key: source });
  await statement("update file_sources set provider = 'web' where id = ?", source).run();
  const config = { startUrls: ["https://example.com/"] };
  await updateFileSource(world.services, {
    source: { ...fileSource, source: { ...fileSource.source, provider: "web" } },
    patch: { config },
  });
  await keep(MINUTE_MS);
  expect(watcher.watched()).toEqual(["changes"]);
  expect(watcher.live.has(before ?? "")).toBe(false);
});

test("the watches of a removed source are stopped before its data goes", async () => {
  const { world, watcher, source, keep } = await watchedWorld();
  await keep();
  await statement("update file_sources set removed_at = 1 where id = ?", source).run();
  await purgeSource(world.services, source);
  expect(watcher.watched()).toEqual([]);
  expect(watcher.calls.at(-1)).toBe("stop");
});
