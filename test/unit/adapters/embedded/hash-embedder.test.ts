import { expect, test, vi } from "vitest";

import { hashEmbedder, hashEmbedding } from "../../../../src/adapters/embedded/hash-embedder.ts";
import { hash32 } from "../../../../src/core/hash.ts";
import { stemOf } from "../../../../src/text/stems.ts";
import { withoutStopWords } from "../../../../src/text/stop-words.ts";
import { searchWordsOf } from "../../../../src/text/words.ts";

const DIMENSIONS = 1_024;
const cosine = (a: string, b: string) => {
  const [first, second] = [hashEmbedding(a, DIMENSIONS), hashEmbedding(b, DIMENSIONS)];
  return first.reduce((sum, value, at) => sum + value * (second[at] ?? 0), 0);
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

/** As the definition says it, without the tables and memories that make it fast. */
function plainly(words: string[], dimensions: number): number[] {
  const counts = new Map<string, number>();
  const terms = withoutStopWords(words);
  for (const padded of terms.map((word) => ` ${stemOf(word)} `)) {
    for (let at = 0; at === 0 || at + 4 <= padded.length; at++) {
      const gram = padded.slice(at, at + 4);
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
  }
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const [gram, count] of counts) {
    const hash = hash32(gram);
    const at = (hash >>> 1) % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? -1 : 1) * (1 + Math.log(count));
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

test("short, long and many texts have the vectors of the definition", () => {
  const wordAt = (at: number) => ((at * 2_654_435_761) % 1_000_003).toString(36);
  const texts = [
    "the boiler and the boilers",
    "to be or not to be",
    "東京都の天気 — größer als ﬁne m²",
    "a".repeat(300),
    // More grams than the table first has room for.
    Array.from({ length: 4_000 }, (_, at) => wordAt(at)).join(" "),
    "x ".repeat(400),
    wordAt(1),
  ];
  for (const text of texts) {
    const expected = plainly(searchWordsOf(text), DIMENSIONS);
    const vector = hashEmbedding(text, DIMENSIONS);
    const furthest = Math.max(...vector.map((value, at) => Math.abs(value - (expected[at] ?? 0))));
    expect(furthest).toBeLessThan(1e-12);
  }
});

test("a text without words has no direction", () => {
  expect(hashEmbedding(" …!? ", 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

test("it is an embedding model of the AI SDK, in the order asked", async () => {
  const { model, batchLimit, fusionWeight } = hashEmbedder(16);
  const { specificationVersion, provider, modelId } = model;
  expect([specificationVersion, provider, modelId]).toEqual(["v4", "embedded", "hash"]);
  expect(batchLimit).toBeGreaterThan(0);
  expect(fusionWeight).toBeLessThan(0.3);
  const { embeddings } = await model.doEmbed({ values: ["one", "two"] });
  expect(embeddings).toEqual([hashEmbedding("one", 16), hashEmbedding("two", 16)]);
  const aborted = model.doEmbed({ values: ["x"], abortSignal: AbortSignal.abort(new Error("no")) });
  await expect(aborted).rejects.toThrow("no");
});

test("others have a turn after some ten texts, whatever their script", async () => {
  const { model } = hashEmbedder(16);
  const hanAt = (at: number) => String.fromCharCode(0x4e00 + ((at * 7_919) % 8_000));
  const passage = Array.from({ length: 1_200 }, (_, at) => hanAt(at)).join("");
  const pauses = vi.spyOn(globalThis, "setTimeout");
  await model.doEmbed({ values: Array.from({ length: 100 }, () => passage) });
  expect(pauses.mock.calls.length).toBeGreaterThan(9);
  pauses.mockRestore();
});
