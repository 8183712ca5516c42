import { env } from "cloudflare:workers";

import type { FileSourceId } from "../../../src/core/ids.ts";
import type { World } from "../../support/ingestion-world.ts";

const BETWEEN_SCANS_MS = 60_000;

/** The latest run of a source, as its record shows it. */
export async function lastRun(source: FileSourceId) {
  return await env.DB.prepare(
    `select added, changed, removed, unchanged, failed, error from scan_runs
     where file_source_id = ? order by started_at desc, id desc limit 1`,
  )
    .bind(source)
    .first();
}

/** A whole scan with all the work that it queues. */
export async function scan(world: World, fileSourceId: FileSourceId): Promise<void> {
  world.waiting.push({
    queue: "quarry-scan",
    body: { kind: "scan", fileSourceId, confirmRemovals: false, urls: null },
  });
  await world.deliver();
  world.now += BETWEEN_SCANS_MS;
}
