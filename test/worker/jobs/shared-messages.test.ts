import { expect, test } from "vitest";

import { putFiles } from "../../../src/ingestion/uploads/put-files.ts";
import { ModelFailure } from "../../../src/ports/models.ts";
import type { Services } from "../../../src/services.ts";
import { World } from "../../support/ingestion-world.ts";

/** The embedding model fails for texts with the word "poison". */
const withPoison = (models: Services["models"]): Services["models"] => ({
  ...models,
  embedder(name, dimensions) {
    const embedder = models.embedder(name, dimensions);
    const doEmbed: typeof embedder.model.doEmbed = async (options) => {
      const isPoisoned = options.values.some((text) => text.includes("poison"));
      if (isPoisoned) throw new ModelFailure("422", { status: 422, retryable: false });
      return await embedder.model.doEmbed(options);
    };
    return { ...embedder, model: { ...embedder.model, doEmbed } };
  },
});

test("small files of a batch share messages; one that fails delays only itself", async () => {
  const world = new World();
  const source = await world.addSource();
  const rags = [await world.addRag(source), await world.addRag(source)];
  const { models } = world.services;
  world.services.models = withPoison(models);
  const texts = Array.from({ length: 30 }, (_, at) => `A note, ${at}.`);
  async function* files() {
    for (const [at, text] of ["A note, poison.", "x".repeat(70_000), ...texts].entries()) {
      const bytes = Uint8Array.from(new TextEncoder().encode(text));
      yield { path: `${at}.txt`, mimeType: "text/plain", metadata: null, bytes };
    }
  }
  await putFiles(world.services, { source: { id: source }, files: files() });
  // Of each RAG the large file, and two messages for 31 small ones.
  expect(world.waiting).toHaveLength(6);
  const once = world.waiting.splice(0);
  await world.deliverBatch("quarry-index", once.toReversed());
  expect(world.waiting.map(({ body }) => "fileId" in body)).toEqual([true, true]);
  for (const rag of rags) {
    expect(await world.counters(rag)).toMatchObject({ indexed: 31, pending: 1, error: 0 });
  }
  world.services.models = models;
  world.waiting.push(...once, ...once);
  await world.deliver((all) => all.toReversed());
  for (const rag of rags) {
    expect(await world.counters(rag)).toMatchObject({ indexed: 32, pending: 0, error: 0 });
    expect((await world.shown(rag))["0.txt"]).toEqual(["A note, poison."]);
  }
});
