import { expect, test } from "vitest";

import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import type { IndexMessage } from "../../../src/core/queue-messages.ts";
import { statement, type World } from "../../support/ingestion-world.ts";
import {
  ALL_INDEXED,
  BEGUN,
  FILES,
  PATHS,
  heavyWorld,
  statuses,
  timePasses,
} from "./heavy-files.ts";

type Act = (world: World, source: FileSourceId, rag: RagId) => Promise<unknown>;

/** Just before the fresh messages are sent, or while the first file is read. */
const WHEN = ["before the messages", "before the hand-back"] as const;

async function actAround(when: (typeof WHEN)[number], act: Act) {
  const { world, source, rag } = await heavyWorld();
  const untouched = world.services;
  let acted = false;
  const once = async () => {
    if (acted) return;
    acted = true;
    await act(world, source, rag);
  };
  const index = async (messages: IndexMessage[]) => {
    await once();
    await untouched.queue.index(messages);
  };
  const batch = world.waiting.splice(0);
  if (when === "before the messages") {
    const consumer = { ...untouched, queue: { ...untouched.queue, index } };
    const own = Object.assign(Object.create(world) as World, { services: consumer });
    await own.deliverBatch("quarry-index", batch);
  } else {
    const own = Object.assign(Object.create(world) as World, { services: { ...untouched } });
    own.aroundBucket(async ({ name, go }) => {
      if (name === "get") await once();
      return await go();
    });
    await own.deliverBatch("quarry-index", batch);
  }
  expect(acted).toBe(true);
  return { world, rag };
}

async function settledAfter(when: (typeof WHEN)[number], act: Act) {
  const { world, rag } = await actAround(when, act);
  await world.deliver();
  await timePasses(world);
  return { world, rag };
}

/** Handed back in each of these tests: the last. */
const HANDED_BACK = "4.txt";

test("a file removed around its release stays removed", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, (acting, source) =>
      acting.drop(source, HANDED_BACK),
    );
    expect((await statuses(world, rag)).at(-1)).toMatch(/^deleted/);
    expect(Object.keys(await world.shown(rag)).sort()).toEqual(PATHS.slice(0, -1));
  }
});

test("a file changed around its release ends with the change", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, (acting, source) =>
      acting.put(source, HANDED_BACK, "A note, changed."),
    );
    expect(await statuses(world, rag)).toEqual(ALL_INDEXED);
    expect((await world.shown(rag))[HANDED_BACK]).toEqual(["A note, changed."]);
  }
});

test("a file that another worker claimed meanwhile is not released", async () => {
  const { world, rag } = await actAround("before the hand-back", async () => {
    await statement("update rag_files set lease_id = 'another' where path = ?", HANDED_BACK).run();
  });
  expect((await statuses(world, rag)).slice(BEGUN)).toEqual([
    "pending 0",
    "pending 0",
    "processing 1",
  ]);
  expect(world.waiting).toHaveLength(FILES - BEGUN - 1);
});

test("a RAG removed around a release of claims leaves nothing behind", async () => {
  for (const when of WHEN) {
    const { world, rag } = await settledAfter(when, async (acting, _source, removed) => {
      await statement("update rags set removed_at = 1 where id = ?", removed).run();
      await acting.services.queue.scan({ kind: "purge-rag", ragId: removed });
    });
    expect(await world.rows(rag)).toEqual([]);
    expect(await world.index(rag).facts()).toMatchObject({ chunks: 0, staged: 0 });
  }
});
