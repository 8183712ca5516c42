import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { HOUR_MS, MINUTE_MS } from "../../../src/core/time.ts";
import { openDatabase } from "../../../src/db/sql.ts";
import { releasePending } from "../../../src/db/files/pending-files.ts";
import { sweep } from "../../../src/ingestion/maintenance/sweep.ts";
import { countedRows, noRows } from "../../support/counted-rows.ts";
import { ragWorld, statement } from "../../support/ingestion-world.ts";

/** Rows written by the release of so many files that wait. */
async function writtenFor(files: number) {
  const { world, source, rag } = await ragWorld();
  await env.DB.batch([
    statement(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < ?2)
       insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at)
       select ?1 || '-' || i, ?1, printf('%06d.md', i), 'a.md', 1, 'text/markdown', '1', '{}', 0
       from n`,
      source,
      files,
    ),
    statement(
      `insert into rag_files (rag_id, generation, file_id, path, status, revision, claimed_until)
       select ?1, 1, id, path, 'pending', 1, ?3 from files where file_source_id = ?2`,
      rag,
      source,
      world.now + 10 * MINUTE_MS,
    ),
  ]);
  const counts = noRows();
  await releasePending(openDatabase(countedRows(env.DB, counts)), rag, world.now + MINUTE_MS);
  return { world, rag, written: counts.written };
}

test("resuming a RAG writes a bounded number of rows, however many files wait", async () => {
  const most = await writtenFor(10_000);
  const more = await writtenFor(12_000);
  expect(more.written).toBe(most.written);
  // What was left out has its turn when its hold runs out.
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
