import type { FileSourceId, RagId } from "../../core/ids.ts";
import type { IndexMessage } from "../../core/queue-messages.ts";
import type { PendTimes } from "../../db/files/file-rows.ts";
import { requeueEnded, requeueFailed, requeueFailedOutside } from "../../db/files/pending-files.ts";
import type { Services } from "../../services.ts";
import { timesFrom } from "../timeouts.ts";

const FILES_PER_STEP = 1_000;

type RetryServices = Pick<Services, "db" | "now" | "queue">;

/** Failed files at `paths`, or all (null). Returns how many are `pending` now. */
export const retryFiles = (
  services: RetryServices,
  { ragId, paths }: { ragId: RagId; paths: readonly string[] | null },
) => queueInSteps(services, (step) => requeueFailed(services.db, ragId, paths, step));

/** Indexes a RAG's files at `paths` again, whether or not they failed. Returns how many. */
export const reindexFiles = (
  services: RetryServices,
  { ragId, paths }: { ragId: RagId; paths: readonly string[] },
) => queueInSteps(services, (step) => requeueEnded(services.db, ragId, paths, step));

/** Each scan retries files that failed for an outside cause. */
export async function retryAfterScan(
  services: RetryServices,
  sourceId: FileSourceId,
): Promise<void> {
  await queueInSteps(services, async (step) => ({
    messages: await requeueFailedOutside(services.db, sourceId, step),
    count: 0,
  }));
}

async function queueInSteps(
  { now, queue }: RetryServices,
  pend: (
    step: PendTimes & { limit: number },
  ) => Promise<{ messages: IndexMessage[]; count: number }>,
): Promise<number> {
  let total = 0;
  for (;;) {
    const { messages, count } = await pend({ ...timesFrom(now()), limit: FILES_PER_STEP });
    await queue.index(messages);
    total += count;
    if (messages.length < FILES_PER_STEP) return total;
  }
}
