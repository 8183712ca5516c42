import { inBatches } from "../../core/work/batches.ts";
import type { UsageOutbox } from "./usage-outbox.ts";
import type {
  IndexMessage,
  IndexMessages,
  JobQueue,
  ScanMessage,
  UsageMessage,
  UsageMessages,
} from "../../ports/job-queue.ts";

/** A `sendBatch` takes 100 messages and 256 KB; a file in an index message is some 150 bytes. */
const MESSAGES_PER_BATCH = 100;
const BATCHED_FILES = 1_000;
/** Small files that share a message, which is 4 KB of the 64 KB that are billed as one. */
const FILES_PER_MESSAGE = 25;
const MAX_DELAY_SECONDS = 12 * 60 * 60;

export type QueueBindings = {
  scan: Queue<ScanMessage>;
  index: Queue<IndexMessage | IndexMessages>;
  usage: Queue<UsageMessage | UsageMessages>;
};

/** @param waitMs how long usage may wait for that of other calls */
type Usage = { outbox: UsageOutbox; waitMs: number };

const pause = (ms: number) => new Promise<void>((over) => void setTimeout(over, ms));

/** Cloudflare Queues. */
export function cloudflareQueue(queues: QueueBindings, { outbox, waitMs }: Usage): JobQueue {
  return {
    async scan(message, delaySeconds = 0) {
      await queues.scan.send(message, {
        contentType: "json",
        delaySeconds: seconds(delaySeconds),
      });
    },
    async index(messages, { delaySeconds = 0, together = false } = {}) {
      const size = together ? BATCHED_FILES / FILES_PER_MESSAGE : MESSAGES_PER_BATCH;
      for (const batch of inBatches(indexBodies(messages, together), size)) {
        await queues.index.sendBatch(
          batch.map((body) => ({ body, contentType: "json" as const })),
          { delaySeconds: seconds(delaySeconds) },
        );
      }
    },
    async usage(message) {
      const send = async (body: UsageMessage | UsageMessages) => {
        await queues.usage.send(body, { contentType: "json" });
      };
      await outbox.add(message, { waitMs, now: Date.now, pause, send });
    },
  };
}

/** What is sent for these files; only files of one index share a message. */
export function indexBodies(
  messages: IndexMessage[],
  together: boolean,
): (IndexMessage | IndexMessages)[] {
  if (!together) return messages.map((message) => ({ ...message }));
  const indexes = Map.groupBy(messages, ({ ragId, generation }) => `${ragId} ${generation}`);
  return [...indexes.values()].flatMap((files) => inBatches(files, FILES_PER_MESSAGE).map(bodyOf));
}

function bodyOf(files: IndexMessage[]): IndexMessage | IndexMessages {
  const [first] = files;
  return first !== undefined && files.length === 1 ? { ...first } : { files };
}

const seconds = (asked: number) => Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.round(asked)));
