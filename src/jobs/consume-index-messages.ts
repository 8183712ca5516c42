import { SECOND_MS } from "../core/clock.ts";
import { reasonOf } from "../core/errors.ts";
import { indexFiles } from "../ingestion/indexing/index-files.ts";
import type { IndexMessage } from "../ports/job-queue.ts";
import type { Services } from "../services.ts";
import { indexMessage } from "./messages.ts";

/** When the database itself failed, seconds. */
const WHOLE_BATCH_RETRY_SECONDS = 10;

/** Works a batch of index messages together; a failing file delays itself only. */
export async function consumeIndexMessages(
  services: Services,
  messages: readonly Message[],
): Promise<void> {
  const work = new Map<string, IndexMessage>();
  for (const { body } of messages) {
    const parsed = indexMessage.safeParse(body);
    if (parsed.success) work.set(keyOf(parsed.data), parsed.data);
    else services.log.error("index message not understood");
  }
  try {
    const again = await indexFiles(services, [...work.values()]);
    const delays = new Map(again.map(({ message, delayMs }) => [keyOf(message), delayMs]));
    for (const message of messages) settle(message, delays);
  } catch (thrown) {
    services.log.error("index batch failed", { reason: reasonOf(thrown) });
    for (const message of messages) message.retry({ delaySeconds: WHOLE_BATCH_RETRY_SECONDS });
  }
}

const keyOf = ({ ragId, fileId, revision, generation }: IndexMessage) =>
  `${ragId} ${fileId} ${revision} ${generation ?? "live"}`;

function settle(message: Message, delays: Map<string, number>): void {
  const parsed = indexMessage.safeParse(message.body);
  const delayMs = parsed.success ? delays.get(keyOf(parsed.data)) : undefined;
  if (delayMs === undefined) message.ack();
  else message.retry({ delaySeconds: Math.ceil(delayMs / SECOND_MS) });
}
