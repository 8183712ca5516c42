import { expect, test } from "vitest";

import { findRag } from "../../../src/catalog/rags/find-rag.ts";
import type { RagRecord } from "../../../src/db/records.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { ScriptedSource } from "../../doubles/source/scripted-source.ts";
import type { World } from "../../support/ingestion-world.ts";
import { SHOWN_AFTER_MS, VectorizeWorld } from "../../support/vectorize-world.ts";
import { sourceWorld } from "../sources/scanning.ts";
import { requestOf } from "../../support/retrieval-requests.ts";

const TRIALS = 150;
/** Between two removals, so that all of them fall into the time in which no delete shows. */
const STEP_MS = 50;
/** Every so many trials show that the file was there to be found. */
const LOOK_BEFORE_EVERY = 10;
const TOP_K = 20;
const DIMENSIONS = 64;

const textOf = (trial: number) => `The cellar key of house ${trial} hangs on hook ${trial * 7}.`;
const pathOf = (trial: number) => `houses/${trial % 10}/${trial}.txt`;

/** The whole RAG by words and meaning, by meaning alone, and just the file by its name. */
async function found(world: World, rag: RagRecord, trial: number): Promise<string[]> {
  const named = trial % 3 === 2 ? { files: [pathOf(trial)], folders: [] } : null;
  const searched: RagRecord = { ...rag, searchMode: trial % 3 === 1 ? "semantic" : "hybrid" };
  const asked = { named, queries: [textOf(trial)], topK: TOP_K, includeDuplicates: true };
  const { chunks } = await retrieve(world.services, requestOf([searched], asked));
  return chunks.map(({ source }) => source.filePath);
}

test("in 150 trials no search finds a removed file that the vector index holds", async () => {
  const trials = Array.from({ length: TRIALS }, (_, trial) => trial);
  const files = Object.fromEntries(trials.map((trial) => [pathOf(trial), textOf(trial)]));
  const world = new VectorizeWorld({ dimensions: DIMENSIONS });
  const { vectorize } = world;
  const held = async () => (await vectorize.describe()).vectorCount;

  const made = await sourceWorld(new ScriptedSource(files), { world });
  const { source: id, rag: ragId } = made;
  await made.scan();
  for (let look = 0; look < 2; look++) {
    world.now += 2 * SHOWN_AFTER_MS;
    await sweep(world.services);
  }
  expect(await held()).toBe(TRIALS);
  expect(await world.index(ragId).ledger()).toMatchObject({ inFlight: 0 });

  const rag = await findRag(world.services, { key: ragId });
  const missedBefore: number[] = [];
  const foundAfter: number[] = [];
  for (const trial of trials) {
    if (trial % LOOK_BEFORE_EVERY === 0) {
      if (!(await found(world, rag, trial)).includes(pathOf(trial))) missedBefore.push(trial);
    }
    await world.drop(id, pathOf(trial));
    if ((await found(world, rag, trial)).includes(pathOf(trial))) foundAfter.push(trial);
    world.now += STEP_MS;
  }
  expect({ missedBefore, foundAfter }).toEqual({ missedBefore: [], foundAfter: [] });
  expect(await held()).toBe(TRIALS);
  await Promise.all(world.background);
  world.now += 2 * SHOWN_AFTER_MS;
  expect(await held()).toBe(0);
});
