import { expect, test } from "vitest";

import { ModelFailure } from "../../../src/ports/models.ts";
import { World, ragWorld } from "../../support/ingestion-world.ts";

/** The embedder answers as told from now on. */
function embedding(world: World, reply: { tokens?: number | null; failure?: ModelFailure }): void {
  const { models } = world.services;
  world.services.models = {
    ...models,
    embedder(name, dimensions) {
      const embedder = models.embedder(name, dimensions);
      const doEmbed: typeof embedder.model.doEmbed = async (options) => {
        if (reply.failure !== undefined) throw reply.failure;
        const answer = await embedder.model.doEmbed(options);
        const { tokens } = reply;
        if (tokens === undefined) return answer;
        const { usage: _, ...rest } = answer;
        return tokens === null ? rest : { ...rest, usage: { tokens } };
      };
      return { ...embedder, model: { ...embedder.model, doEmbed } };
    },
  };
}

const text = "# Moss\n\nA note about sphagnum, which holds twenty times its weight in water.";

test("what embedding used is told once a batch, by RAG and model", async () => {
  const world = new World();
  const source = await world.addSource();
  const rags = [await world.addRag(source), await world.addRag(source)];
  embedding(world, { tokens: 90 });
  await world.putAndIndex(source, { "a.md": text, "b.md": `${text} And more.` });
  expect(world.usage).toHaveLength(1);
  expect(world.usage[0]).toMatchObject({ kind: "index", tokenId: null, model: null });
  const { uses = [] } = world.usage[0] ?? {};
  const { EMBEDDING_MODEL: model } = world.services.config;
  expect(new Set(uses.flatMap(({ ragIds }) => ragIds))).toEqual(new Set<string>(rags));
  expect(uses).toHaveLength(2);
  for (const use of uses) {
    // One call embedded the texts of both: each RAG bears its half.
    expect(use).toMatchObject({ kind: "embedding", model, calls: 1, inputTokens: 45 });
  }
});

test("tokens are estimated where the provider tells none; what is known costs nothing", async () => {
  const world = new World();
  const source = await world.addSource();
  await world.addRag(source);
  embedding(world, { tokens: null });
  await world.putAndIndex(source, { "a.md": text });
  const tokens = world.usage[0]?.uses?.[0]?.inputTokens ?? 0;
  expect(tokens).toBeGreaterThan(15);
  expect(tokens).toBeLessThan(40);
  world.usage.length = 0;
  await world.putAndIndex(source, { "a.md": text });
  expect(world.usage).toEqual([]);
});

test("a failed embedding is told as such, and one that cannot be told fails no file", async () => {
  const { world, source, rag } = await ragWorld();
  embedding(world, { failure: new ModelFailure("401", { status: 401 }) });
  const warnings = world.logged("warn");
  await world.putAndIndex(source, { "a.md": text, "b.md": `${text} And another.` });
  expect(world.usage[0]?.uses).toMatchObject([{ failed: true, inputTokens: 0, ragIds: [rag] }]);
  // The log has the reason at the first attempt, once for both files.
  const facts = { ragId: rag, files: 2, reason: expect.stringMatching(/401/) };
  expect(warnings[0]).toMatchObject(["files are tried again", facts]);

  const silent = new World();
  silent.services.queue = {
    ...silent.services.queue,
    usage: () => Promise.reject(new Error("down")),
  };
  const { source: silentSource, rag: indexed } = await silent.addSourceAndRag();
  await silent.put(silentSource, "a.md", text);
  await silent.deliver();
  expect(await silent.rows(indexed)).toMatchObject([{ path: "a.md", status: "indexed" }]);
});
