import { expect, test } from "vitest";

import { CrashPoint } from "../../../support/crash.ts";
import { World } from "../../../support/ingestion-world.ts";
import { facts, found, indexedRag, longText, patch, states } from "./support.ts";

const MAX_CALLS = 80;
/** Each run takes a while: of the calls every fourth is tried, others before than after. */
const EVERY = 4;
async function recover(world: World): Promise<void> {
  await world.deliver();
  await world.sweepAfter(3, 15);
}

test("a build or activation whose worker dies at any call ends as if it had not", async () => {
  let points = 0;
  for (const moment of ["before", "after"] as const) {
    const first = moment === "before" ? 1 : 2;
    for (let at = first; at <= MAX_CALLS; at += EVERY) {
      const world = new World();
      const { source, rag } = await indexedRag(world, {
        "a.html": longText("moss"),
        "b.html": longText("fen"),
      });
      await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
      await world.put(source, "a.html", longText("bracken"));
      await world.drop(source, "b.html");
      const crash = new CrashPoint(at, moment);
      await world.workUntil(crash);
      crash.revive();
      await recover(world);
      expect((await states(rag)).at(-1)).toMatch(/ live$/);
      expect((await states(rag)).filter((state) => /live|building/.test(state))).toHaveLength(1);
      const { chunks, files } = await facts(world, rag, 2);
      expect({ files, several: chunks > 1 }).toEqual({ files: 1, several: true });
      expect(await world.counters(rag)).toMatchObject({ indexed: 1, deleted: 1, vectors: chunks });
      const { counts, texts } = await found(world, rag);
      expect(counts).toEqual({ "a.html": chunks });
      expect(texts.join(" ")).toContain("bracken");
      if (!crash.hasCrashed) break;
      points++;
    }
  }
  expect(points).toBeGreaterThan(15);
});
