import { html } from "hono/html";
import { expect, test } from "vitest";

import { MINUTE_MS } from "../../../../src/core/time.ts";
import { readNeeds } from "../../../../src/db/maintenance/overview-store.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { reindexRag } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { Builds } from "../../../../src/panel/pages/overview/needs.tsx";
import { BUILT_IN_MODELS } from "../../../../src/ports/models.ts";
import { statement, World } from "../../../support/ingestion-world.ts";
import {
  deliverBut,
  deliverFirst,
  facts,
  find,
  generations,
  indexedRag,
  longText,
  ofBuild,
  patch,
  states,
  tenMinutesLater,
} from "./support.ts";

const FILES = { "a.html": longText("moss"), "b.html": longText("heather") };

test("with other chunking the old chunks answer until the new ones are complete", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  expect(before.counts).toEqual({ "a.html": 1, "b.html": 1 });

  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverBut(world, ofBuild);
  expect(await states(rag)).toEqual(["1 live", "2 building"]);
  expect(await find(world, rag)).toEqual(before);
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, pending: 0, vectors: 2 });

  // One of the two files is built: nothing of it shows yet.
  const [first, ...rest] = world.waiting.splice(0);
  if (first !== undefined) await world.deliverBatch("quarry-index", [first]);
  expect((await facts(world, rag, 2)).chunks).toBeGreaterThan(1);
  expect(await find(world, rag)).toEqual(before);
  const needs = await readNeeds(world.services.db, {
    now: world.now,
    limit: 1,
    mayReadAll: true,
    problem: null,
  });
  const notice = (await html`${Builds({ of: needs.builds })}`).toString();
  expect(notice).toContain("1 index is being rebuilt: 1 of 2 files");

  world.waiting.push(...rest);
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  const after = await find(world, rag);
  expect(after.counts["a.html"]).toBeGreaterThan(1);
  expect(after.counts["b.html"]).toBe(after.counts["a.html"]);
  const { chunks } = await facts(world, rag, 2);
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, error: 0, vectors: chunks });
  expect(after.texts).toHaveLength(chunks);

  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 dropped", "2 live"]);
  expect(await facts(world, rag, 1)).toMatchObject({ chunks: 0, files: 0 });
  expect(await find(world, rag)).toEqual(after);
});

test("an index of an older format answers until the new one is complete", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  await statement("update rag_generations set format = format - 1 where rag_id = ?", rag).run();
  await sweep(world.services);
  await deliverBut(world, ofBuild);
  expect(await states(rag)).toEqual(["1 live", "2 building"]);
  expect(await find(world, rag)).toEqual(before);

  // The built-in model's vectors hold words as a format reads them: they are computed anew.
  const from = "select vectors_from from rag_generations where rag_id = ? and generation = 2";
  const isBuiltIn = world.services.config.EMBEDDING_MODEL === BUILT_IN_MODELS.embedding;
  expect(await statement(from, rag).first("vectors_from")).toBe(isBuiltIn ? null : 1);

  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(await find(world, rag)).toMatchObject({ counts: before.counts });
  await sweep(world.services);
  expect(world.waiting).toEqual([]);
});

test("a reindex builds once, however often its message comes, and keeps figures", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const counters = await world.counters(rag);
  await reindexRag(world.services, { ragId: rag });
  const [message] = world.waiting;
  if (message === undefined) throw new Error("nothing was queued");
  await world.deliver();
  world.waiting.push(message, message);
  world.now += MINUTE_MS;
  await world.deliver();
  await world.sweepAfter(0);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(await world.counters(rag)).toEqual(counters);
});

test("a second change during a build leaves only the newest settings", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverBut(world, ofBuild);
  await deliverFirst(world);
  await patch(world, rag, { chunkSize: 64, chunkOverlap: 0 });
  await world.deliver();
  expect(await generations(rag)).toMatchObject([
    { state: "retired", chunkSize: 400 },
    { state: "retired", chunkSize: 32 },
    { state: "live", chunkSize: 64 },
  ]);
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 dropped", "2 dropped", "3 live"]);
  expect(await facts(world, rag, 2)).toMatchObject({ chunks: 0, files: 0, staged: 0 });
  expect(await world.counters(rag)).toMatchObject({ vectors: (await facts(world, rag, 3)).chunks });
});

test("a change that is taken back ends the build", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverBut(world, ofBuild);
  await patch(world, rag, { chunkSize: 400, chunkOverlap: 60 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  expect(await find(world, rag)).toEqual(before);
});
