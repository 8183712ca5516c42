import type { FileId } from "../../core/ids.ts";
import type { IndexMessage, ScanMessage, UsageMessage } from "../../core/queue-messages.ts";
import { toBatches, splitBySize } from "../../core/work/batches.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import type { IndexMessages, JobQueue, PushedText, UsageMessages } from "../../ports/job-queue.ts";
import { pause, type Outbox } from "./outbox.ts";

/**
 * A `sendBatch` takes 100 messages and 256 KB, of which the platform needs some for itself:
 * https://developers.cloudflare.com/queues/platform/limits/
 */
const MESSAGES_PER_BATCH = 100;
const BATCH_BYTES = 220 * 1_024;
/** Small files that share a message: with their texts less than the 64 KB that are billed as one. */
const FILES_PER_MESSAGE = 25;
/** The platform keeps six connections open at most. */
const CALLS_AT_ONCE = 6;
const MAX_DELAY_SECONDS = 12 * 60 * 60;

type IndexBody = IndexMessage | IndexMessages;

export type QueueBindings = {
  scan: Queue<ScanMessage>;
  index: Queue<IndexBody>;
  usage: Queue<UsageMessage | UsageMessages>;
};

/** @param waitMs how long usage may wait for that of other calls */
type Usage = { outbox: Outbox<UsageMessage>; waitMs: number };

export function cloudflareQueue(queues: QueueBindings, { outbox, waitMs }: Usage): JobQueue {
  return {
    scan: (messages, delaySeconds) => sendAll(queues.scan, [messages].flat(), delaySeconds),
    index: (messages, { delaySeconds, together = false, texts } = {}) =>
      sendAll(queues.index, indexBodies(messages, together, texts), delaySeconds),
    async usage(message) {
      const send = async (calls: [UsageMessage, ...UsageMessage[]]) => {
        const body = calls.length === 1 ? calls[0] : { calls };
        await queues.usage.send(body, { contentType: "json" });
      };
      await outbox.add(message, { waitMs, now: Date.now, pause, send });
    },
  };
}

async function sendAll<Body>(queue: Queue<Body>, bodies: Body[], delaySeconds = 0) {
  const options = {
    delaySeconds: Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.round(delaySeconds))),
  };
  await mapParallel(batchesOf(bodies), CALLS_AT_ONCE, async (batch) => {
    const messages = batch.map((body) => ({ body, contentType: "json" as const }));
    await queue.sendBatch(messages, options);
  });
}

type Texts = ReadonlyMap<FileId, PushedText>;
const NO_TEXTS: Texts = new Map();

/** Messages for these files; only files of one index share a message. */
export function indexBodies(messages: IndexMessage[], together: boolean, texts = NO_TEXTS) {
  if (!together) return messages.map((message) => ({ ...message }));
  const indexes = Map.groupBy(messages, ({ ragId, generation }) => `${ragId} ${generation}`);
  return [...indexes.values()].flatMap((files) =>
    toBatches(files, FILES_PER_MESSAGE).map((some) => bodyOf(some, texts)),
  );
}

function bodyOf(files: IndexMessage[], texts: Texts): IndexBody {
  const carried = files.flatMap(({ fileId }): [string, string][] => {
    const text = texts.get(fileId);
    return text === undefined ? [] : [[text.version, text.text]];
  });
  if (carried.length > 0) return { files, texts: Object.fromEntries(carried) };
  const [first] = files;
  return first !== undefined && files.length === 1 ? { ...first } : { files };
}

const encoder = new TextEncoder();

/** Splits messages into calls within the platform's limits. */
export const batchesOf = <Body>(bodies: Body[]): Body[][] =>
  splitBySize(
    bodies,
    { total: BATCH_BYTES, count: MESSAGES_PER_BATCH },
    (body) => encoder.encode(JSON.stringify(body)).byteLength,
  );
