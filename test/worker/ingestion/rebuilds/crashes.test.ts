import { expect, test } from "vitest";

import { crashAtCalls } from "../../../support/crash.ts";
import { World } from "../../../support/ingestion-world.ts";
import { facts, find, indexedRag, longText, patch, states } from "./support.ts";

test("a build or activation whose worker dies at any call ends as if it had not", async () => {
  let points = 0;
  // Each run takes a while: of the calls every fourth is tried, others before than after.
  for (const [from, moment] of [
    [1, "before"],
    [2, "after"],
  ] as const) {
    points += await crashAtCalls(
      async (crash) => {
        const world = new World();
        const files = { "a.html": longText("moss"), "b.html": longText("fen") };
        const { source, rag } = await indexedRag(world, files);
        await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
        await world.put(source, "a.html", longText("bracken"));
        await world.drop(source, "b.html");
        await world.workUntil(crash);
        await world.deliver();
        await world.sweepAfter(3, 15);
        expect((await states(rag)).at(-1)).toMatch(/ live$/);
        expect((await states(rag)).filter((state) => /live|building/.test(state))).toHaveLength(1);
        const { chunks, files: fileCount } = await facts(world, rag, 2);
        expect({ kept: fileCount, several: chunks > 1 }).toEqual({ kept: 1, several: true });
        expect(await world.counters(rag)).toMatchObject({
          indexed: 1,
          deleted: 1,
          vectors: chunks,
        });
        const { counts, texts } = await find(world, rag);
        expect(counts).toEqual({ "a.html": chunks });
        expect(texts.join(" ")).toContain("bracken");
      },
      { from, every: 4, moment },
    );
  }
  expect(points).toBeGreaterThan(15);
});
