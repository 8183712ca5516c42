import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { HOUR_MS, MINUTE_MS } from "../../../src/core/time.ts";
import { releasePending } from "../../../src/db/files/pending-files.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { countedDatabase } from "../../support/counted-rows.ts";
import { ragWorld } from "../../support/ingestion-world.ts";
import { fileRows, workRows } from "../../support/rows-of-files.ts";

/** Rows written by the release of so many files that wait. */
async function writtenFor(files: number) {
  const { world, source, rag } = await ragWorld();
  const waits = { status: "pending", claimed_until: world.now + 10 * MINUTE_MS };
  await env.DB.batch([fileRows(source, files), workRows(rag, source, waits)]);
  const { counts, db } = countedDatabase();
  await releasePending(db, rag, world.now + MINUTE_MS);
  return { world, rag, written: counts.written };
}

test("resuming a RAG writes a bounded number of rows, however many files wait", async () => {
  const most = await writtenFor(10_000);
  const more = await writtenFor(12_000);
  expect(more.written).toBe(most.written);
  // Files that were left out have their turn when their hold runs out.
  more.world.now += HOUR_MS;
  const queued = new Set<string>();
  for (let minute = 0; minute < 30; minute++) {
    await sweep(more.world.services);
    for (const { body } of more.world.waiting.splice(0)) {
      for (const { ragId, fileId } of "files" in body ? body.files : []) {
        if (ragId === more.rag) queued.add(fileId);
      }
    }
  }
  expect(queued.size).toBe(12_000);
});
