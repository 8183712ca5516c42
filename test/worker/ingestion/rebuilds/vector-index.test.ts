import { expect, test } from "vitest";

import { MINUTE_MS } from "../../../../src/core/time.ts";
import { statement } from "../../../support/ingestion-world.ts";
import { SHOWN_AFTER_MS } from "../../../support/vectorize-world.ts";
import {
  deliverBut,
  deliverFirst,
  facts,
  found,
  longText,
  ofBuild,
  patch,
  states,
  tenMinutesLater,
  vectorizeRag,
} from "./support.ts";

test("vectors of replaced generations and of a removed RAG leave the vector index", async () => {
  const { world, rag } = await vectorizeRag({
    "a.html": longText("moss"),
    "b.html": longText("fen"),
  });
  world.now += SHOWN_AFTER_MS;
  expect(world.held(rag)).toHaveLength(2);
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await deliverBut(world, ofBuild);
  await deliverFirst(world);
  await patch(world, rag, { chunkSize: 64, chunkOverlap: 0 });
  await world.deliver();
  expect(await states(rag)).toEqual(["1 retired", "2 retired", "3 live"]);
  world.now += SHOWN_AFTER_MS;
  expect(world.held(rag).length).toBeGreaterThan((await facts(world, rag, 3)).chunks);
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 dropped", "2 dropped", "3 live"]);
  world.now += SHOWN_AFTER_MS;
  expect(world.held(rag)).toHaveLength((await facts(world, rag, 3)).chunks);
  // Nor does a removed RAG leave any.
  await statement("update rags set removed_at = 1 where id = ?", rag).run();
  await world.services.queue.scan({ kind: "purge-rag", ragId: rag });
  await world.deliver();
  world.now += SHOWN_AFTER_MS;
  expect(world.held(rag)).toEqual([]);
});

test("vectors of a size that the vector index cannot hold change nothing and say so", async () => {
  const { world, rag } = await vectorizeRag({ "a.html": longText("moss") });
  const before = await found(world, rag);
  const errors = world.logged("error");
  world.services.config = { ...world.services.config, EMBEDDING_DIMENSIONS: 512 };
  await world.sweepAfter(0);
  world.now += MINUTE_MS;
  expect(JSON.stringify(errors)).toContain("EMBEDDING_DIMENSIONS is now 512");
  expect(await states(rag)).toEqual(["1 live"]);
  expect(await found(world, rag)).toEqual(before);
});
