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

/** No index has room for one more file. */
function withFullIndexes(world: VectorizeWorld) {
  const { ragIndexes } = world.services;
  const full = { isFull: true };
  world.aroundIndexes(async ({ name, args, go }, address) => {
    if (name !== "writeVersions" || !full.isFull) return await go();
    const [versions, batch] = args as [FileVersion[], UpsertBatch];
    const writing = versions.map(async ({ file, revision, staged }) => {
      const sent = { ...batch, folder: folderOf(file.path) };
      const stored = await ragIndexes(address).stage(file.fileId, revision, staged, sent);
      return { stored, activation: { outcome: "full" } };
    });
    return await Promise.all(writing);
  });
  return full;
}

const statusesOf = async (world: VectorizeWorld, rag: RagId) => [
  ...new Set((await world.rows(rag)).map(({ status }) => status)),
];

test("files that wait for vectors come again as what they are", async () => {
  const world = await VectorizeWorld.alone();
  const { source, rag } = await world.addSourceAndRag();
  for (let at = 0; at < FILES; at++) await world.put(source, `${at}.html`, longText(`${at}`));
  const full = withFullIndexes(world);
  await world.deliver();
  expect(await statusesOf(world, rag)).toEqual(["processing"]);
  // Not as files whose worker died.
  world.now += MINUTE_MS;
  await sweep(world.services);
  const again = world.waiting.flatMap(({ body }) => ("files" in body ? body.files : []));
  expect(again).toHaveLength(FILES);
  expect(await suspectsOf(rag)).toBe(0);
  await world.deliver();
  expect(await statusesOf(world, rag)).toEqual(["processing"]);
  full.isFull = false;
  await world.minutesPass(2);
  expect(await statusesOf(world, rag)).toEqual(["indexed"]);
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
