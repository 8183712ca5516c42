import { inBatches } from "../../core/work/batches.ts";
import type { IndexMessage, JobQueue, ScanMessage, UsageMessage } from "../../ports/job-queue.ts";

/** A `sendBatch` takes 100 messages and 256 KB; an index message is some 150 bytes. */
const MESSAGES_PER_BATCH = 100;
const MAX_DELAY_SECONDS = 12 * 60 * 60;

export type QueueBindings = {
  scan: Queue<ScanMessage>;
  index: Queue<IndexMessage>;
  usage: Queue<UsageMessage>;
};

/** Cloudflare Queues. */
export function cloudflareQueue(queues: QueueBindings): JobQueue {
  return {
    async scan(message, delaySeconds = 0) {
      await queues.scan.send(message, {
        contentType: "json",
        delaySeconds: seconds(delaySeconds),
      });
    },
    async index(messages, delaySeconds = 0) {
      for (const batch of inBatches(messages, MESSAGES_PER_BATCH)) {
        await queues.index.sendBatch(
          batch.map((body) => ({ body: { ...body }, contentType: "json" as const })),
          { delaySeconds: seconds(delaySeconds) },
        );
      }
    },
    async usage(message) {
      await queues.usage.send(message, { contentType: "json" });
    },
  };
}

const seconds = (asked: number) => Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.round(asked)));
