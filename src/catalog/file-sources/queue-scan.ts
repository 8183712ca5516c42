import { MINUTE_MS } from "../../core/clock.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { holdNextScan } from "../../db/scans/webhook-store.ts";
import type { Services } from "../../services.ts";

/** Queues a scan that a change of settings needs; should the message be lost, the clock does. */
export async function queueScan(
  { db, now, queue }: Pick<Services, "db" | "now" | "queue">,
  fileSourceId: FileSourceId,
): Promise<void> {
  await holdNextScan(db, fileSourceId, now() + MINUTE_MS);
  await queue.scan({ kind: "scan", fileSourceId, confirmRemovals: false, urls: null });
}
