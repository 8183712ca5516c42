import type { Services } from "../services.ts";
import { consumeDeadIndexMessages, consumeDeadScanMessages } from "./consume-dead-letters.ts";
import { consumeIndexMessages } from "./consume-index-messages.ts";
import { consumeScanMessages } from "./consume-scan-messages.ts";
import { foldUsage } from "./fold-usage.ts";
import { parseUsage } from "./messages.ts";

/**
 * Passes a batch to the consumer of its queue. Index and scan messages are acknowledged or retried
 * one by one; if a consumer throws, the whole batch is redelivered. One log line per batch gives
 * the age of its oldest message since it was sent, retries included.
 */
export async function consume(services: Services, batch: MessageBatch): Promise<void> {
  const { queue, messages } = batch;
  const { now } = services;
  const startedAt = now();
  const log = services.log.with({ queue });
  const sentAt = messages.map(({ timestamp }) => timestamp.getTime());
  const oldestMs = Math.max(0, startedAt - Math.min(startedAt, ...sentAt));
  let ok = false;
  try {
    await handOver({ ...services, log }, batch);
    ok = true;
  } finally {
    const durationMs = now() - startedAt;
    log.info("batch", { messages: messages.length, oldestMs, durationMs, ok });
  }
}

async function handOver(services: Services, batch: MessageBatch): Promise<void> {
  const { queue, messages } = batch;
  if (queue.endsWith("-scan")) return await consumeScanMessages(services, messages);
  if (queue.endsWith("-index")) return await consumeIndexMessages(services, messages);
  if (queue.endsWith("-scan-dead")) return await consumeDeadScanMessages(services, messages);
  if (queue.endsWith("-index-dead")) return await consumeDeadIndexMessages(services, messages);
  // Usage that could not be folded is retried from the dead-letter queue.
  await foldUsage(services, parseUsage(services.log, messages));
}
