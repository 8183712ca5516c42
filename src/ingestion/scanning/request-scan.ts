import { notFound } from "../../core/errors.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { holdNextScan } from "../../db/scans/webhook-store.ts";
import type { Services } from "../../services.ts";
import { QUEUED_HOLD_MS } from "../timeouts.ts";

/**
 * Queues a scan now. It is written down first: should the message be lost, the clock queues it.
 * @throws QuarryError `not-found`
 */
export async function requestScan(
  services: Pick<Services, "db" | "now" | "queue">,
  input: { sourceId: FileSourceId; confirmRemovals: boolean; urls: string[] | null },
): Promise<void> {
  const { sourceId: fileSourceId, confirmRemovals, urls } = input;
  const until = services.now() + QUEUED_HOLD_MS;
  if (!(await holdNextScan(services.db, fileSourceId, until))) throw notFound();
  await services.queue.scan({ kind: "scan", fileSourceId, confirmRemovals, urls });
}
