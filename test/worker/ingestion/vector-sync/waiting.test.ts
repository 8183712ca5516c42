import { expect, test } from "vitest";

import { MINUTE_MS } from "../../../../src/core/time.ts";
import { folderOf } from "../../../../src/core/folders.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import type { FileVersion } from "../../../../src/ports/index-versions.ts";
import type { UpsertBatch } from "../../../../src/ports/vector-ledger.ts";
import { VectorizeWorld } from "../../../support/vectorize-world.ts";
import { longText } from "../rebuilds/support.ts";
import { statement } from "../../../support/ingestion-world.ts";

const FILES = 20;

const suspectsOf = async (rag: RagId) =>
  await statement(
    "select count(*) as count from rag_files where rag_id = ? and lease_id = 'crashed'",
    rag,
  ).first<number>("count");

/** No index has room for one more file; calls that look for what shows by now are counted. */
function withFullIndexes(world: VectorizeWorld) {
  const { ragIndexes } = world.services;
  const full = { isFull: true, looks: 0 };
  world.services.ragIndexes = (address) =>
    new Proxy(ragIndexes(address), {
      get(index, name) {
        if (name === "writeVersions" && full.isFull) {
          return async (versions: FileVersion[], batch: UpsertBatch) =>
            await Promise.all(
              versions.map(async ({ file, revision, staged }) => {
                const sent = { ...batch, folder: folderOf(file.path) };
                const stored = await index.stage(file.fileId, revision, staged, sent);
                return { stored, activation: { outcome: "full" } };
              }),
            );
        }
        if (name === "inFlightBatches") full.looks++;
        const call = Reflect.get(index, name) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => call(...args);
      },
    });
  return full;
}

const statusesOf = async (world: VectorizeWorld, rag: RagId) => [
  ...new Set((await world.rows(rag)).map(({ status }) => status)),
];

test("files of a batch that wait for vectors ask the vector index once", async () => {
  const world = await VectorizeWorld.alone();
  const { source, rag } = await world.addSourceAndRag();
  for (let at = 0; at < FILES; at++) await world.put(source, `${at}.html`, longText(`${at}`));
  const full = withFullIndexes(world);
  const looksAtWhatShows = world.countCalls("describe");
  await world.deliver();
  expect(await statusesOf(world, rag)).toEqual(["processing"]);
  expect({ looks: full.looks, described: looksAtWhatShows() }).toEqual({ looks: 1, described: 1 });
  // They come again as what they are, and not as files whose worker died.
  world.now += MINUTE_MS;
  await sweep(world.services);
  const again = world.waiting.flatMap(({ body }) => ("files" in body ? body.files : []));
  expect(again).toHaveLength(FILES);
  expect(await suspectsOf(rag)).toBe(0);
  full.looks = 0;
  await world.deliver();
  expect(await statusesOf(world, rag)).toEqual(["processing"]);
  expect(full.looks).toBe(1);
  full.isFull = false;
  await world.minutesPass(2);
  expect(await statusesOf(world, rag)).toEqual(["indexed"]);
});

test("where files of many RAGs wait, one batch looks at a few of their indexes", async () => {
  const world = await VectorizeWorld.alone();
  const rags: RagId[] = [];
  for (let at = 0; at < 8; at++) {
    const source = await world.addSource();
    rags.push(await world.addRag(source));
    await world.put(source, "a.html", longText(`${at}`));
  }
  const full = withFullIndexes(world);
  await world.deliver();
  expect(full.looks).toBe(4);
  full.isFull = false;
  await world.minutesPass(2);
  for (const rag of rags) expect(await statusesOf(world, rag)).toEqual(["indexed"]);
});

test("a vector index that is down keeps no file from waiting on", async () => {
  const world = await VectorizeWorld.alone();
  const { source, rag } = await world.addSourceAndRag();
  await world.put(source, "a.html", longText("moss"));
  const full = withFullIndexes(world);
  world.vectorize.failure = new Error("down");
  for (let minute = 0; minute < 8; minute++) {
    await world.minutesPass(1);
    expect(await statusesOf(world, rag)).toEqual(["processing"]);
  }
  world.vectorize.failure = null;
  full.isFull = false;
  await world.minutesPass(2);
  expect(await statusesOf(world, rag)).toEqual(["indexed"]);
});
