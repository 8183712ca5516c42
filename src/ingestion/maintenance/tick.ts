import { reasonOf } from "../../core/errors.ts";
import { activeRagIds, expireClaims } from "../../db/maintenance/removed-resources-store.ts";
import { takeDueSources } from "../../db/scans/scan-store.ts";
import type { Services } from "../../services.ts";
import { SWEPT_CLAIM_MS } from "../timeouts.ts";
import { queueUnclaimedFiles, sweep } from "./sweep.ts";

/** Runs once a minute: queues the scans that are due and runs the sweep. */
export async function tick(services: Services): Promise<void> {
  try {
    await queueDueScans(services);
  } catch (thrown) {
    services.log.error("due scans failed", { reason: reasonOf(thrown) });
  }
  await sweep(services);
}

async function queueDueScans(services: Services): Promise<void> {
  const now = services.now();
  for (const fileSourceId of await takeDueSources(services.db, now, now + SWEPT_CLAIM_MS)) {
    const message = { kind: "scan", fileSourceId, confirmRemovals: false, urls: null } as const;
    await services.queue.scan(message);
  }
}

/**
 * Runs after a local server was killed. Its queues were in memory, so no lease or message is left,
 * and all pending work is queued at once.
 */
export async function recoverAfterRestart(services: Services): Promise<void> {
  await expireClaims(services.db);
  await tick(services);
  while (!(await queueUnclaimedFiles(services)));
  for (const ragId of await activeRagIds(services.db)) {
    await services.queue.scan({ kind: "apply-scopes", ragId, after: null });
  }
}
