import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { BitSet } from "../../../src/core/bit-set.ts";
import { hash32 } from "../../../src/core/hash.ts";
import { SignMemory } from "../../../src/rag-index/memory/sign-memory.ts";
import { MEMORY_LIMIT_BYTES, vectorBudget } from "../../../src/rag-index/memory/vector-memory.ts";
import { Eligibility } from "../../../src/rag-index/search/eligibility.ts";
import { VectorLeg } from "../../../src/rag-index/search/vector-leg.ts";
import { queryVector } from "../../../src/rag-index/vectors/query-vector.ts";
import { factsOf, indexOf, write, search, stubOf } from "./support.ts";

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

/** Finds the nearest by an exact search, best first. */
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
    await write(index, `folder${file % 3}/${file}`, 1, own.map(passage));
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
    const selection = folder === null ? null : { files: [], folders: [folder] };
    const restriction = { named: selection, metadata: [] };
    const result = await search(index, "x", { vector, restriction, limitPerLeg: 20 });
    expect(result.vector).toEqual(expected.map(({ text }) => text));
    const similarities = result.hydrated.map(({ similarities }) => similarities[0] ?? 0);
    for (const [at, { score }] of expected.entries()) {
      expect(Math.abs((result.vectorScores[at] ?? 0) - score)).toBeLessThan(0.0005);
      expect(Math.abs((similarities[at] ?? 0) - score)).toBeLessThan(0.0005);
    }
  }
}

const allOf = ({ length: chunkCount }: string[]) =>
  new Eligibility({ files: null, chunkCount }, false, () => new BitSet());

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
  await write(index, "folder0/0", 2, changed.map(passage));
  texts.set("folder0/0", changed);
  await expectExact(index, all(), null);
  await evictDurableObject(stubOf("exact"));
  await expectExact(index, inFolder(), "folder1");
  await expectExact(index, all(), null);
});

test("signs in memory find the same, scored exactly, through changes", async () => {
  const { index, texts } = await filled("signs");
  const stub = stubOf("signs");
  const compare = async (all: string[], seed: string) =>
    await runInDurableObject(stub, (_object, { storage: { sql } }) => {
      const eligibility = allOf(all);
      const query = vectorOf(seed);
      const memory = SignMemory.load(sql, DIMENSIONS);
      const matches = memory.search(sql, queryVector(query), eligibility, 20);
      const names = sql.exec<{ text: string }>(
        `SELECT t.text FROM json_each(?) wanted CROSS JOIN contents t ON t.chunk = wanted.value`,
        JSON.stringify(matches.map(({ key }) => key)),
      );
      const expected = new Map(nearest(all, query, 20).map(({ text, score }) => [text, score]));
      const texts = Array.from(names, ({ text }) => text);
      expect(texts.filter((text) => expected.has(text)).length).toBeGreaterThanOrEqual(19);
      for (const [at, { score }] of matches.entries()) {
        const exact = cosine(vectorOf(texts[at] ?? ""), query);
        expect(Math.abs(score - exact)).toBeLessThan(0.0005);
      }
      const { codes } = sql
        .exec<{ codes: number }>("SELECT count(*) AS codes FROM sign_codes")
        .one();
      expect(codes).toBe(all.length);
      return memory.bytes;
    });
  const all = () => [...texts.values()].flat();
  const bytes = await compare(all(), "north");
  expect(bytes).toBeLessThan(40 * 1_024);
  await index.remove([{ fileId: factsOf("folder1/1").fileId, revision: 2 }]);
  texts.delete("folder1/1");
  await write(index, "folder0/0", 2, ["passage 0 3", "new 1", "new 2"].map(passage));
  texts.set("folder0/0", ["passage 0 3", "new 1", "new 2"]);
  for (const seed of ["south", "east"]) await compare(all(), seed);
});

test("signs in memory follow what is written, and are loaded again when most are gone", async () => {
  const { index, texts } = await filled("followed");
  const all = [...texts.values()].flat();
  await runInDurableObject(stubOf("followed"), (_object, { storage: { sql } }) => {
    const memory = SignMemory.load(sql, DIMENSIONS);
    const chunksOf = (where: string) =>
      Array.from(
        sql.exec<{ chunk: number }>(`SELECT chunk FROM chunks WHERE ${where}`),
        ({ chunk }) => chunk,
      );
    const find = (limit: number) => {
      const eligibility = allOf(all);
      const matches = memory.search(sql, queryVector(vectorOf("west")), eligibility, limit);
      return matches.map(({ key }) => key);
    };
    const [best = 0, second = 0] = find(2);
    const copy = { left: [best], entered: [], marks: [{ chunk: second, duplicate: true }] };
    expect(memory.follow(sql, copy)).toBe(true);
    expect(find(20)).not.toContain(best);
    expect(find(20)).not.toContain(second);
    const back = { left: [], entered: [best], marks: [{ chunk: second, duplicate: false }] };
    expect(memory.follow(sql, back)).toBe(true);
    expect(find(2)).toEqual([best, second]);
    const most = { left: chunksOf(`file <= ${FILES - 5}`), entered: [], marks: [] };
    expect(memory.follow(sql, most)).toBe(false);
  });
  await expectExact(index, all, null);
});

test("an index that gets no memory, because others hold it, finds the same", async () => {
  const { index, texts } = await filled("crowded");
  await runInDurableObject(stubOf("crowded"), (_object, { storage: { sql } }) => {
    const leg = new VectorLeg(sql);
    const eligibility = allOf([...texts.values()].flat());
    const options = { limit: 20, among: "all" } as const;
    const find = () => [leg.searcher([vectorOf("north")], eligibility, options)(0)];
    const otherOwner = { forget: () => undefined };
    vectorBudget.claim(otherOwner, 1);
    // Vectors of earlier tests are idle by then.
    for (let use = 0; use < 100; use++) vectorBudget.use(otherOwner);
    expect(vectorBudget.claim(otherOwner, MEMORY_LIMIT_BYTES)).toBe(true);
    const crowded = find();
    vectorBudget.release(otherOwner);
    expect(crowded[0]?.map(({ id }) => id)).toEqual(find()[0]?.map(({ id }) => id));
    expect(vectorBudget.claim(otherOwner, MEMORY_LIMIT_BYTES)).toBe(false);
    leg.forget();
    expect(vectorBudget.claim(otherOwner, MEMORY_LIMIT_BYTES)).toBe(true);
    vectorBudget.release(otherOwner);
  });
  await expectExact(index, [...texts.values()].flat(), null);
});

test("a query of another model's size is refused", async () => {
  const index = indexOf("size");
  await write(index, "a.md", 1, [passage("a")]);
  await expect(search(index, "a", { vector: new Float32Array(7) })).rejects.toThrow(
    "query vector has 7 dimensions, the index 48",
  );
});

test("a query without a direction is no error", async () => {
  const index = indexOf("zero");
  await write(index, "a.md", 1, [passage("a")]);
  const result = await search(index, "!", { vector: new Float32Array(DIMENSIONS) });
  expect(result.vectorScores).toEqual([0]);
});
