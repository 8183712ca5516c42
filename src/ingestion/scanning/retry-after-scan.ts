import type { FileSourceId } from "../../core/ids.ts";
import { pendFailedOutside } from "../../db/files/failed-files.ts";
import type { Services } from "../../services.ts";
import { QUEUED_CLAIM_MS } from "../timeouts.ts";

const FILES_PER_STEP = 1_000;

/** Each scan retries files that failed for an outside cause. */
export async function retryFailedFiles(
  services: Pick<Services, "db" | "now" | "queue">,
  sourceId: FileSourceId,
): Promise<void> {
  for (;;) {
    const now = services.now();
    const messages = await pendFailedOutside(services.db, sourceId, {
      now,
      claimedUntil: now + QUEUED_CLAIM_MS,
      limit: FILES_PER_STEP,
    });
    await services.queue.index(messages);
    if (messages.length < FILES_PER_STEP) return;
  }
}
