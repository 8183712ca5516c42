import type { RagId } from "../../../src/core/ids.ts";
import { SECOND_MS } from "../../../src/core/time.ts";
import { ragWorld, type World, statement } from "../../support/ingestion-world.ts";

/** A heavy file is looked for twice, as text and as bytes: a minute is over after the second. */
export const HEAVY_MS = 15 * SECOND_MS;
export const FILES = 5;
export const PATHS = Array.from({ length: FILES }, (_, at) => `${at}.txt`);
export const BEGUN = 2;
/** Above what is worked on together, so that each file goes alone. */
export const HEAVY_BYTES = 5 * 1024 * 1024;

/** With each document that is read so much time goes by. */
export const readingTakes = (world: World, ms: number): void =>
  world.aroundBucket(async ({ name, go }) => {
    if (name === "get") world.now += ms;
    return await go();
  });

/** A RAG whose files have been pushed and wait, each of them heavy. */
export async function heavyWorld() {
  const { world, source, rag } = await ragWorld();
  for (const path of PATHS) await world.put(source, path, `A note, ${path}.`);
  await statement(
    "update files set size = ?2 where file_source_id = ?1",
    source,
    HEAVY_BYTES,
  ).run();
  readingTakes(world, HEAVY_MS);
  return { world, source, rag };
}

/** Delivers what waits as one batch of one consumer. */
export const deliverOnce = async (world: World) =>
  await world.deliverBatch("quarry-index", world.waiting.splice(0));

export const statuses = async (world: World, rag: RagId) =>
  (await world.rows(rag)).map(({ status, attempts }) => `${status} ${attempts}`);

export const ALL_INDEXED = PATHS.map(() => "indexed 0");
export const BEGUN_INDEXED = PATHS.map((_, at) => (at < BEGUN ? "indexed 0" : "pending 0"));

export async function timePasses(world: World): Promise<void> {
  await world.sweepAfter(3, 15);
}
