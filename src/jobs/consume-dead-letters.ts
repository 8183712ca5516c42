import { MINUTE_MS } from "../core/time.ts";
import { giveUpFiles } from "../db/files/finish-files.ts";
import { giveUpScan } from "../db/scans/scan-store.ts";
import { MAX_TRIES } from "../ingestion/timeouts.ts";
import { scanMessage, type ScanMessage } from "../core/queue-messages.ts";
import type { Services } from "../services.ts";
import { indexMessage, parseMessages } from "./messages.ts";

const AGAIN_AFTER_MS = 15 * MINUTE_MS;
const AGAIN_AFTER_SECONDS = 10 * 60;

/** Marks as failed the files whose messages were given up. If it throws, the batch is redelivered. */
export async function consumeDeadIndexMessages(services: Services, messages: readonly Message[]) {
  const parsed = parseMessages(services.log, indexMessage, messages);
  const known = parsed.flatMap(({ content }) => content.files);
  const reason = `indexing did not finish after ${MAX_TRIES} tries`;
  await giveUpFiles(services.db, known, { reason, now: services.now() });
  services.log.error("index messages given up", { count: known.length });
}

/** Records a given-up scan as failed on its run; other work is queued again later. */
export async function consumeDeadScanMessages(services: Services, messages: readonly Message[]) {
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
