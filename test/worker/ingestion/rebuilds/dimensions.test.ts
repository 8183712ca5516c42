import { expect, test } from "vitest";

import { reindexRag, returnToIndex } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { World } from "../../../support/ingestion-world.ts";
import {
  deliverBut,
  found,
  generations,
  indexedRag,
  longText,
  ofBuild,
  states,
} from "./support.ts";

const FILES = { "a.html": longText("moss"), "b.html": longText("heather") };

test("the old vectors answer, by their own model, until the new ones are complete", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await found(world, rag);
  world.services.config = { ...world.services.config, EMBEDDING_DIMENSIONS: 512 };
  await sweep(world.services);
  await deliverBut(world, ofBuild);
  expect(await states(rag)).toEqual(["1 live", "2 building"]);
  expect(await found(world, rag)).toEqual(before);
  expect(before.degradations).toEqual([]);

  await world.deliver();
  expect(await generations(rag)).toMatchObject([
    { state: "retired", dimensions: 1_024 },
    { state: "live", dimensions: 512 },
  ]);
  expect(await found(world, rag)).toMatchObject({ counts: before.counts, degradations: [] });
  await sweep(world.services);
  expect(world.waiting).toEqual([]);
});

test("after a return the abandoned embedding model is not built until asked for", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const before = await found(world, rag);
  const setDimensions = (dimensions: number) => {
    world.services.config = { ...world.services.config, EMBEDDING_DIMENSIONS: dimensions };
  };
  setDimensions(512);
  await world.sweepAfter(0);
  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  for (let minute = 0; minute < 3; minute++) {
    await world.sweepAfter(1);
  }
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  expect(await found(world, rag)).toEqual(before);

  await reindexRag(world.services, { ragId: rag });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 retired", "3 live"]);
  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  setDimensions(256);
  await world.sweepAfter(0);
  expect((await states(rag)).at(-1)).toBe("4 live");
});
