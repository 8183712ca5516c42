import { expect, test } from "vitest";

import type { RagId } from "../../../../src/core/ids.ts";
import { MINUTE_MS } from "../../../../src/core/time.ts";
import { queueUnclaimedFiles } from "../../../../src/ingestion/maintenance/sweep.ts";
import { continueBuild } from "../../../../src/ingestion/rebuilds/build-generation.ts";
import { countedDatabase } from "../../../support/counted-rows.ts";
import { crashAtCalls, type CrashPoint } from "../../../support/crash.ts";
import { World, rowsOf, statement } from "../../../support/ingestion-world.ts";
import { forget, ragToBuild } from "../../../support/rows-of-files.ts";
import { states } from "./support.ts";

/** Indexes the queue, and counts the files of the new generation. */
async function indexQueued(world: World, rag: RagId): Promise<number> {
  const queued = world.waiting
    .splice(0)
    .flatMap(({ body }) => ("files" in body ? body.files : "fileId" in body ? [body] : []));
  for (const generation of [1, 2]) {
    const files = queued.filter((message) => message.generation === generation);
    await statement(
      `update rag_files set status = 'indexed', claimed_until = 0, chunk_count = 1
       where rag_id = ?1 and generation = ?2 and file_id in (select value from json_each(?3))`,
      rag,
      generation,
      JSON.stringify(files.map(({ fileId }) => fileId)),
    ).run();
  }
  return queued.filter(({ generation }) => generation === 2).length;
}

test("a build reads each file a few times, however many files there are", async () => {
  const readPerFile = [];
  for (const files of [1_000, 10_000]) {
    const world = new World();
    const { rag } = await ragToBuild(world, files);
    const { counts, db } = countedDatabase();
    const counting = { ...world.services, db };
    let indexed = 0;
    for (let queued = 1; queued > 0; indexed += queued) {
      await continueBuild(counting, rag);
      queued = await indexQueued(world, rag);
    }
    expect(indexed).toBe(files);
    expect(await states(rag)).toEqual(["1 retired", "2 live"]);
    readPerFile.push(counts.read / files);
    await forget(rag);
  }
  const [few = 0, many = 0] = readPerFile;
  expect(few).toBeLessThan(8);
  expect(many).toBeLessThan(1.1 * few);
});

test("files changed, added or lost during a build are queued before it ends", async () => {
  const moment = (at: number) => (at % 2 === 0 ? "before" : "after");
  const run = async (crash: CrashPoint, at: number) => {
    const world = new World();
    const { rag, source } = await ragToBuild(world, 2_500);
    await continueBuild(world.services, rag);
    await indexQueued(world, rag);
    const rows = await rowsOf<{ path: string }>(
      "select path from rag_files where rag_id = ? and generation = 2 order by file_id limit 2",
      rag,
    );
    for (const { path } of rows) await world.put(source, path, "A note that changed.");
    await world.put(source, "new.md", "A note that is new.");
    await statement(
      `update rag_files set status = 'pending', claimed_until = 5 where rag_id = ?1 and generation = 2
         and file_id = (select file_id from rag_files where rag_id = ?1 and generation = 2
           order by file_id limit 1 offset 10)`,
      rag,
    ).run();
    const { services } = world;
    let reindexed = 0;
    for (let step = 0; step < 4; step++) {
      await continueBuild(crash.wrap(services), rag).catch(() => undefined);
      reindexed += await indexQueued(world, rag);
    }
    crash.revive();
    for (let step = 0; step < 3; step++) {
      // Files that were claimed and not queued are lost until their hold runs out.
      world.now += 11 * MINUTE_MS;
      await queueUnclaimedFiles(services);
      reindexed += await indexQueued(world, rag);
      await continueBuild(services, rag);
      reindexed += await indexQueued(world, rag);
    }
    expect({ at, states: await states(rag) }).toEqual({ at, states: ["1 retired", "2 live"] });
    expect(reindexed).toBeGreaterThanOrEqual(1_504);
    await forget(rag);
  };
  await crashAtCalls(run, { every: 3, upTo: 40, moment });
});
