import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { createFileSource } from "../../../src/catalog/file-sources/create-file-source.ts";
import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { removeFileSource } from "../../../src/catalog/file-sources/remove-file-source.ts";
import { noRoom } from "../../../src/core/errors.ts";
import { sha256Hex } from "../../../src/core/hash.ts";
import type { FileSourceId } from "../../../src/core/ids.ts";
import { DAY_MS } from "../../../src/core/time.ts";
import { StorageState } from "../../../src/core/work/storage-state.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { crashAtCalls } from "../../support/crash.ts";
import { World, keysOf, ragWorld, rowsOf, statement } from "../../support/ingestion-world.ts";

const LINE = "The lock keeper notes the height of the water at each turn of the tide.\n\n";
const PART = new TextEncoder().encode(LINE.repeat(3_700));
const PARTS = 4;
const SIZE = PART.length * PARTS;
const WHOLE = new Uint8Array(SIZE);
for (let at = 0; at < PARTS; at++) WHOLE.set(PART, at * PART.length);

/** A body of a little over a mebibyte; `meanwhile` is awaited before its third part. */
function longBody(meanwhile: () => Promise<void> = async () => undefined) {
  let sentParts = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sentParts === 2) await meanwhile();
        if (sentParts < PARTS) controller.enqueue(PART.slice());
        else controller.close();
        sentParts++;
      },
    },
    { highWaterMark: 0 },
  );
}

const putLong = async (world: World, source: FileSourceId, body = longBody()) =>
  await world.put(source, "log.txt", body, { contentLength: SIZE });

/** Reads the whole objects of a source's bytes from the bucket. */
async function storedBytes(source: FileSourceId): Promise<string[]> {
  const keys = (await keysOf(source)).filter((key) => key.includes("/bytes/"));
  return await Promise.all(
    keys.map(async (key) => {
      const object = await env.FILES.get(key);
      return object === null ? "gone" : await sha256Hex(await object.arrayBuffer());
    }),
  );
}

test("a long upload goes on to the bucket while it comes, and ends like any other", async () => {
  const { world, source, rag } = await ragWorld();
  const sha256 = await sha256Hex(WHOLE);
  let isPassedOn = false;
  world.aroundBucket(async ({ name, go }) => {
    isPassedOn ||= name === "putParts";
    return await go();
  });
  let wasPassedOn = false;
  const body = longBody(async () => {
    wasPassedOn = isPassedOn;
  });
  const result = await putLong(world, source, body);
  expect(result).toEqual({ path: "log.txt", size: SIZE, sha256, changed: true, created: true });
  expect(wasPassedOn).toBe(true);
  expect(await storedBytes(source)).toEqual([sha256]);
  await world.deliver();
  expect(await world.rows(rag)).toMatchObject([{ path: "log.txt", status: "indexed" }]);
});

test("the same long bytes again change nothing and leave nothing behind", async () => {
  const { world, source } = await ragWorld();
  await putLong(world, source);
  world.waiting = [];
  expect(await putLong(world, source)).toMatchObject({ changed: false, created: false });
  expect(world.waiting).toEqual([]);
  expect(await storedBytes(source)).toEqual([await sha256Hex(WHOLE)]);
});

test("a long upload that breaks off stores nothing", async () => {
  const world = new World();
  const source = await world.addSource();
  const body = longBody(() => Promise.reject(new Error("the caller has gone")));
  await expect(putLong(world, source, body)).rejects.toMatchObject({ kind: "invalid" });
  expect(await storedBytes(source)).toEqual([]);
  expect(await rowsOf("select 1 from files where file_source_id = ?", source)).toEqual([]);
});

test("a path taken during a long upload ends with the upload's bytes alone", async () => {
  const { world, source, rag } = await ragWorld();
  const body = longBody(async () => void (await world.put(source, "log.txt", "Another's note.")));
  expect(await putLong(world, source, body)).toMatchObject({ changed: true, created: false });
  await world.deliver();
  await sweep(world.services);
  expect(await storedBytes(source)).toEqual([await sha256Hex(WHOLE)]);
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed" }]);
  expect((await world.texts(rag))["log.txt"]?.join()).not.toContain("Another's");
});

test("a file that was forgotten during a long upload is a new file", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "log.txt", "A note.");
  const body = longBody(async () => {
    await env.DB.batch([
      statement("delete from rag_files where rag_id = ?", rag),
      statement("delete from files where file_source_id = ?", source),
    ]);
  });
  expect(await putLong(world, source, body)).toMatchObject({ changed: true, created: true });
  expect(await world.rows(rag)).toMatchObject([{ status: "pending" }]);
  expect(await storedBytes(source)).toContain(await sha256Hex(WHOLE));
});

test("a long upload into a source removed meanwhile is 404 and leaves nothing", async () => {
  const world = new World();
  const source = await world.addSource();
  const body = longBody(async () => {
    const fileSource = await findFileSource(world.services, { key: source });
    await removeFileSource(world.services, { source: fileSource });
  });
  await expect(putLong(world, source, body)).rejects.toMatchObject({ kind: "not-found" });
  expect(await storedBytes(source)).toEqual([]);
});

test("a long upload leaves nothing when the database fails before its row is written", async () => {
  const world = new World();
  const source = await world.addSource();
  const { db } = world.services;
  const body = longBody(async () => {
    world.services.db = new Proxy(db, {
      get() {
        throw new Error("the database is down");
      },
    });
  });
  await expect(putLong(world, source, body)).rejects.toThrow("the database is down");
  await Promise.all(world.background);
  expect(await storedBytes(source)).toEqual([]);
});

test("a file forgotten while its new bytes land is reported, and stored when resent", async () => {
  const { world, source, rag } = await ragWorld();
  await world.putAndIndex(source, { "log.txt": "A note." });
  await world.drop(source, "log.txt");
  world.now += 40 * DAY_MS;
  const untouched = world.services;
  world.services = { ...untouched };
  // After the first write the sweep forgets deleted files.
  world.aroundBucket(async ({ name, go }) => {
    const result = await go();
    if (name === "putParts") await sweep(untouched);
    return result;
  });
  await expect(putLong(world, source)).rejects.toThrow("gone");
  world.services = untouched;
  expect(await putLong(world, source)).toMatchObject({ changed: true, created: true });
  await world.deliver();
  expect(await storedBytes(source)).toEqual([await sha256Hex(WHOLE)]);
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed" }]);
});

test("bytes that a crash left before any row named them are gone the next day", async () => {
  const world = new World();
  const { services } = world;
  const created = await createFileSource(services, {
    name: "Interrupted uploads",
    provider: "file_system",
    config: {},
    scanIntervalMinutes: 0,
  });
  const { id } = created.source.source;
  for (const nameOf of [(at: number) => `new-${at}.txt`, () => "known.txt"]) {
    await crashAtCalls(async (crash, at) => {
      await world.workUntil(crash, () => world.put(id, nameOf(at), `Note ${at}.`));
      await world.put(id, nameOf(at), `Another note ${at}.`);
    });
  }
  const results = await rowsOf("select path from files where file_source_id = ?", id);
  const sweepAt = async (now: number) => {
    world.now = now;
    await statement("update file_sources set uploads_due_at = 0 where id = ?", id).run();
    await sweep(services);
  };

  // They may belong to uploads that are under way.
  await sweepAt(Date.now());
  expect((await storedBytes(id)).length).toBeGreaterThan(results.length + 1);

  await sweepAt(Date.now() + 2 * DAY_MS);
  const contents = await storedBytes(id);
  expect(contents).toHaveLength(results.length);
  for (let at = 1; at < results.length; at++) {
    expect(contents).toContain(await sha256Hex(`Another note ${at}.`));
  }
});

test("while there is no room no file is given up, and all are indexed once there is", async () => {
  const { world, source, rag } = await ragWorld();
  await world.put(source, "page.html", "<p>The lock is closed at night.</p>");
  const storage = new StorageState();
  world.services = { ...world.services, storage };
  storage.suspect();
  storage.beginTrial(world.now);
  storage.endTrial(false, world.now);
  let isFull = true;
  world.aroundBucket(async ({ name, go }) => {
    if (isFull && name === "putParts") throw noRoom(new Error("no answer"));
    return await go();
  });
  const envelopes = world.waiting.splice(0);
  for (let failure = 0; failure < 7; failure++) {
    await world.deliverBatch("quarry-index", envelopes);
    world.waiting = [];
    expect(await world.rows(rag)).toMatchObject([{ status: "pending" }]);
    world.now += 60_000;
  }
  isFull = false;
  await world.deliverBatch("quarry-index", envelopes);
  expect(await world.rows(rag)).toMatchObject([{ status: "indexed" }]);
});

test("an upload may be slow for as long as it comes, but not the bucket", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const world = new World();
  const source = await world.addSource();
  const aMinute = async () => void (await vi.advanceTimersByTimeAsync(60_000));
  expect(await putLong(world, source, longBody(aMinute))).toMatchObject({ size: SIZE });
});
