import { expect, test } from "vitest";

import { MINUTE_MS } from "../../../../src/core/time.ts";
import { MAX_TRIES } from "../../../../src/ingestion/timeouts.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { World } from "../../../support/ingestion-world.ts";
import { found, indexedRag, longText, patch, states } from "./support.ts";

const HEALTHY = 12;
const ROUNDS = 14;

/** A worker that embeds a text with this word never comes to an end. */
function dyingAt(world: World, word: string): () => Promise<"died"> {
  let died: () => void = () => undefined;
  world.beforeEmbedding(async (texts) => {
    if (!texts.some((text) => text.includes(word))) return;
    died();
    await new Promise<never>(() => undefined);
  });
  return () => new Promise((resolve) => (died = () => resolve("died")));
}

test("a file that kills its worker during a build takes no other file with it", async () => {
  const world = new World();
  const names = Array.from({ length: HEALTHY }, (_, at) => `note${at}`);
  const files = Object.fromEntries(names.map((name) => [`${name}.html`, longText(name)]));
  const { rag } = await indexedRag(world, { ...files, "poison.html": longText("poison") });
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  const death = dyingAt(world, "poison");
  let deaths = 0;
  for (let round = 0; round < ROUNDS; round++) {
    if ((await Promise.race([world.deliver(), death()])) === "died") deaths++;
    if ((await states(rag)).every((state) => !state.includes("building"))) break;
    world.now += 3 * MINUTE_MS;
    await sweep(world.services);
  }
  expect(deaths).toBe(MAX_TRIES);
  expect((await world.rows(rag)).filter(({ status }) => status !== "indexed")).toMatchObject([
    { path: "poison.html", status: "error", error: "indexing did not finish after 5 tries" },
  ]);
  const { counts } = await found(world, rag);
  for (const path of Object.keys(files)) expect(counts[path]).toBeGreaterThan(1);
});
