import { expect, test } from "vitest";

import { hashEmbedder, hashEmbedding } from "../../../../src/adapters/embedded/hash-embedder.ts";

const DIMENSIONS = 1_024;
const cosine = (a: string, b: string) => {
  const [left, right] = [hashEmbedding(a, DIMENSIONS), hashEmbedding(b, DIMENSIONS)];
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
};

test("equal texts are equal, related ones near, others apart", () => {
  expect(cosine("Servicing the boilers", "boiler services")).toBeGreaterThan(0.6);
  expect(cosine("boiler service", "Boiler  SERVICE!")).toBeCloseTo(1, 6);
  expect(Math.abs(cosine("boiler service", "holiday allowance"))).toBeLessThan(0.2);
  expect(cosine("東京都の天気", "天気は東京都")).toBeGreaterThan(0.4);
});

test("vectors have length one and never change between versions", () => {
  const vector = hashEmbedding("quarry", 8);
  expect(Math.hypot(...vector)).toBeCloseTo(1, 12);
  expect(vector.map((value) => Number(value.toFixed(4)))).toMatchInlineSnapshot(`
    [
      0,
      -0.4472,
      0,
      0,
      0,
      -0.8944,
      0,
      0,
    ]
  `);
});

test("a text without words has no direction", () => {
  expect(hashEmbedding(" …!? ", 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

test("it is an embedding model of the AI SDK, in the order asked", async () => {
  const { model, name, batchLimit, fusionWeight } = hashEmbedder(16);
  expect([name, model.specificationVersion, model.provider]).toEqual([
    "embedded/hash",
    "v4",
    "embedded",
  ]);
  expect(batchLimit).toBeGreaterThan(0);
  expect(fusionWeight).toBeLessThan(0.3);
  const { embeddings } = await model.doEmbed({ values: ["one", "two"] });
  expect(embeddings).toEqual([hashEmbedding("one", 16), hashEmbedding("two", 16)]);
  const aborted = model.doEmbed({ values: ["x"], abortSignal: AbortSignal.abort(new Error("no")) });
  await expect(aborted).rejects.toThrow("no");
});
