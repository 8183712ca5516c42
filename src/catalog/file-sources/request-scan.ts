import { notFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { advanceNextScan } from "../../db/scans/due-scans.ts";
import type { Services } from "../../services.ts";

/** Should the message be lost, the clock queues the scan when this time is over. */
const DUE_AGAIN_MS = MINUTE_MS;

/**
 * Queues a scan now, and writes first that it is due.
 * @throws QuarryError `not-found`
 */
export async function requestScan(
  services: Pick<Services, "db" | "now" | "queue">,
  input: { sourceId: FileSourceId; confirmRemovals?: boolean; urls?: string[] | null },
): Promise<void> {
  const { sourceId: fileSourceId, confirmRemovals = false, urls = null } = input;
  const dueAt = services.now() + DUE_AGAIN_MS;
  if (!(await advanceNextScan(services.db, fileSourceId, dueAt))) throw notFound();
  await services.queue.scan({ kind: "scan", fileSourceId, confirmRemovals, urls });
}
