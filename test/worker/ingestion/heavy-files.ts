import { env } from "cloudflare:workers";

import { MINUTE_MS, SECOND_MS } from "../../../src/core/time.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";

/** A heavy file is looked for twice, as text and as bytes: a minute is over after the second. */
export const HEAVY_MS = 15 * SECOND_MS;
export const FILES = 5;
export const PATHS = Array.from({ length: FILES }, (_, at) => `${at}.txt`);
export const BEGUN = 2;
/** Above what is worked on together, so that each file goes alone. */
export const HEAVY_BYTES = 5 * 1024 * 1024;

export async function push(
  world: Pick<World, "services">,
  source: FileSourceId,
  path: string,
  text: string,
) {
  const of = { contentLength: null, mimeType: "text/plain", metadata: null };
  await putFile(world.services, { source: { id: source }, path, body: bytesOf(text), ...of });
}

/** With each document that is read so much time goes by. */
export function readingTakes(world: World, ms: number): void {
  const { files } = world.services;
  world.services.files = new Proxy(files, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (name === "get") world.now += ms;
        return Reflect.apply(method, target, args);
      };
    },
  });
}

/** A RAG whose files have been pushed and wait, each of them heavy. */
export async function heavyWorld() {
  const world = new World();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  for (const path of PATHS) await push(world, source, path, `A note, ${path}.`);
  await env.DB.prepare("update files set size = ?2 where file_source_id = ?1")
    .bind(source, HEAVY_BYTES)
    .run();
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
  for (const minutes of [3, 15]) {
    world.now += minutes * MINUTE_MS;
    await sweep(world.services);
    await world.deliver();
  }
}
