import type { RagId } from "../../core/ids.ts";
import { pendFailed } from "../../db/files/failed-files.ts";
import type { Services } from "../../services.ts";
import { QUEUED_CLAIM_MS } from "../timeouts.ts";

const FILES_PER_STEP = 1_000;

/**
 * Retries a RAG's failed files: the one at `path`, or all when it is null. Returns how many were
 * in `error` and are now `pending`.
 */
export async function retryFiles(
  services: Pick<Services, "db" | "now" | "queue">,
  { ragId, path }: { ragId: RagId; path: string | null },
): Promise<number> {
  let count = 0;
  for (;;) {
    const now = services.now();
    const pended = await pendFailed(services.db, ragId, path, {
      now,
      claimedUntil: now + QUEUED_CLAIM_MS,
      limit: FILES_PER_STEP,
    });
    await services.queue.index(pended.messages);
    count += pended.count;
    if (pended.messages.length < FILES_PER_STEP) return count;
  }
}
