import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { RagId } from "../../../../src/core/ids.ts";
import { SHOWN_AFTER_MS, type VectorizeWorld } from "../../../support/vectorize-world.ts";
import {
  find,
  longText,
  patch,
  states,
  tenMinutesLater,
  vectorizeRag,
} from "../rebuilds/support.ts";
import { vectorIndexOf } from "./support.ts";

const HEATHER = "Heather flowers in August.";
const ASKED = "heathr flowring augst";
/** By meaning alone: no word of the question stands in a text. */
const near = async (world: VectorizeWorld, rag: RagId, query = ASKED) =>
  (await find(world, rag, query)).counts;

const inFlight = async (world: VectorizeWorld, rag: RagId) =>
  (await world.index(rag).ledger()).inFlight;

test("indexed files are found before the vector index shows them, and after a restart", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": HEATHER });
  const once = { "a.html": 1 };
  expect(world.vectorIdsOf(rag)).toHaveLength(0);
  expect(await near(world, rag)).toEqual(once);
  await evictDurableObject(env.RAG_INDEX.get(env.RAG_INDEX.idFromName(`${rag}:1:0`)));
  expect(await near(world, rag)).toEqual(once);
  world.now += SHOWN_AFTER_MS;
  expect(world.vectorIdsOf(rag)).toHaveLength(1);
  expect(await near(world, rag)).toEqual(once);
  await world.minutesPass(2);
  expect(await inFlight(world, rag)).toBe(0);
  expect(await near(world, rag)).toEqual(once);
  world.vectorize.failure = new Error("down");
  expect(await near(world, rag)).toEqual({});
});

test("what the vector index does not show is scanned for as long as that takes", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": HEATHER });
  const vectorIndex = vectorIndexOf(world);
  // It says that it has passed the write, and shows nothing.
  const nothing = { matches: [], floor: null };
  const staleIndex = {
    ...vectorIndex,
    findPresent: async () => new Set<never>(),
    query: async () => nothing,
  };
  world.services.vectorIndex = staleIndex;
  await world.minutesPass(4);
  expect(await near(world, rag)).toEqual({ "a.html": 1 });
});

test("what is removed is never shown again, by whichever leg", async () => {
  const { world, source, rag } = await vectorizeRag({
    "a.html": HEATHER,
    "b.html": longText("fen"),
  });
  await world.drop(source, "a.html");
  for (let step = 0; step < 6; step++) {
    expect(await near(world, rag)).not.toHaveProperty("a.html");
    expect(await near(world, rag, "heather")).not.toHaveProperty("a.html");
    world.now += SHOWN_AFTER_MS / 2;
    if (step % 2 === 1) await world.minutesPass(1);
  }
  expect(world.vectorIdsOf(rag)).toHaveLength(1);
});

test("a file indexed again is found in exactly one version at every moment", async () => {
  const { world, source, rag } = await vectorizeRag({ "a.html": HEATHER });
  await world.minutesPass(3);
  await world.putAndIndex(source, { "a.html": "Heather flowers in July already." });
  for (let step = 0; step < 5; step++) {
    const { texts } = await find(world, rag, ASKED);
    expect(texts).toEqual(["Heather flowers in July already."]);
    world.now += SHOWN_AFTER_MS / 2;
    if (step % 2 === 1) await world.minutesPass(1);
  }
  await world.everythingSettles();
  expect(world.vectorIdsOf(rag)).toHaveLength(1);
});

test("equal texts are one answer, also when the vector index shows only one of them", async () => {
  const { world, source, rag } = await vectorizeRag({ "a.html": HEATHER });
  await world.minutesPass(3);
  await world.putAndIndex(source, { "b.html": HEATHER });
  expect(await find(world, rag, ASKED)).toMatchObject({ counts: { "a.html": 1, "b.html": 1 } });
  await world.drop(source, "a.html");
  expect(await near(world, rag)).toEqual({ "b.html": 1 });
});

test("right after a switch of generations the new one answers in full", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": HEATHER, "b.html": longText("moss") });
  await world.minutesPass(3);
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(await near(world, rag)).toMatchObject({ "a.html": 1 });
  await tenMinutesLater(world);
  await world.everythingSettles();
  expect(await states(rag)).toEqual(["1 dropped", "2 live"]);
  expect(await near(world, rag)).toMatchObject({ "a.html": 1 });
  const { chunks } = await world.services
    .ragIndexes({ ragId: rag, generation: 2, shard: 0 })
    .facts();
  expect(world.vectorIdsOf(rag)).toHaveLength(chunks);
});

const WORDS = ["peat", "moss", "fen", "bog", "sedge", "alder", "willow", "heath", "marsh", "reed"];
/** One chunk of 16 tokens each. */
const noteOf = (file: number, at: number) =>
  `Plot ${file}-${at} holds ${WORDS[at % 10]} and ${WORDS[(at * 7 + file) % 10]} in bed ${at * 13}.`;
const NOTES_PER_FILE = 2_000;

test("of 6,000 new chunks none is `indexed` and not findable", async () => {
  const { world, source, rag } = await vectorizeRag({}, { dimensions: 64 });
  await patch(world, rag, { chunkSize: 16, chunkOverlap: 0 });
  await world.deliver();
  for (const file of [0, 1, 2]) {
    const notes = Array.from({ length: NOTES_PER_FILE }, (_, at) => `<p>${noteOf(file, at)}</p>`);
    await world.put(source, `${file}.html`, notes.join("\n"));
  }
  const history: string[][] = [];
  for (let minute = 0; minute < 5; minute++) {
    if (minute === 0) await world.deliver();
    else await world.minutesPass(1);
    const rows = await world.rows(rag);
    history.push(rows.map(({ status }) => status).sort());
    for (const { path, status, chunks } of rows) {
      const file = Number(path[0]);
      const query = noteOf(file, 1_500)
        .toLowerCase()
        .replace(/ holds | and | in /g, "")
        .replaceAll(" ", "");
      const counts = await near(world, rag, query);
      if (status !== "indexed") continue;
      expect(chunks).toBeGreaterThanOrEqual(NOTES_PER_FILE);
      expect(counts).toHaveProperty([path]);
    }
  }
  expect(history[0]).toEqual(["indexed", "indexed", "processing"]);
  expect(history.at(-1)).toEqual(["indexed", "indexed", "indexed"]);
});
