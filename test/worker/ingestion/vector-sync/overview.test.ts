import { Hono } from "hono";
import { expect, test } from "vitest";

import {
  asId,
  type ChunkId,
  type FileId,
  type KeyId,
  type RagId,
  type UserId,
  vectorIdOf,
} from "../../../../src/core/ids.ts";
import { overviewRoutes } from "../../../../src/panel/api/overview.ts";
import type { PanelEnv } from "../../../../src/panel/api/request/route.ts";
import { SHOWN_AFTER_MS, type VectorizeWorld } from "../../../support/vectorize-world.ts";
import { notesWorld, vectorIndexOf } from "./support.ts";

/** A vector that nobody knows in the very place of each of these. */
async function plantBeside(world: VectorizeWorld, ragId: RagId, ids: string[]): Promise<void> {
  const vectors = [];
  for (let at = 0; at < ids.length; at += 20) {
    const batch = await world.vectorize.getByIds(ids.slice(at, at + 20));
    const values = batch.map((vector) => Float32Array.from(vector.values));
    for (const [place, vector] of values.entries()) {
      const id = vectorIdOf("e".repeat(40) as ChunkId, at + place);
      vectors.push({ id, values: vector, fileId: "gone" as FileId, folder: "" });
    }
  }
  await world.services.vectorIndex?.upsert({ ragId, generation: 1 }, vectors);
}

const ADMINISTRATOR = {
  kind: "key" as const,
  role: "admin" as const,
  keyId: asId<KeyId>("key"),
  name: "Key",
  createdBy: asId<UserId>("user"),
};

/** The vector index as an administrator sees it, by the world's own clock. */
async function overviewOf(world: VectorizeWorld): Promise<unknown> {
  const app = new Hono<PanelEnv>();
  app.use(async (context, next) => {
    context.set("services", world.services);
    context.set("caller", ADMINISTRATOR);
    await next();
  });
  const answer = await app.route("/", overviewRoutes).request("/overview");
  return (await answer.json<{ vectorIndex: unknown }>()).vectorIndex;
}

test("the overview tells when verification ran, what it repaired, and what is open", async () => {
  const { world, rag } = await notesWorld(250);
  const aDay = 24 * 60 * SHOWN_AFTER_MS;
  world.now += aDay;
  const end = world.now + SHOWN_AFTER_MS;
  await world.minutesPass(3);
  const healthy = {
    indexes: 1,
    compared: 1,
    lastComparedAt: new Date(end).toISOString(),
    vectorsChecked: 250,
    vectorsAddedAgain: 0,
    vectorsRemoved: 0,
    underWay: 0,
    underWaySince: null,
  };
  expect(await overviewOf(world)).toEqual(healthy);

  const vectorIds = world.vectorIdsOf(rag);
  await plantBeside(world, rag, vectorIds);
  world.vectorize.lose(vectorIds.slice(0, 5));
  world.now += aDay;
  const began = world.now + SHOWN_AFTER_MS;
  // A page is compared, then the vector index is down for two minutes.
  const { services } = world;
  const vectorIndex = vectorIndexOf(world);
  let answers = 1;
  const findPresent: typeof vectorIndex.findPresent = async (ids) => {
    if (answers-- > 0) return await vectorIndex.findPresent(ids);
    throw new Error("vector index: down");
  };
  world.services = { ...services, vectorIndex: { ...vectorIndex, findPresent } };
  await world.minutesPass(2);
  expect(await overviewOf(world)).toEqual({
    ...healthy,
    underWay: 1,
    underWaySince: new Date(began).toISOString(),
  });
  world.services = services;
  await world.minutesPass(6);
  expect(await overviewOf(world)).toEqual({
    ...healthy,
    lastComparedAt: expect.toSatisfy((time: string) => Date.parse(time) > began),
    vectorsAddedAgain: 5,
    vectorsRemoved: 2 * vectorIds.length - world.vectorIdsOf(rag).length,
  });
  expect(world.vectorIdsOf(rag).length).toBeLessThan(2 * vectorIds.length);
});

test("a finished verification stays finished when the step after it fails", async () => {
  const { world } = await notesWorld(250);
  world.now += 24 * 60 * SHOWN_AFTER_MS;
  const end = world.now + SHOWN_AFTER_MS;
  const { services } = world;
  world.services = { ...services };
  world.aroundIndexes(async ({ name, go }) => {
    if (name === "queueMoved") throw new Error("index object: moved");
    return await go();
  });
  await world.minutesPass(1);
  world.services = services;
  await world.minutesPass(4);
  expect(await overviewOf(world)).toMatchObject({
    lastComparedAt: new Date(end).toISOString(),
    vectorsChecked: 250,
    underWaySince: null,
  });
});
