import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { MINUTE_MS } from "../../../../src/core/clock.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { dropGeneration } from "../../../../src/db/generations/generation-store.ts";
import { continueBuild } from "../../../../src/ingestion/rebuilds/build-generation.ts";
import { checkIndexes } from "../../../../src/ingestion/maintenance/check-indexes.ts";
import { reindexRag } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { World } from "../../../support/ingestion-world.ts";
import { movedAfter, switchOnly } from "./moving.ts";
import {
  deliverBut,
  drop,
  facts,
  found,
  indexedRag,
  longText,
  ofBuild,
  patch,
  push,
  states,
  tenMinutesLater,
} from "./support.ts";

/** Builds with their sweeps. */
vi.setConfig({ testTimeout: 300_000 });

/** A RAG of two files that has been switched to other chunking, its rows not moved yet. */
async function switchedRag(world: World) {
  const { source, rag } = await indexedRag(world, {
    "a.html": longText("moss"),
    "b.html": longText("heather"),
  });
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverUntilBuilt(world);
  await switchOnly(world, rag);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect(await movedAfter(rag)).toBe("");
  return { source, rag };
}

/** All but the message that would switch. */
async function deliverUntilBuilt(world: World): Promise<void> {
  await deliverBut(world, ofBuild);
  await world.deliverBatch("quarry-index", world.waiting.splice(0));
  world.waiting = [];
}

const chunksOf = async (world: World, rag: RagId) =>
  Object.fromEntries((await world.rows(rag)).map(({ path, chunks }) => [path, chunks]));

async function moveRest(world: World, rag: RagId): Promise<void> {
  await world.services.queue.scan({ kind: "build", ragId: rag });
  await world.deliver();
  expect(await movedAfter(rag)).toBeNull();
}

async function expectTrueFigures(world: World, rag: RagId): Promise<void> {
  const { counts } = await found(world, rag);
  expect(await chunksOf(world, rag)).toEqual(counts);
  const { chunks } = await facts(world, rag, 2);
  expect(await world.counters(rag)).toMatchObject({ pending: 0, processing: 0, vectors: chunks });
}

test("a file indexed before its row is moved keeps it, and is not indexed again", async () => {
  const world = new World();
  const { source, rag } = await switchedRag(world);
  await push(world, source, "a.html", "A note, now short, of two parts.");
  await push(world, source, "c.html", "A note that is new, of two parts.");
  await world.deliver();
  expect(await movedAfter(rag)).toBe("");
  const embedded = world.countEmbedded();
  await moveRest(world, rag);
  expect(embedded).toEqual([]);
  await expectTrueFigures(world, rag);
  expect(await chunksOf(world, rag)).toMatchObject({ "a.html": 1, "c.html": 1 });
});

test("a file changed and changed back before its row is moved has its present state", async () => {
  const world = new World();
  const { source, rag } = await switchedRag(world);
  await push(world, source, "a.html", "A note, now short, of two parts.");
  await world.deliver();
  await push(world, source, "a.html", longText("moss"));
  await moveRest(world, rag);
  await expectTrueFigures(world, rag);
  expect((await found(world, rag)).texts.join(" ")).toContain("moss ends here");
});

test("a removal and a failure before the rows are moved stay", async () => {
  const world = new World();
  const { source, rag } = await switchedRag(world);
  await drop(world, source, "a.html");
  await push(world, source, "b.html", "");
  await world.deliver();
  await moveRest(world, rag);
  expect(await world.rows(rag)).toMatchObject([
    { path: "a.html", status: "deleted", chunks: 0 },
    { path: "b.html", status: "error", chunks: 0, error: "no text found" },
  ]);
  expect(await world.counters(rag)).toMatchObject({ vectors: 0, error: 1, deleted: 1 });
});

test("what a worker still did for the replaced index does not count", async () => {
  const world = new World();
  const { source, rag } = await indexedRag(world, { "a.html": longText("moss") });
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverUntilBuilt(world);
  await push(world, source, "a.html", longText("bracken"));
  const untouched = world.services;
  world.services = {
    ...untouched,
    ragIndexes: (address) =>
      new Proxy(untouched.ragIndexes(address), {
        get(index, name) {
          const call = Reflect.get(index, name) as (...args: unknown[]) => Promise<unknown>;
          return async (...args: unknown[]) => {
            const answer = await call(...args);
            if (name === "activateVersion" && address.generation === 1) {
              world.services = untouched;
              await switchOnly(world, rag);
            }
            return answer;
          };
        },
      }),
  };
  const message = world.waiting.filter(({ queue }) => queue === "quarry-index");
  world.waiting = world.waiting.filter(({ queue }) => queue !== "quarry-index");
  await world.deliverBatch("quarry-index", message);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  // The new index does not have the change yet, and the row does not say that it does.
  expect((await found(world, rag)).texts.join(" ")).toContain("moss");
  expect((await world.rows(rag)).map(({ status }) => status)).not.toContain("indexed");
  await moveRest(world, rag);
  await expectTrueFigures(world, rag);
  expect((await found(world, rag)).texts.join(" ")).toContain("bracken");
});

test("while rows are moved no index counts as different, and notes are kept", async () => {
  const world = new World();
  const { rag } = await switchedRag(world);
  for (let turn = 0; turn < 20; turn++) {
    world.now += MINUTE_MS;
    await checkIndexes(world.services);
  }
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, pending: 0 });
  await dropGeneration(world.services.db, { ragId: rag, generation: 1 }, 100);
  await continueBuild(world.services, rag);
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, pending: 0 });
  await expectTrueFigures(world, rag);
});

test("fingerprints of the replaced generation are not taken for the new one's", async () => {
  const world = new World();
  const { source, rag } = await indexedRag(world, { "a.html": longText("moss") });
  const { fingerprint } = await fingerprintOf(rag);
  await reindexRag(world.services, { ragId: rag });
  await push(world, source, "a.html", longText("bracken"));
  await deliverUntilBuilt(world);
  await push(world, source, "a.html", longText("moss"));
  // As where the change failed in the replaced index alone.
  await env.DB.prepare("update rag_files set indexed_sha256 = ?2 where rag_id = ?1")
    .bind(rag, fingerprint)
    .run();
  const [message] = world.waiting.splice(0);
  await switchOnly(world, rag);
  expect(await states(rag)).toEqual(["1 retired", "2 live"]);
  expect((await found(world, rag)).texts.join(" ")).toContain("bracken");
  if (message !== undefined) await world.deliverBatch("quarry-index", [message]);
  expect((await found(world, rag)).texts.join(" ")).toContain("moss");
  await moveRest(world, rag);
  await expectTrueFigures(world, rag);
});

test("a generation replaced while rows were still to follow is dropped as usual", async () => {
  const world = new World();
  const { rag } = await switchedRag(world);
  await moveRest(world, rag);
  // As code leaves it that does not wait for the rows.
  await env.DB.batch([
    env.DB.prepare(
      "update rag_generations set moved_after = '' where rag_id = ? and generation = 1",
    ).bind(rag),
    env.DB.prepare(
      `insert into generation_files (rag_id, generation, file_id, state, revision)
       select rag_id, 1, file_id, 'indexed', 1 from rag_files where rag_id = ?`,
    ).bind(rag),
  ]);
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 dropped", "2 live"]);
});

async function fingerprintOf(rag: RagId) {
  const row = await env.DB.prepare(
    "select indexed_sha256 as fingerprint from rag_files where rag_id = ?",
  )
    .bind(rag)
    .first<{ fingerprint: string }>();
  return row ?? { fingerprint: "" };
}
