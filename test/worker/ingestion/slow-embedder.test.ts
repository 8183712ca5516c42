import { expect, test } from "vitest";

import { modelRegistry } from "../../../src/adapters/model-registry.ts";
import { parseConfig } from "../../../src/config.ts";
import { LlamaServer } from "../../doubles/openai-compatible/llama-server.ts";
import { World } from "../../support/ingestion-world.ts";

const FILES = 60;
const DIMENSIONS = 8;

test("files of two RAGs are embedded once each by a server of one call at a time", async () => {
  const server = new LlamaServer({ speed: 50_000, dimensions: DIMENSIONS });
  const config = parseConfig({
    ENVIRONMENT: "development",
    OPENAI_COMPATIBLE_BASE_URL: "http://slow-embedder.test/v1",
    EMBEDDING_MODEL: "local/small",
    EMBEDDING_DIMENSIONS: String(DIMENSIONS),
  });
  const world = new World({ config, models: modelRegistry(config, { fetch: server.fetch }) });
  const { source, rag } = await world.addSourceAndRag();
  const otherRag = await world.addRag(source);
  for (let at = 0; at < FILES; at++) {
    await world.put(source, `${at}.txt`, `Abstract ${at}. ${"Peat is measured. ".repeat(60)}`);
  }
  await world.deliver();
  for (const id of [rag, otherRag]) {
    expect(await world.counters(id)).toMatchObject({ indexed: FILES, error: 0 });
  }
  // Both RAGs hold each text; nothing is sent again.
  const texts = server.calls.flat();
  expect(texts.length).toBe(2 * new Set(texts).size);
});
