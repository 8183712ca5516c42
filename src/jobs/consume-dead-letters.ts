import { MINUTE_MS } from "../core/clock.ts";
import { giveUpFiles, giveUpScan } from "../db/files/dead-letter-store.ts";
import { giveUpBuilding, isBuildMessage } from "../db/generations/generation-file-store.ts";
import { MAX_TRIES } from "../ingestion/retry-policy.ts";
import type { ScanMessage } from "../ports/job-queue.ts";
import type { Services } from "../services.ts";
import { indexMessage, scanMessage } from "./messages.ts";

const AGAIN_AFTER_MS = 15 * MINUTE_MS;
const AGAIN_AFTER_SECONDS = 10 * 60;

/** What was delivered in vain says so on its file. Throwing here delivers the batch again. */
export async function consumeDeadIndexMessages(
  services: Services,
  messages: readonly Message[],
): Promise<void> {
  const known = messages.flatMap(({ body }) => indexMessage.safeParse(body).data ?? []);
  const reason = `indexing did not finish after ${MAX_TRIES} tries`;
  const of = { reason, now: services.now() };
  const live = known.filter((message) => !isBuildMessage(message));
  await giveUpFiles(services.db, live, of);
  await giveUpBuilding(services.db, known.filter(isBuildMessage), of);
  services.log.error("index messages given up", { count: messages.length });
}

/** A scan says so on its run; work without an end of its own is begun again later. */
export async function consumeDeadScanMessages(
  services: Services,
  messages: readonly Message[],
): Promise<void> {
  for (const message of messages) {
    const { data } = scanMessage.safeParse(message.body);
    if (data !== undefined) await giveUp(services, data);
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
