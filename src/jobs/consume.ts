import { reasonOf } from "../core/errors.ts";
import { scanMessage, type ScanMessage } from "../core/queue-messages.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { giveUpFiles } from "../db/files/finish-files.ts";
import { giveUpScan } from "../db/scans/scan-store.ts";
import { continueCopy } from "../ingestion/copies/copy-source.ts";
import { continueBuild } from "../ingestion/rebuilds/build-generation.ts";
import { startRebuild } from "../ingestion/rebuilds/reindex-rag.ts";
import { purgeRag, purgeSource } from "../ingestion/removal/purge-removed-resources.ts";
import { applyScopesToFiles } from "../ingestion/scanning/apply-scopes-to-files.ts";
import { continueScan, startScan } from "../ingestion/scanning/scan-source.ts";
import { MAX_TRIES, backOffMs } from "../ingestion/timeouts.ts";
import type { Services } from "../services.ts";
import { consumeIndexMessages } from "./consume-index-messages.ts";
import { foldUsage } from "./fold-usage.ts";
import { parseUsage, indexMessage, parseMessages, type ParsedMessage } from "./messages.ts";

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

const AGAIN_AFTER_MS = 15 * MINUTE_MS;
const AGAIN_AFTER_SECONDS = 10 * 60;

/** Marks as failed the files whose messages were given up. If it throws, the batch is redelivered. */
async function consumeDeadIndexMessages(services: Services, messages: readonly Message[]) {
  const parsed = parseMessages(services.log, indexMessage, messages);
  const files = parsed.flatMap(({ content }) => content.files);
  const reason = `indexing did not finish after ${MAX_TRIES} tries`;
  await giveUpFiles(services.db, files, { reason, now: services.now() });
  services.log.error("index messages given up", { count: files.length });
}

/** Records a given-up scan as failed on its run; other work is queued again later. */
async function consumeDeadScanMessages(services: Services, messages: readonly Message[]) {
  for (const { message, content } of parseMessages(services.log, scanMessage, messages)) {
    await giveUp(services, content);
    message.ack();
  }
}

async function giveUp(services: Services, message: ScanMessage): Promise<void> {
  services.log.error("scan message given up", { kind: message.kind });
  if (message.kind !== "scan" && message.kind !== "continue-scan") {
    return await services.queue.scan(message, AGAIN_AFTER_SECONDS);
  }
  const now = services.now();
  await giveUpScan(services.db, message.fileSourceId, {
    runId: message.kind === "continue-scan" ? message.runId : null,
    reason: `the scan did not finish after ${MAX_TRIES} tries`,
    now,
    nextScanAt: now + AGAIN_AFTER_MS,
  });
}

async function consumeScanMessages(services: Services, messages: readonly Message[]) {
  const parsed = parseMessages(services.log, scanMessage, messages);
  for (const message of parsed) await consumeOne(services, message);
}

async function consumeOne(services: Services, { message, content }: ParsedMessage<ScanMessage>) {
  try {
    await work(services, content);
    message.ack();
  } catch (thrown) {
    services.log.error("scan message failed", {
      kind: content.kind,
      reason: reasonOf(thrown),
      attempts: message.attempts,
    });
    const delayMs = backOffMs(message.attempts) ?? 0;
    message.retry({ delaySeconds: Math.ceil(delayMs / SECOND_MS) });
  }
}

async function work(services: Services, message: ScanMessage): Promise<void> {
  switch (message.kind) {
    case "scan":
      return await startScan(services, message);
    case "continue-scan":
      return await continueScan(services, message);
    case "apply-scopes":
      return await applyScopesToFiles(services, message);
    case "reindex":
      return void (await startRebuild(services, message));
    case "build":
      return await continueBuild(services, message.ragId);
    case "purge-rag":
      return await purgeRag(services, message.ragId);
    case "purge-source":
      return await purgeSource(services, message.fileSourceId);
    case "copy-source":
      return await continueCopy(services, message);
    case "evaluate": {
      const { workOnRun } = await import("../evaluation/runs/work-on-run.ts");
      return await workOnRun(services, message.runId);
    }
  }
}
