import { notFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { advanceNextScan } from "../../db/scans/scan-store.ts";
import type { Services } from "../../services.ts";

/** If the message is lost, the clock queues the scan after this time. */
const DUE_AGAIN_MS = MINUTE_MS;

/** Queues a scan after recording that it is due. @throws QuarryError `not-found` */
export async function requestScan(
  services: Pick<Services, "db" | "now" | "queue">,
  input: { sourceId: FileSourceId; confirmRemovals?: boolean; urls?: string[] | null },
): Promise<void> {
  const { sourceId: fileSourceId, confirmRemovals = false, urls = null } = input;
  const dueAt = services.now() + DUE_AGAIN_MS;
  if (!(await advanceNextScan(services.db, fileSourceId, dueAt))) throw notFound();
  await services.queue.scan({ kind: "scan", fileSourceId, confirmRemovals, urls });
}
