import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import {
  METADATA_INDEXES,
  vectorizeIndex,
} from "../../../src/adapters/cloudflare/vectorize-index.ts";
import { MINUTE_MS } from "../../../src/core/clock.ts";
import type { FileSourceId } from "../../../src/core/ids.ts";
import { putFile } from "../../../src/ingestion/put-file.ts";
import { removeFile } from "../../../src/ingestion/remove-file.ts";
import { sweep } from "../../../src/ingestion/sweep.ts";
import { VectorizeDouble } from "../../doubles/vectorize/vectorize-double.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";

const SHOWN_AFTER_MS = MINUTE_MS;

function worldWithVectorize() {
  const world = new World();
  const vectorize = new VectorizeDouble({
    dimensions: world.services.config.EMBEDDING_DIMENSIONS,
    now: () => world.now,
    visibleAfterMs: SHOWN_AFTER_MS,
    metadataIndexes: METADATA_INDEXES,
  });
  world.services.vectorIndex = vectorizeIndex(vectorize);
  /** What Vectorize holds once everything that was written shows. */
  const held = async () => {
    world.now += 2 * SHOWN_AFTER_MS;
    return (await vectorize.describe()).vectorCount;
  };
  return { world, vectorize, held };
}

const push = async (world: World, source: FileSourceId, path: string, text: string) =>
  await putFile(world.services, {
    source: { id: source },
    path,
    body: bytesOf(text),
    contentLength: null,
    mimeType: "text/plain",
    metadata: null,
  });

test("the vector index holds the vectors of what is live, and no other", async () => {
  const { world, held } = worldWithVectorize();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  await push(world, source, "a.txt", "A note, a.");
  await push(world, source, "b.txt", "A note, b.");
  await world.deliver();
  expect(await held()).toBe(2);
  await push(world, source, "a.txt", "A note, a, changed.");
  await world.deliver();
  expect(await held()).toBe(2);
  await removeFile(world.services, { source: { id: source }, path: "b.txt" });
  expect(await held()).toBe(1);
  await env.DB.prepare("update rags set removed_at = 1 where id = ?").bind(rag).run();
  await world.services.queue.scan({ kind: "clean-rag", ragId: rag });
  await world.deliver();
  expect(await held()).toBe(0);
});

test("a removal does not wait for a vector index that is down; the sweep takes the vectors", async () => {
  const { world, vectorize, held } = worldWithVectorize();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  await push(world, source, "a.txt", "A note, a.");
  await world.deliver();
  expect(await held()).toBe(1);
  vectorize.failure = new Error("down");
  await removeFile(world.services, { source: { id: source }, path: "a.txt" });
  expect(await world.shown(rag)).toEqual({});
  await push(world, source, "b.txt", "A note, b.");
  const [envelope] = world.waiting.splice(0);
  if (envelope !== undefined) await world.deliverBatch("quarry-index", [envelope]);
  expect((await world.rows(rag)).map(({ status }) => status)).toEqual(["deleted", "pending"]);
  vectorize.failure = null;
  await world.deliver();
  for (let turn = 0; turn < 4; turn++) {
    world.now += MINUTE_MS;
    await sweep(world.services);
  }
  expect(await held()).toBe(1);
});
