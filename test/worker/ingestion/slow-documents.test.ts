import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { RagId } from "../../../src/core/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../../src/core/time.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { eventually } from "../../support/eventually.ts";
import { bytesOf, ragWorld, type World } from "../../support/ingestion-world.ts";
import { bedsOf, LONG_FILES } from "../../support/long-files.ts";
import { lineOf, pagesOf } from "../../support/pdf-of.ts";

const PAGES = 200;
const TOO_LONG = "reading it takes longer than 3 minutes; split it into several";

/** Many pages that show the same line. */
const pdfOfManyPages = () =>
  pagesOf(Array<string>(PAGES).fill(lineOf(100, "[(A note about moss.)]"))).slice().buffer;

const longFile = (name: string, rows: number) => {
  const content = LONG_FILES[name]?.(bedsOf(rows)) ?? "";
  return typeof content === "string" ? bytesOf(content) : content.slice().buffer;
};

/**
 * Delivers the file and a text behind it; with each look at the clock so many ms have gone by.
 * `onLook` is told what the clock says.
 */
async function deliver(
  path: string,
  body: ArrayBuffer,
  stepMs: number,
  onLook: (now: number) => void = () => undefined,
) {
  const { world, source, rag } = await ragWorld();
  for (const file of [
    { path, body },
    { path: "z.txt", body: bytesOf("A note behind it.") },
  ]) {
    await world.put(source, file.path, file.body, { mimeType: "application/octet-stream" });
  }
  world.services.now = () => {
    world.now += stepMs;
    onLook(world.now);
    return world.now;
  };
  await world.deliver();
  return { rows: await world.rows(rag), source };
}

/** Lengths of the stored texts of a source's files, in characters. */
const keptLengths = async (source: string) => {
  const { objects } = await env.FILES.list({ prefix: `sources/${source}/` });
  return objects.filter(({ key }) => key.includes("/text/")).map(({ size }) => size);
};

test("a document that takes over three minutes is given up, and the next is indexed", async () => {
  const pdf = pdfOfManyPages();
  expect((await deliver("a.pdf", pdf, 0)).rows).toMatchObject([
    { path: "a.pdf", status: "indexed" },
    { path: "z.txt", status: "indexed" },
  ]);
  expect((await deliver("a.pdf", pdf, 20_000)).rows).toMatchObject([
    { path: "a.pdf", status: "error", chunks: 0, error: TOO_LONG },
    { path: "z.txt", status: "indexed" },
  ]);
});

test("a document that is read in time, but not cut, is given up as well", async () => {
  const { rows, source } = await deliver("beds.txt", longFile("beds.txt", 30_000), 400);
  expect(rows).toMatchObject([
    { path: "beds.txt", status: "error", chunks: 0, error: TOO_LONG },
    { path: "z.txt", status: "indexed" },
  ]);
  expect(Math.max(...(await keptLengths(source)))).toBeGreaterThan(30_000 * 100);
});

test("a long document's lease is renewed, so nobody else takes it up", async () => {
  const observations: Promise<{ clock: number; until: number } | null>[] = [];
  const look = async (clock: number) => {
    const row = await env.DB.prepare(
      "select leased_until as until from rag_files where path = 'held.docx' and status = 'processing'",
    ).first<{ until: number }>();
    return row && { clock, until: row.until };
  };
  const body = longFile("beds.docx", 30_000);
  const { rows } = await deliver("held.docx", body, 20_000, (now) => observations.push(look(now)));
  expect(rows[0]).toMatchObject({ path: "held.docx", error: TOO_LONG });
  const holds = (await Promise.all(observations)).filter((hold) => hold !== null);
  expect(holds.filter(({ clock, until }) => until <= clock)).toEqual([]);
  // Once when it is claimed, once when it is begun, and then while it is read.
  expect(new Set(holds.map(({ until }) => until)).size).toBeGreaterThan(3);
});

/** A file that nobody works on leaves `processing` by then, whatever stalls beside it. */
const BOUND_MS = 4 * MINUTE_MS;
const SLOW_TEXT = "A slow note. ".repeat(130_000);
const never = () => new Promise<never>(() => undefined);

async function worldOf(texts: Record<string, string>) {
  const setup = await ragWorld();
  for (const [path, text] of Object.entries(texts)) await setup.world.put(setup.source, path, text);
  return setup;
}

const statusesOf = async (world: World, rag: RagId) =>
  Object.fromEntries((await world.rows(rag)).map(({ path, status }) => [path, status]));

/** The bucket, whose reads stall while `isStalled` says so of a key's file. */
function stallReads(world: World, isStalled: () => boolean): void {
  world.aroundBucket(({ name, go }) => (name === "get" && isStalled() ? never() : go()));
}

test("a file is not held in processing by one whose read stalls beside it", async () => {
  const { world, rag } = await worldOf({ "a.txt": "A note that stalls.", "b.txt": "A note." });
  let reads = 0;
  stallReads(world, () => ++reads === 1);
  void world.deliverBatch("quarry-index", world.waiting.splice(0));
  // It waits a moment, to be embedded together with the other, and then goes alone.
  await eventually(async () => {
    expect(Object.values(await statusesOf(world, rag)).sort()).toEqual(["indexed", "processing"]);
  });
  world.now += BOUND_MS - MINUTE_MS;
  await sweep(world.services);
  expect(Object.values(await statusesOf(world, rag)).sort()).toEqual(["indexed", "pending"]);
  await world.deliver();
  expect(Object.values(await statusesOf(world, rag))).toEqual(["indexed", "indexed"]);
});

test("a file whose read stalls is not renewed by the work on another of its batch", async () => {
  const { world, rag } = await worldOf({ "a.txt": "A note that stalls.", "b.txt": SLOW_TEXT });
  const began = world.now;
  let reads = 0;
  stallReads(world, () => ++reads === 1);
  const delays: number[] = [];
  // With each call for the long file a minute goes by, and the clock sweeps.
  world.beforeEmbedding(async () => {
    world.now += MINUTE_MS;
    await sweep(world.services);
    const { "a.txt": status } = await statusesOf(world, rag);
    if (status !== "processing") delays.push(world.now - began);
  });
  void world.deliverBatch("quarry-index", world.waiting.splice(0));
  await eventually(async () => {
    expect((await statusesOf(world, rag))["b.txt"]).toBe("indexed");
  });
  expect(delays[0]).toBeLessThanOrEqual(BOUND_MS);
});

test("a sweep whose removals stall takes up what a dead worker left, and ends", async () => {
  const { world, source, rag } = await worldOf({ "z.txt": "A note that goes." });
  await world.deliver();
  await world.put(source, "a.txt", "A note.");
  stallReads(world, () => true);
  void world.deliverBatch("quarry-index", world.waiting.splice(0));
  const { promise: stalled, reject: release } = Promise.withResolvers<never>();
  world.aroundIndexes(() => stalled);
  const removal = world.drop(source, "z.txt");
  await eventually(async () => {
    expect(await statusesOf(world, rag)).toEqual({ "a.txt": "processing", "z.txt": "deleted" });
  });
  world.now += BOUND_MS - MINUTE_MS;
  const logged = world.logged("error");
  await sweep(world.services, SECOND_MS);
  // The removal waits 20 s for its index.
  expect(logged).toContainEqual(["sweep step goes on in the background", { step: "removals" }]);
  await eventually(async () =>
    expect(await statusesOf(world, rag)).toMatchObject({ "a.txt": "pending" }),
  );
  release(new Error("the index is gone"));
  await removal.catch(() => undefined);
});
