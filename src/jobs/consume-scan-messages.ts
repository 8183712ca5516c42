import { SECOND_MS } from "../core/time.ts";
import { reasonOf } from "../core/errors.ts";
import { applyScopesToFiles } from "../ingestion/scanning/apply-scopes-to-files.ts";
import { purgeRag, purgeSource } from "../ingestion/removal/purge-removed-resources.ts";
import { backOffMs } from "../ingestion/timeouts.ts";
import { continueBuild } from "../ingestion/rebuilds/build-generation.ts";
import { startRebuild } from "../ingestion/rebuilds/reindex-rag.ts";
import { continueScan, startScan } from "../ingestion/scanning/scan-source.ts";
import { scanMessage, type ScanMessage } from "../core/queue-messages.ts";
import type { Services } from "../services.ts";
import { parseMessages, type Parsed } from "./messages.ts";

export async function consumeScanMessages(services: Services, messages: readonly Message[]) {
  const parsed = parseMessages(services.log, scanMessage, messages);
  for (const one of parsed) await consumeOne(services, one);
}

async function consumeOne(services: Services, { message, content }: Parsed<ScanMessage>) {
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
      return await startRebuild(services, message);
    case "build":
      return await continueBuild(services, message.ragId);
    case "purge-rag":
      return await purgeRag(services, message.ragId);
    case "purge-source":
      return await purgeSource(services, message.fileSourceId);
    case "evaluate": {
      const { workOnRun } = await import("../evaluation/runs/work-on-run.ts");
      return await workOnRun(services, message.runId);
    }
  }
}
