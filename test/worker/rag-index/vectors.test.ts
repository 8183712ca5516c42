import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { hash32 } from "../../../src/core/hash.ts";
import { Eligibility } from "../../../src/rag-index/search/eligibility.ts";
import { queryVector } from "../../../src/rag-index/vectors/query-vector.ts";
import { VectorLeg } from "../../../src/rag-index/search/vector-leg.ts";
import {
  levelsFor,
  MEMORY_LIMIT_BYTES,
  vectorBudget,
  VectorMemory,
} from "../../../src/rag-index/memory/vector-memory.ts";
import { factsOf, indexOf, put, search, stubOf } from "./support.ts";

const DIMENSIONS = 48;
const FILES = 30;
const CHUNKS = 25;

/** Unit vectors that look random and are the same at every run. */
function vectorOf(seed: string): Float32Array {
  const values = Array.from(
    { length: DIMENSIONS },
    (_, at) => hash32(`${seed} ${at}`) / 2 ** 31 - 1,
  );
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

const cosine = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

const passage = (text: string) => ({ text, vector: vectorOf(text) });

/** What an exact search must find, best first. */
function nearest(texts: string[], query: Float32Array, limit: number) {
  return texts
    .map((text) => ({ text, score: cosine(vectorOf(text), query) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

async function filled(name: string) {
  const index = indexOf(name);
  const texts = new Map<string, string[]>();
  for (let file = 0; file < FILES; file++) {
    const own = Array.from({ length: CHUNKS }, (_, at) => `passage ${file} ${at}`);
    texts.set(`folder${file % 3}/${file}`, own);
    await put(index, `folder${file % 3}/${file}`, 1, own.map(passage));
  }
  return { index, texts };
}

async function expectExact(
  index: ReturnType<typeof indexOf>,
  texts: string[],
  folder: string | null,
) {
  for (const seed of ["north", "south", "east"]) {
    const vector = vectorOf(seed);
    const expected = nearest(texts, vector, 20);
    const named = folder === null ? null : { files: [], folders: [folder] };
    const restriction = { named, metadata: [] };
    const found = await search(index, "x", { vector, restriction, limitPerLeg: 20 });
    expect(found.vector).toEqual(expected.map(({ text }) => text));
    const similarities = found.hydrated.map(({ similarities }) => similarities[0] ?? 0);
    for (const [at, { score }] of expected.entries()) {
      expect(Math.abs((found.candidates.vector[at]?.score ?? 0) - score)).toBeLessThan(0.0005);
      expect(Math.abs((similarities[at] ?? 0) - score)).toBeLessThan(0.0005);
    }
  }
}

test("neighbours and scores equal a brute-force search, through changes and eviction", async () => {
  const { index, texts } = await filled("exact");
  const all = () => [...texts.values()].flat();
  await expectExact(index, all(), null);
  const inFolder = () =>
    [...texts].flatMap(([path, own]) => (path.startsWith("folder1/") ? own : []));
  await expectExact(index, inFolder(), "folder1");
  await index.remove([{ fileId: factsOf("folder1/1").fileId, revision: 2 }]);
  texts.delete("folder1/1");
  const changed = ["passage 0 3", "new 1", "new 2"];
  await put(index, "folder0/0", 2, changed.map(passage));
  texts.set("folder0/0", changed);
  await expectExact(index, all(), null);
  await evictDurableObject(stubOf("exact"));
  await expectExact(index, inFolder(), "folder1");
  await expectExact(index, all(), null);
});

test("coarse components in memory find the same after rescoring", async () => {
  const { texts } = await filled("coarse");
  const all = [...texts.values()].flat();
  await runInDurableObject(stubOf("coarse"), (_object, { storage: { sql } }) => {
    const within = { files: null, chunkCount: all.length };
    const eligibility = new Eligibility(sql, within, false);
    const memory = VectorMemory.load(sql, DIMENSIONS, 127);
    const query = vectorOf("north");
    const kept = memory.scan(queryVector(query), eligibility, 20);
    const texts = kept.map(
      ({ key }) =>
        sql.exec<{ text: string }>("SELECT text FROM texts WHERE chunk = ?", key).one().text,
    );
    for (const { text } of nearest(all, query, 20)) expect(texts).toContain(text);
    expect(memory.onlyPreselects).toBe(true);
  });
});

test("memory stays within its bound: finer, coarser, none", () => {
  expect(levelsFor(5_183, 1_024)).toBe(32_767);
  expect(levelsFor(40_000, 1_024)).toBe(127);
  expect(levelsFor(60_000, 1_024)).toBeNull();
});

test("an index that gets no memory, because others hold it, finds the same", async () => {
  const { index, texts } = await filled("crowded");
  await runInDurableObject(stubOf("crowded"), (_object, { storage: { sql } }) => {
    const leg = new VectorLeg(sql);
    const all = [...texts.values()].flat();
    const within = { files: null, chunkCount: all.length };
    const eligibility = new Eligibility(sql, within, false);
    const find = () => leg.search([vectorOf("north")], eligibility, 20);
    const others = { forget: () => undefined };
    vectorBudget.claim(others, 1);
    // What earlier tests hold is idle by then.
    for (let use = 0; use < 100; use++) vectorBudget.use(others);
    expect(vectorBudget.claim(others, MEMORY_LIMIT_BYTES)).toBe(true);
    const crowded = find();
    vectorBudget.release(others);
    expect(crowded[0]?.map(({ id }) => id)).toEqual(find()[0]?.map(({ id }) => id));
    expect(vectorBudget.claim(others, MEMORY_LIMIT_BYTES)).toBe(false);
    leg.forget();
    expect(vectorBudget.claim(others, MEMORY_LIMIT_BYTES)).toBe(true);
    vectorBudget.release(others);
  });
  await expectExact(index, [...texts.values()].flat(), null);
});

test("a query of another model's size is refused", async () => {
  const index = indexOf("size");
  await put(index, "a.md", 1, [passage("a")]);
  await expect(search(index, "a", { vector: new Float32Array(7) })).rejects.toThrow(
    "query vector has 7 dimensions, the index 48",
  );
});

test("a query without a direction is no error", async () => {
  const index = indexOf("zero");
  await put(index, "a.md", 1, [passage("a")]);
  const found = await search(index, "!", { vector: new Float32Array(DIMENSIONS) });
  expect(found.candidates.vector.map(({ score }) => score)).toEqual([0]);
});
