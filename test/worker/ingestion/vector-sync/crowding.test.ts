import { expect, test } from "vitest";

import { hashEmbedding } from "../../../../src/adapters/embedded/hash-embedder.ts";
import { hash32 } from "../../../../src/core/hash.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import type { RagIndex } from "../../../../src/ports/rag-index.ts";
import type { FollowedSource } from "../../../doubles/source/followed-source.ts";
import { chance } from "../../../support/dice.ts";
import type { VectorizeWorld } from "../../../support/vectorize-world.ts";
import { asSearched, drive, nearest } from "./support.ts";

const DIMENSIONS = 64;
const LINES = 12;
/** A third of the files lie near the question. */
const THEMES = [
  ["heather", "willow"],
  ["sundew", "bracken", "gorse"],
  ["sedge", "alder", "rowan"],
];
/** No two lines lie in the same place. */
const lineOf = (file: number, at: number) => {
  const plants = THEMES[Math.floor(file / 3) % 3] ?? [];
  const plant = (use: string) => plants[hash32(`${use} ${file} ${at}`) % plants.length];
  const number = hash32(`number ${file} ${at}`).toString(36);
  return `Plot ${number} holds ${plant("one")} and ${plant("two")}, bed ${file}-${at}.`;
};
const textOf = (file: number) =>
  Array.from({ length: LINES }, (_, at) => lineOf(file, at)).join("\n\n");
const pathOf = (file: number) => `${"abc"[file % 3]}/${file}.txt`;
const QUERY = "heatherwillowbed";

const filesOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [pathOf(at), textOf(at)]));

/** All that is live and eligible, by an exact scan; ties by path and position. */
async function exactly(index: RagIndex, folder: string | null) {
  const vector = Float32Array.from(hashEmbedding(QUERY, DIMENSIONS));
  const selection = folder === null ? null : { files: [], folders: [folder] };
  const { chunks } = await index.search({
    queries: [{ text: QUERY, vector }],
    restriction: { named: selection, metadata: [] },
    includeDuplicates: false,
    limitPerLeg: 1_000,
    lexical: false,
    rule: { mode: "semantic", weight: 1 },
    needed: 1_000,
    threshold: null,
    withVectors: false,
  });
  const scoreOf = ({ similarities }: (typeof chunks)[number]) => Math.max(0, similarities[0] ?? 0);
  const ordered = chunks.sort(
    (a, b) =>
      scoreOf(b) - scoreOf(a) ||
      Number(a.file.path > b.file.path) - Number(a.file.path < b.file.path) ||
      a.position - b.position,
  );
  return ordered.map(({ file, text }) => `${file.path}: ${text}`);
}

const best = (world: VectorizeWorld, rag: RagId, topK: number, folder: string | null = null) =>
  nearest(world, rag, QUERY, { topK, folder });

/** The files of what Vectorize names first, as far as a scan takes their removal for meant. */
async function removeNearest(
  { world, reader, rag }: { world: VectorizeWorld; reader: FollowedSource; rag: RagId },
  count: number,
) {
  const first = (await exactly(world.index(rag), null)).slice(0, 100);
  const paths = new Set(first.map((place) => place.split(":")[0] ?? ""));
  for (const path of [...paths].slice(0, count)) reader.remove(path);
}

test("removed files that the vector index still names do not keep out what is live", async () => {
  const { world, reader, rag, scan, indexCalls } = await drive(filesOf(48), { scoreSteps: 1e6 });
  await world.minutesPass(4);
  const all = await exactly(world.index(rag), null);
  const before = indexCalls.length;
  const first = await best(world, rag, 30);
  expect(first.chunks).toEqual(all.slice(0, 30));
  expect(indexCalls.slice(before)).toEqual(["search"]);
  await removeNearest({ world, reader, rag }, 20);
  await scan();
  const live = await exactly(world.index(rag), null);
  for (const topK of [1, 10, 30]) {
    const { chunks, degradations } = await best(world, rag, topK);
    expect([degradations, chunks]).toEqual([[], live.slice(0, topK)]);
    expect(chunks).toHaveLength(topK);
  }
});

test("a text that stands in hundreds of files does not keep out the others", async () => {
  const boilerplate = "Heather and willow of this bed are property of the garden.";
  const files = Object.entries(filesOf(12)).map(([path, text]) => [path, text]);
  const copies = Array.from({ length: 150 }, (_, at) => [`copies/${at}.txt`, boilerplate]);
  const all = Object.fromEntries([...files, ...copies]) as Record<string, string>;
  const { world, rag, indexCalls } = await drive(all, { scoreSteps: 1e6 });
  await world.minutesPass(4);
  const { chunks, degradations } = await best(world, rag, 30);
  expect(degradations).toEqual([]);
  expect(chunks).toEqual((await exactly(world.index(rag), null)).slice(0, 30));
  expect(chunks.filter((chunk) => chunk.endsWith(boilerplate))).toHaveLength(1);
  expect(indexCalls.filter((name) => name === "deep")).toHaveLength(1);

  // Filled by the lexical leg, the answer is not worth a scan at each such question.
  const filled = await nearest(world, rag, boilerplate, { topK: 10, searchMode: "hybrid" });
  expect(filled.chunks).toHaveLength(10);
  expect(filled.chunks.filter((chunk) => chunk.endsWith(boilerplate))).toHaveLength(1);
  expect(indexCalls.filter((name) => name === "deep")).toHaveLength(1);

  // Passages that words find and a threshold drops fill nothing.
  const near = { topK: 10, searchMode: "hybrid", similarityThreshold: 0.9 } as const;
  await nearest(world, rag, boilerplate, near);
  expect(indexCalls.filter((name) => name === "deep")).toHaveLength(2);
});

test("where the index is too large to be scanned, the answer says what it lacks", async () => {
  const { world, reader, rag, scan } = await drive(filesOf(48));
  await world.minutesPass(4);
  await removeNearest({ world, reader, rag }, 8);
  await scan();
  asSearched(world, (request) => ({ ...request, deep: false }));
  const { chunks, degradations } = await best(world, rag, 100);
  expect(degradations).toEqual([
    "vector index: most of what it names is outdated or hidden, and the RAG too large to scan",
  ]);
  expect(chunks.length).toBeGreaterThan(0);
});

/** Files about what is asked for, so many that their removal is not held back as suspect. */
function nearestFiles(reader: FollowedSource): string[] {
  const about = [...reader.files].filter(([, { text }]) => text.includes("heather"));
  return about.map(([path]) => path).slice(0, Math.floor(reader.files.size * 0.45));
}

/** Another few files each time; false: nothing changed. */
function change(reader: FollowedSource, step: number): boolean {
  const paths = [...reader.files.keys()];
  const some = (most: number) => {
    const from = chance(step, "from", paths.length);
    return paths.slice(from, from + 1 + chance(step, "count", most));
  };
  const kind = chance(step, "kind", 5);
  if (kind === 0) {
    for (const at of [1, 2, 3, 4, 5, 6, 7, 8])
      reader.change(pathOf(step * 100 + at), textOf(step * 100 + at));
  }
  if (kind === 1)
    for (const path of some(4)) reader.change(path, textOf(hash32(`${path} ${step}`)));
  if (kind === 2) for (const path of some(3)) reader.remove(path);
  if (kind === 3)
    for (const path of some(8)) move(reader, path, "abc"[chance(step, path, 3)] ?? "a");
  return kind < 4;
}

function move(reader: FollowedSource, path: string, folder: string): void {
  const to = `${folder}/${path.split("/")[1]}`;
  if (to !== path) reader.move(path, to);
}

test("after random changes, shown early or late, the nearest neighbours are exact", async () => {
  let writes = 0;
  const { world, reader, rag, scan, indexCalls } = await drive(filesOf(30), {
    scoreSteps: 1e6,
    visibleAfterMs: () => chance(writes++, "delay", 180) * 1_000,
  });
  for (let step = 0; step < 27; step++) {
    const isBurst = step % 9 === 8;
    if (isBurst) for (const path of nearestFiles(reader)) reader.remove(path);
    if (change(reader, step) || isBurst) await scan();
    else await world.minutesPass(1);
    world.now += chance(step, "wait", 40) * 1_000;
    for (const folder of [null, "a", "b"]) {
      const live = [...reader.files.keys()].filter((path) => path.startsWith(folder ?? ""));
      const all = await exactly(world.index(rag), folder);
      expect(new Set(all.map((place) => place.split(":")[0])), `step ${step}`).toEqual(
        new Set(live),
      );
      const { chunks, degradations } = await best(world, rag, 30, folder);
      expect([step, folder, degradations, chunks]).toEqual([step, folder, [], all.slice(0, 30)]);
    }
  }
  const deepCount = indexCalls.filter((name) => name === "deep").length;
  expect(deepCount).toBeGreaterThan(0);
});
