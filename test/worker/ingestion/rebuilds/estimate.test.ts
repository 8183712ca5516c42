import { expect, test } from "vitest";

import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { estimateRebuild } from "../../../../src/ingestion/rebuilds/estimate-rebuild.ts";
import type { RebuildWish } from "../../../../src/ingestion/rebuilds/estimate-rebuild.ts";
import { estimateTokens } from "../../../../src/text/tokens.ts";
import { World, statement } from "../../../support/ingestion-world.ts";
import { facts, indexedRag, longText, patch } from "./support.ts";

/** How far an estimate of chunks and tokens may be off. */
const TOLERANCE = 0.3;
const PRICE = 0.02;
const MILLION = 1_000_000;

const chapter = (name: string, parts: number) =>
  Array.from({ length: parts }, (_, at) => `<p>${longText(`${name} ${at}`)}</p>`).join("\n");
const FILES = {
  "long.html": chapter("moss", 60),
  "longer.html": chapter("heather", 90),
  "short.html": longText("gorse"),
};

const estimate = async (world: World, ragId: RagId, wish: RebuildWish) =>
  await estimateRebuild(world.services, {
    rag: await findRag(world.services, { key: ragId }),
    wish,
  });

const near = (actual: number, estimated: number) =>
  Math.abs(estimated - actual) <= actual * TOLERANCE;

test("an estimate of other chunking is near what the change then embeds", async () => {
  for (const change of [
    { chunkSize: 64, chunkOverlap: 0 },
    { chunkSize: 200, chunkOverlap: 40 },
    { chunkSize: 1_000, chunkOverlap: 100 },
  ]) {
    const { world, rag } = await indexedRag(new World(), FILES);
    const forecast = await estimate(world, rag, change);
    const embedded = world.countEmbedded();
    await patch(world, rag, change);
    await world.deliver();
    const { chunks } = await facts(world, rag, 2);
    // The short file stays one chunk, and its vector serves again.
    expect(embedded).toHaveLength(chunks - 1);
    const tokens = embedded.reduce((sum, text) => sum + estimateTokens(text, "unknown"), 0);
    expect({ change, chunks, told: forecast, near: near(chunks, forecast.chunks) }).toMatchObject({
      near: true,
    });
    expect({
      change,
      tokens,
      told: forecast,
      near: near(tokens, forecast.inputTokens),
    }).toMatchObject({
      near: true,
    });
    expect(forecast).toMatchObject({ needed: true, files: 3, reusedVectors: 0, cost: null });
  }
});

test("what is unchanged costs nothing; another model or a reindex embeds every chunk", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const { chunks } = await facts(world, rag, 1);
  expect(await estimate(world, rag, {})).toEqual({
    needed: false,
    files: 3,
    chunks,
    reusedVectors: chunks,
    embeddingCalls: 0,
    inputTokens: 0,
    cost: null,
  });
  await statement(
    `insert into models (model, kind, input_price, output_price, currency)
     values ('embedded/hash', 'embedding', ?, 0, 'USD')`,
    PRICE,
  ).run();
  for (const wish of [{ dimensions: 512 }, { reindex: true }]) {
    const forecast = await estimate(world, rag, wish);
    const { batchLimit } = world.services.models.embedder("embedded/hash", 512);
    expect(forecast).toMatchObject({
      needed: true,
      chunks,
      reusedVectors: 0,
      embeddingCalls: Math.ceil(chunks / batchLimit),
    });
    const amount = expect.closeTo((forecast.inputTokens * PRICE) / MILLION, 10) as number;
    expect(forecast.cost).toEqual({ amount, currency: "USD" });
    expect(forecast.inputTokens).toBeGreaterThan(chunks);
  }
});

test("settings that would be refused are refused", async () => {
  const { world, rag } = await indexedRag(new World(), { "a.html": longText("moss") });
  for (const [wish, reason] of [
    [{ chunkSize: 100, chunkOverlap: 60 }, "chunkOverlap must be at most half of chunkSize"],
    [{ embeddingModel: "nobody/knows" }, "embeddingModel: "],
  ] as const) {
    await expect(estimate(world, rag, wish)).rejects.toThrow(reason);
  }
});

/** The hash embedder under another model's name, which tells how that counts tokens. */
function serveAs(world: World, model: string): void {
  const { models, config } = world.services;
  world.services.models = {
    ...models,
    embedder: (name, dimensions) => ({
      ...models.embedder("embedded/hash", dimensions),
      name,
      tokenizer: models.tokenizerOf(name),
    }),
  };
  world.services.config = { ...config, EMBEDDING_MODEL: model };
}

test("another model's tokenizer cuts documents again, as finely as estimated", async () => {
  const sentence = "Приют под перевалом открыт с июня до середины октября, и хозяйка ждёт гостей. ";
  const { world, rag } = await indexedRag(new World(), {
    "one.html": `<p>${sentence.repeat(200)}</p>`,
    "two.html": `<p>${sentence.repeat(90)}</p>`,
  });
  const before = await facts(world, rag, 1);
  serveAs(world, "openai/text-embedding-3-small");
  const forecast = await estimate(world, rag, {});
  await world.sweepAfter(0);
  const { chunks } = await facts(world, rag, 2);
  const index = world.services.ragIndexes({ ragId: rag, generation: 2, shard: 0 });
  const sizes = (await index.sample(chunks)).map(({ text }) => estimateTokens(text, "cl100k"));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(400);
  expect(chunks).toBeGreaterThan(before.chunks * 1.3);
  expect({ chunks, told: forecast, near: near(chunks, forecast.chunks) }).toMatchObject({
    near: true,
  });
  expect(forecast).toMatchObject({ needed: true, files: 2, reusedVectors: 0 });
});
