import { expect, test } from "vitest";

import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import { MINUTE_MS } from "../../../../src/core/time.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { returnToIndex } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { statement, World } from "../../../support/ingestion-world.ts";
import { SHOWN_AFTER_MS } from "../../../support/vectorize-world.ts";
import {
  deliverBut,
  find,
  indexedRag,
  longText,
  ofGeneration,
  patch,
  states,
  tenMinutesLater,
  deliverFirst,
  facts,
  ofBuild,
  vectorizeRag,
} from "./support.ts";

const FILES = {
  "a.html": longText("moss"),
  "b.html": longText("heather"),
  "c.html": longText("gorse"),
};
const SMALL = { chunkSize: 32, chunkOverlap: 0 };

test("the previous generation answers again with its settings, without embedding", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  const counters = await world.counters(rag);
  await patch(world, rag, SMALL);
  await world.deliver();
  expect((await find(world, rag)).counts["a.html"]).toBeGreaterThan(1);

  const embedded = world.countEmbedded();
  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  expect(embedded).toEqual([]);
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  expect(await find(world, rag)).toEqual(before);
  expect(await world.counters(rag)).toEqual(counters);
  expect(await findRag(world.services, { key: rag })).toMatchObject({
    chunkSize: 400,
    chunkOverlap: 60,
  });
  await sweep(world.services);
  expect(world.waiting).toEqual([]);
});

test("changes made meanwhile are in the generation that is returned to", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  await patch(world, rag, SMALL);
  await world.deliver();
  await world.put(source, "a.html", longText("bracken"));
  await world.put(source, "d.html", longText("willow"));
  await world.drop(source, "b.html");
  await world.deliver();
  const live = await find(world, rag);

  await returnToIndex(world.services, { ragId: rag });
  await deliverBut(world, ofGeneration(1));
  expect(await states(rag)).toEqual(["1 building", "2 live"]);
  expect(await find(world, rag)).toEqual(live);
  await world.deliver();
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  const { counts, texts } = await find(world, rag);
  expect(counts).toEqual({ "a.html": 1, "c.html": 1, "d.html": 1 });
  expect(texts.join(" ")).toContain("bracken");
  expect(texts.join(" ")).not.toMatch(/moss|heather/);
  expect(await world.counters(rag)).toMatchObject({ indexed: 3, pending: 0, vectors: 3 });
});

test("what left the scopes meanwhile is not in the index gone back to", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  await patch(world, rag, SMALL);
  await world.deliver();
  const scopes = ["a.html", "b.html"].map((value) => ({ type: "path" as const, value }));
  await patch(world, rag, { scopeMode: "scoped", scopes });
  await world.deliver();
  await world.drop(source, "b.html");
  await world.deliver();

  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  expect(await world.rows(rag)).toMatchObject([
    { path: "a.html", status: "indexed", chunks: 1 },
    { path: "b.html", status: "deleted", chunks: 0 },
  ]);
  expect((await find(world, rag)).counts).toEqual({ "a.html": 1 });
  expect(await world.counters(rag)).toMatchObject({ indexed: 1, deleted: 1, vectors: 1 });
});

test("the sweep finishes a return that dies; after the drop it is refused", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  await patch(world, rag, SMALL);
  await world.deliver();
  await returnToIndex(world.services, { ragId: rag });
  world.waiting = [];
  await world.sweepAfter(0, 3, 15);
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  expect(await find(world, rag)).toEqual(before);

  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 live", "2 dropped"]);
  await expect(returnToIndex(world.services, { ragId: rag })).rejects.toThrow(
    "There is no earlier index to go back to",
  );
});

test("vectors of replaced generations and of a removed RAG leave the vector index", async () => {
  const { world, rag } = await vectorizeRag({
    "a.html": longText("moss"),
    "b.html": longText("fen"),
  });
  world.now += SHOWN_AFTER_MS;
  expect(world.vectorIdsOf(rag)).toHaveLength(2);
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverBut(world, ofBuild);
  await deliverFirst(world);
  await patch(world, rag, { chunkSize: 64, chunkOverlap: 0 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 retired", "3 live"]);
  world.now += SHOWN_AFTER_MS;
  expect(world.vectorIdsOf(rag).length).toBeGreaterThan((await facts(world, rag, 3)).chunks);
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 dropped", "2 dropped", "3 live"]);
  world.now += SHOWN_AFTER_MS;
  expect(world.vectorIdsOf(rag)).toHaveLength((await facts(world, rag, 3)).chunks);
  // Nor does a removed RAG leave any.
  await statement("update rags set removed_at = 1 where id = ?", rag).run();
  await world.services.queue.scan({ kind: "purge-rag", ragId: rag });
  await world.deliver();
  world.now += SHOWN_AFTER_MS;
  expect(world.vectorIdsOf(rag)).toEqual([]);
});

test("vectors of a size that the vector index cannot hold change nothing and say so", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": longText("moss") });
  const before = await find(world, rag);
  const errors = world.logged("error");
  world.services.config = { ...world.services.config, EMBEDDING_DIMENSIONS: 512 };
  await world.sweepAfter(0);
  world.now += MINUTE_MS;
  expect(JSON.stringify(errors)).toContain("EMBEDDING_DIMENSIONS is now 512");
  expect(await states(rag)).toEqual(["1 live"]);
  expect(await find(world, rag)).toEqual(before);
});
