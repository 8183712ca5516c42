import { isStorageFailure, reasonOf } from "../core/errors.ts";
import type { IndexMessage } from "../core/queue-messages.ts";
import { SECOND_MS } from "../core/time.ts";
import { splitBySize } from "../core/work/batches.ts";
import { claimPending } from "../db/files/pending-files.ts";
import { indexFiles } from "../ingestion/indexing/index-files.ts";
import { workBudget, type WorkBudget } from "../ingestion/indexing/work-budget.ts";
import { MAX_TRIES, SWEPT_CLAIM_MS } from "../ingestion/timeouts.ts";
import type { Services } from "../services.ts";
import { indexMessage, parseMessages, type IndexWork, type ParsedMessage } from "./messages.ts";

/** Retry delay when the database itself failed, seconds. */
const WHOLE_BATCH_RETRY_SECONDS = 10;

/** Files that are claimed at once; if their worker dies, each of them is a suspect. */
const FILES_AT_ONCE = 100;

/** Processes a batch of index messages; a failing file delays only itself. */
export async function consumeIndexMessages(services: Services, messages: readonly Message[]) {
  const parsed = parseMessages(services.log, indexMessage, messages);
  const budget = workBudget(services.now);
  const parts = splitBySize(
    parsed,
    { total: FILES_AT_ONCE },
    ({ content }) => content.files.length,
  );
  for (const [at, some] of parts.entries()) {
    if (at > 0 && !budget.mayWait()) await postpone(services, some);
    else await consumeBatch(services, some, budget);
  }
}

/** The time is over: files that were not claimed are queued again, and still share messages. */
async function postpone(services: Services, parsed: ParsedFiles[]): Promise<void> {
  const { alone = [], shared = [] } = Object.groupBy(parsed, ({ content }) =>
    content.files.length > 1 ? "shared" : "alone",
  );
  await queueAgain(services, alone, { together: false });
  await queueAgain(services, shared, { together: true });
}

/** The files' claims are renewed first, or the sweep would send each of them a second message. */
async function queueAgain(
  { db, log, now, queue }: Services,
  parsed: ParsedFiles[],
  how: { together: boolean },
): Promise<void> {
  if (parsed.length === 0) return;
  const files = parsed.flatMap(({ content }) => content.files);
  try {
    await claimPending(db, files, now() + SWEPT_CLAIM_MS);
    await queue.index(files, how);
    for (const { message } of parsed) message.ack();
  } catch (thrown) {
    log.error("index messages not postponed", { reason: reasonOf(thrown) });
    for (const { message } of parsed) message.retry({ delaySeconds: WHOLE_BATCH_RETRY_SECONDS });
  }
}

type ParsedFiles = ParsedMessage<IndexWork>;

async function consumeBatch(services: Services, parsed: ParsedFiles[], budget: WorkBudget) {
  const files = parsed.flatMap(({ content }) => content.files);
  const work = new Map(files.map((file) => [keyOf(file), file]));
  try {
    const texts = new Map(parsed.flatMap(({ content }) => [...content.texts]));
    const retries = await indexFiles(services, [...work.values()], budget, texts);
    const delays = new Map(retries.map(({ message, delayMs }) => [keyOf(message), delayMs]));
    for (const message of parsed) await acknowledgeOrRetry(services, message, delays);
  } catch (thrown) {
    services.log.error("index batch failed", { reason: reasonOf(thrown) });
    for (const { message } of parsed) {
      // Files are not given up because of the storage: once it works, the sweep queues them.
      if (isStorageFailure(thrown) && message.attempts >= MAX_TRIES) message.ack();
      else message.retry({ delaySeconds: WHOLE_BATCH_RETRY_SECONDS });
    }
  }
}

const keyOf = ({ ragId, fileId, revision, generation }: IndexMessage) =>
  `${ragId} ${generation} ${fileId} ${revision}`;

/** Files of a message that are to be tried again get messages of their own. */
async function acknowledgeOrRetry(
  { queue }: Services,
  { message, content }: ParsedFiles,
  delays: Map<string, number>,
): Promise<void> {
  const waits = content.files.flatMap((file) => {
    const delayMs = delays.get(keyOf(file));
    return delayMs === undefined ? [] : [{ file, delaySeconds: Math.ceil(delayMs / SECOND_MS) }];
  });
  const [first] = waits;
  // A message of its own last try would be given up, and its file with it.
  if (first !== undefined && content.files.length === 1 && message.attempts < MAX_TRIES) {
    return message.retry({ delaySeconds: first.delaySeconds });
  }
  if (waits.length > 0) {
    const delaySeconds = Math.max(...waits.map((retry) => retry.delaySeconds));
    const files = waits.map(({ file }) => file);
    await queue.index(files, { delaySeconds });
    // Another message of the batch may name the file, too.
    for (const file of files) delays.delete(keyOf(file));
  }
  message.ack();
}
