import { awaitOrNull } from "../../core/work/deadline.ts";
import type { QueueBacklog } from "../../ports/job-queue.ts";
import type { QueueBindings } from "./job-queue.ts";

/** Asked while an answer is being prepared, which it must not delay. */
const ANSWER_WITHIN_MS = 1_000;

/**
 * Messages waiting in each queue, as the platform counts them
 * (https://developers.cloudflare.com/queues/configuration/javascript-apis/); null (unknown) for a
 * queue that does not answer.
 */
export async function queueBacklog(queues: QueueBindings): Promise<QueueBacklog[]> {
  return await Promise.all(
    Object.entries(queues).map(async ([queue, binding]): Promise<QueueBacklog> => {
      const asking = Promise.resolve().then(() => awaitOrNull(binding.metrics(), ANSWER_WITHIN_MS));
      const metrics = await asking.catch(() => null);
      return {
        queue,
        waiting: metrics?.backlogCount ?? null,
        oldestAt: metrics?.oldestMessageTimestamp?.getTime() ?? null,
      };
    }),
  );
}
