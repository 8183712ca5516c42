import { expect, test } from "vitest";

import { modelRegistry } from "../../../../src/adapters/model-registry.ts";
import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { reindexRag, returnToIndex } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { World } from "../../../support/ingestion-world.ts";
import {
  deliverBut,
  find,
  generations,
  indexedRag,
  longText,
  ofBuild,
  patch,
  states,
} from "./support.ts";

/** The built-in vectors under another model's name. */
function serveAs(world: World, model: string, variables: object = {}): void {
  const services = { ...world.services, config: { ...world.services.config, ...variables } };
  services.config.EMBEDDING_MODEL = model;
  const models = modelRegistry(services.config, {});
  world.services = {
    ...services,
    models: {
      ...models,
      embedder: (name, dimensions) => ({ ...models.embedder("embedded/hash", dimensions), name }),
    },
  };
}

const FILES = { "a.html": longText("moss"), "b.html": longText("heather") };

test("the old vectors answer, by their own model, until the new ones are complete", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  world.services.config = { ...world.services.config, EMBEDDING_DIMENSIONS: 512 };
  await sweep(world.services);
  await deliverBut(world, ofBuild);
  expect(await states(rag)).toEqual(["1 live", "2 building"]);
  expect(await find(world, rag)).toEqual(before);
  expect(before.degradations).toEqual([]);

  await world.deliver();
  expect(await generations(rag)).toMatchObject([
    { state: "retired", dimensions: 1_024 },
    { state: "live", dimensions: 512 },
  ]);
  expect(await find(world, rag)).toMatchObject({ counts: before.counts, degradations: [] });
  await sweep(world.services);
  expect(world.waiting).toEqual([]);
});

test("after a return the abandoned embedding model is not built until asked for", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  const setDimensions = (dimensions: number) => {
    world.services.config = { ...world.services.config, EMBEDDING_DIMENSIONS: dimensions };
  };
  setDimensions(512);
  await world.sweepAfter(0);
  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  for (let minute = 0; minute < 3; minute++) {
    await world.sweepAfter(1);
  }
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  expect(await find(world, rag)).toEqual(before);

  await reindexRag(world.services, { ragId: rag });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 retired", "3 live"]);
  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  setDimensions(256);
  await world.sweepAfter(0);
  expect((await states(rag)).at(-1)).toBe("4 live");
});

test("texts stand behind what the model expects; another prefix embeds them again", async () => {
  const { world, rag } = await indexedRag(new World(), {
    "a.html": longText("larch"),
    "b.html": longText("birch"),
  });
  serveAs(world, "local/e5-base");
  const texts = world.countEmbedded();
  await world.sweepAfter(0);
  await find(world, rag, "moss");
  expect(texts.filter((text) => /^passage: [^]*(larch|birch)/.test(text))).toHaveLength(2);
  expect(texts).toContain("query: moss");

  serveAs(world, "local/e5-base", { EMBEDDING_PASSAGE_PREFIX: "none" });
  const embeddedTexts = world.countEmbedded();
  await world.sweepAfter(0);
  expect(embeddedTexts.filter((text) => /^A note about (larch|birch)/.test(text))).toHaveLength(2);
  expect(embeddedTexts.join()).not.toContain("passage: ");
  expect(await states(rag)).toEqual(["1 retired", "2 retired", "3 live"]);
  // Nothing is built again while nothing changes.
  await world.sweepAfter(1);
  expect(world.waiting).toEqual([]);
});

test("passages are no longer than the model reads", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  serveAs(world, "local/all-minilm");
  await world.sweepAfter(0);
  const { longestPassage } = world.services.models.embeddingForm("local/all-minilm");
  expect(await generations(rag)).toMatchObject([
    { chunkSize: 400 },
    { chunkSize: longestPassage, state: "live" },
  ]);
  await world.sweepAfter(1);
  expect((await states(rag)).at(-1)).toBe("2 live");
});

test("what questions about something else reach is measured where it is left out", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  serveAs(world, "local/some");
  const measured = async () => {
    const { unrelatedSimilarity } = await findRag(world.services, { key: rag });
    return unrelatedSimilarity;
  };
  const leaveOut = async (leaveOutUnrelated: boolean) =>
    await patch(world, rag, { leaveOutUnrelated });
  await world.sweepAfter(0, 1);
  expect(await measured()).toBe(null);
  const cats = "Why do cats purr?";
  expect((await find(world, rag, cats)).counts).not.toEqual({});

  await leaveOut(true);
  await world.sweepAfter(1);
  expect(await measured()).toBeGreaterThan(0);
  expect((await find(world, rag, cats)).counts).toEqual({});
  expect(Object.keys((await find(world, rag, "moss")).counts)).toContain("a.html");

  // Another model's scale is not kept while nothing is left out.
  await leaveOut(false);
  await world.sweepAfter(25 * 60);
  await leaveOut(true);
  expect(await measured()).toBe(null);

  // Without a passage to be found, it is not measured again each minute.
  const { generation } = await findRag(world.services, { key: rag });
  const index = world.services.ragIndexes({ ragId: rag, generation, shard: 0 });
  await index.restrictToScopes(null, { paths: Object.keys(FILES), passages: [] });
  await world.sweepAfter(1);
  expect(await measured()).toBe(0);
});

test("an index waits while another model answers by the name of its own", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  serveAs(world, "local/some");
  await world.sweepAfter(0);
  await world.sweepAfter(1);
  const before = await find(world, rag);
  const served = world.services.models;
  const embedder: typeof served.embedder = (name, dimensions) => {
    const { model, ...rest } = served.embedder(name, dimensions);
    const doEmbed: typeof model.doEmbed = async ({ values, ...options }) =>
      await model.doEmbed({
        ...options,
        values: values.map((text) => [...text].toReversed().join("")),
      });
    return { ...rest, model: { ...model, doEmbed } };
  };
  world.services.models = { ...served, embedder };
  const errors = world.logged("error");
  await patch(world, rag, { leaveOutUnrelated: true });
  await world.sweepAfter(24 * 60);
  expect((await findRag(world.services, { key: rag })).unrelatedSimilarity).toBe(null);
  await patch(world, rag, { leaveOutUnrelated: false });
  expect(JSON.stringify(errors)).toContain("another model answers");
  const words = await find(world, rag);
  expect(words.degradations).toEqual([
    expect.stringContaining("another model answers as local/some"),
  ]);
  expect(words.counts).toEqual(before.counts);
  await world.put(source, "c.html", longText("fern"));
  await world.deliverBatch("quarry-index", world.waiting.splice(0));
  expect((await find(world, rag)).counts).toEqual(before.counts);

  world.services.models = served;
  await world.sweepAfter(1);
  expect(await find(world, rag)).toMatchObject({ degradations: [], counts: { "c.html": 1 } });
});
