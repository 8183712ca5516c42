import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { MINUTE_MS } from "../../../src/core/time.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { removePushedFile } from "../../../src/ingestion/uploads/remove-pushed-file.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { bytesOf } from "../../support/ingestion-world.ts";
import type { World } from "../../support/ingestion-world.ts";
import { SHOWN_AFTER_MS, VectorizeWorld } from "../../support/vectorize-world.ts";
import { found } from "./rebuilds/support.ts";

/** What Vectorize holds of a RAG once everything that was written shows. */
function held(world: VectorizeWorld, rag: RagId): number {
  world.now += 2 * SHOWN_AFTER_MS;
  return world.held(rag).length;
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
  const world = await VectorizeWorld.alone();
  const source = await world.addSource();
  const rag = await world.addRag(source);
  await push(world, source, "a.txt", "A note, a.");
  await push(world, source, "b.txt", "A note, b.");
  await world.deliver();
  expect(held(world, rag)).toBe(2);
  await push(world, source, "a.txt", "A note, a, changed.");
  await world.deliver();
  expect(held(world, rag)).toBe(2);
  await removePushedFile(world.services, { source: { id: source }, path: "b.txt" });
  expect(held(world, rag)).toBe(1);
  await env.DB.prepare("update rags set removed_at = 1 where id = ?").bind(rag).run();
  await world.services.queue.scan({ kind: "purge-rag", ragId: rag });
  await world.deliver();
  expect(held(world, rag)).toBe(0);
});

test("no removal or new file waits for a vector index that is down", async () => {
  const world = await VectorizeWorld.alone();
  const { vectorize } = world;
  const source = await world.addSource();
  const rag = await world.addRag(source);
  await push(world, source, "a.txt", "A note, a.");
  await world.deliver();
  expect(held(world, rag)).toBe(1);
  vectorize.failure = new Error("down");
  await removePushedFile(world.services, { source: { id: source }, path: "a.txt" });
  expect(await world.shown(rag)).toEqual({});
  await push(world, source, "b.txt", "A note, b.");
  await world.deliver();
  expect((await world.rows(rag)).map(({ status }) => status)).toEqual(["deleted", "indexed"]);
  expect(await found(world, rag, "nota b")).toMatchObject({ counts: { "b.txt": 1 } });
  vectorize.failure = null;
  expect(held(world, rag)).toBe(1);
  for (let turn = 0; turn < 8; turn++) {
    world.now += MINUTE_MS;
    await sweep(world.services);
  }
  expect(held(world, rag)).toBe(1);
  expect(await found(world, rag, "nota b")).toMatchObject({
    counts: { "b.txt": 1 },
    degradations: [],
  });
});
