import { SECOND_MS } from "../core/time.ts";
import { reasonOf } from "../core/errors.ts";
import { indexFiles } from "../ingestion/indexing/index-files.ts";
import type { IndexMessage } from "../ports/job-queue.ts";
import type { Services } from "../services.ts";
import { indexMessage, parseMessages } from "./messages.ts";
import type { Parsed } from "./messages.ts";

/** Retry delay when the database itself failed, seconds. */
const WHOLE_BATCH_RETRY_SECONDS = 10;

/** Processes a batch of index messages together; a failing file delays only itself. */
export async function consumeIndexMessages(
  services: Services,
  messages: readonly Message[],
): Promise<void> {
  const parsed = parseMessages(services.log, indexMessage, messages);
  const work = new Map(parsed.map(({ content }) => [keyOf(content), content]));
  try {
    const again = await indexFiles(services, [...work.values()]);
    const delays = new Map(again.map(({ message, delayMs }) => [keyOf(message), delayMs]));
    for (const one of parsed) acknowledgeOrRetry(one, delays);
  } catch (thrown) {
    services.log.error("index batch failed", { reason: reasonOf(thrown) });
    for (const { message } of parsed) message.retry({ delaySeconds: WHOLE_BATCH_RETRY_SECONDS });
  }
}

const keyOf = ({ ragId, fileId, revision, generation }: IndexMessage) =>
  `${ragId} ${generation} ${fileId} ${revision}`;

function acknowledgeOrRetry(
  { message, content }: Parsed<IndexMessage>,
  delays: Map<string, number>,
): void {
  const delayMs = delays.get(keyOf(content));
  if (delayMs === undefined) message.ack();
  else message.retry({ delaySeconds: Math.ceil(delayMs / SECOND_MS) });
}
