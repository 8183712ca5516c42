import { resealSecrets } from "../../access/secrets/reseal-secrets.ts";
import { attempt } from "../../core/log.ts";
import type { IndexMessage, ScanMessage } from "../../core/queue-messages.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/time.ts";
import { awaitOrNull } from "../../core/work/deadline.ts";
import { purgeEvents } from "../../db/access/audit-store.ts";
import { purgeEndedGrants } from "../../db/access/grant-store.ts";
import { expireMembers } from "../../db/access/member-store.ts";
import { purgeExpired } from "../../db/access/session-store.ts";
import { listEndpoints, purgeTakenEvents } from "../../db/catalog/event-store.ts";
import { haveLimitsChanged } from "../../db/catalog/limit-store.ts";
import { keepNewestQueries, purgeQueries } from "../../db/evaluation/query-store.ts";
import { takeUnclaimedRuns } from "../../db/evaluation/run-store.ts";
import { forgetFiles, forgettableFiles } from "../../db/files/file-store.ts";
import { takeDueImages } from "../../db/files/image-store.ts";
import { releaseLimited, takeUnclaimedFiles } from "../../db/files/pending-files.ts";
import { purgeAudiences, findSourcesWithPendingChanges } from "../../db/files/reader-store.ts";
import { overdueRemovals } from "../../db/files/removal-store.ts";
import { takeUnappliedScopes } from "../../db/files/scope-work-store.ts";
import { expireProbes } from "../../db/generations/generation-store.ts";
import { expireClaims, listRemoved } from "../../db/maintenance/removed-resources-store.ts";
import { takeUnclaimedScans, takeDueSources } from "../../db/scans/scan-store.ts";
import type { Database } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import { filePrefix, removeBelow } from "../../sources/file-objects.ts";
import { continueCopies } from "../copies/copy-source.ts";
import { messageOf, queueBySize } from "../indexing/queue-by-size.ts";
import { sendReadersOrLater } from "../readers/record-readers.ts";
import { syncGroups } from "../readers/sync-groups.ts";
import { continueBuilds, dropRetiredIndexes } from "../rebuilds/build-generation.ts";
import { startWantedRebuilds } from "../rebuilds/reindex-rag.ts";
import { purgeInterruptedUploads } from "../removal/purge-replaced-contents.ts";
import { purgeReplacedContents } from "../removal/purge-replaced-contents.ts";
import { removeFromIndexes } from "../removal/remove-from-indexes.ts";
import { QUEUED_CLAIM_MS, SWEPT_CLAIM_MS, MAX_TRIES, timesFrom } from "../timeouts.ts";
import { syncVectors } from "../vector-sync/sync-vectors.ts";
import { keepWatches } from "../watches/keep-watches.ts";
import { checkEmbedders } from "./check-embedders.ts";
import { checkIndexes } from "./check-indexes.ts";

/** A larger number would fill the queue faster than it is processed. */
const FILES_PER_SWEEP = 1_000;
const FORGOTTEN_PER_SWEEP = 200;
/** By then, the message sent with the removal has had time to arrive. */
const PURGE_AGAIN_AFTER_MS = 5 * MINUTE_MS;

/** The steps of a sweep are waited for this long together, and each of the rest a moment. */
const SWEEP_MS = 40 * SECOND_MS;
const STEP_MS = SECOND_MS / 2;

/** However many days they are kept: a page of the panel reads all of them. */
const QUERIES_KEPT = 20_000;
const MINUTES_AN_HOUR = 60;

/** By then, whoever changed who may read files has updated the indexes. */
const READERS_SENT_WITHIN_MS = 20 * SECOND_MS;

const AUDIT_KEPT_MS = 90 * DAY_MS;
/** Longer than a try to index a file, which may have begun before the change. */
const LIMITS_CHANGED_WITHIN_MS = 5 * MINUTE_MS;

type Step = (services: Services) => Promise<void>;

/** Queues a message for each item that `take` reserves until the message has had time to arrive. */
const createQueueStep =
  <Item>(
    take: (db: Database, now: number, until: number) => Promise<Item[]>,
    messageFor: (item: Item) => ScanMessage,
    heldMs = SWEPT_CLAIM_MS,
  ): Step =>
  async ({ db, now, queue }) => {
    const at = now();
    await queue.scan((await take(db, at, at + heldMs)).map(messageFor));
  };

const queueDueScans = createQueueStep(takeDueSources, (fileSourceId) => {
  return { kind: "scan", fileSourceId, confirmRemovals: false, urls: null };
});
const continueScans = createQueueStep(
  takeUnclaimedScans,
  (scan) => ({ kind: "continue-scan", ...scan }),
  QUEUED_CLAIM_MS,
);
const applyScopes = createQueueStep(takeUnappliedScopes, (ragId) => {
  return { kind: "apply-scopes", ragId, after: null };
});
const continueRuns = createQueueStep(takeUnclaimedRuns, (runId) => ({ kind: "evaluate", runId }));

/** Lost work comes first: nothing that stalls may stand before it. */
const STEPS: [name: string, step: Step][] = [
  ["files that wait for a limit", releaseAfterChange],
  ["files", async (services) => void (await queueUnclaimedFiles(services))],
  ["pictures", queueDueImages],
  ["scans", continueScans],
  ["removals", finishRemovals],
  ["readers", sendPendingReaders],
  ["replaced contents", purgeReplacedContents],
  ["interrupted uploads", purgeInterruptedUploads],
  ["scopes", applyScopes],
  ["copies", continueCopies],
  ["evaluations", continueRuns],
  ["events", keepEvents],
  ["removed resources", queuePurges],
  ["forgotten files", forgetDeletedFiles],
  ["expired rows", ({ db, now }) => purgeExpired(db, now())],
  ["disconnected programs", ({ db, now }) => purgeEndedGrants(db, now())],
  ["audit trail", ({ db, now }) => purgeEvents(db, now() - AUDIT_KEPT_MS)],
  ["kept queries, unused audiences", purgeUnused],
  ["secrets", resealSecrets],
  ["indexes", checkIndexes],
  ["rebuilds", startWantedRebuilds],
  ["builds", continueBuilds],
  ["embedding models", checkEmbedders],
  ["retired indexes", dropRetiredIndexes],
  ["watches", keepWatches],
  ["groups", syncGroups],
  [
    "people with programs",
    async (services) =>
      (await import("../../access/openid/recheck-session.ts")).recheckDueSessions(services),
  ],
  // This step makes the most calls to other services, which are limited per invocation.
  ["vectors", syncVectors],
];

/**
 * Reclaims work whose worker or message was lost, finishes what was interrupted, and deletes
 * expired data. A failing step does not stop the others, and a stalling one does not hold them: the
 * clock's next minute begins when this one has ended.
 */
export async function sweep(services: Services, withinMs = SWEEP_MS): Promise<void> {
  const until = Date.now() + withinMs;
  for (const [name, step] of STEPS) {
    const work = attempt(services.log, "sweep step failed", { step: name }, () => step(services));
    const end = work.then(() => true);
    const hasEnded = await awaitOrNull(end, Math.max(until - Date.now(), STEP_MS));
    if (hasEnded === null)
      services.log.error("sweep step goes on in the background", { step: name });
  }
}

/** Files whose pictures are tried again, or wait for a model that was chosen since. */
async function queueDueImages({ db, now, queue }: Services): Promise<void> {
  await queue.index(await takeDueImages(db, timesFrom(now()), FILES_PER_SWEEP));
}

async function finishRemovals(services: Services): Promise<void> {
  const times = timesFrom(services.now());
  await removeFromIndexes(services, await overdueRemovals(services.db, times, FILES_PER_SWEEP));
}

async function sendPendingReaders(services: Services): Promise<void> {
  const before = services.now() - READERS_SENT_WITHIN_MS;
  for (const id of await findSourcesWithPendingChanges(services.db, before))
    await sendReadersOrLater(services, id);
}

const KILLED = "reading it stopped the service twice; split it into several, or leave it out";

/**
 * Suspects come last, each in a message of its own: after a restart, after all other files.
 * Returns false when there may be more files; a restart repeats the step until there are none.
 */
export async function queueUnclaimedFiles(
  services: Services,
  suspects: IndexMessage[] | null = null,
): Promise<boolean> {
  const now = services.now();
  const messages = await takeUnclaimedFiles(services.db, {
    now,
    claimedUntil: now + SWEPT_CLAIM_MS,
    limit: FILES_PER_SWEEP,
    maxTries: MAX_TRIES,
    reason: `indexing did not finish after ${MAX_TRIES} tries`,
    killedReason: KILLED,
  });
  const suspectMessages = messages.filter(({ isSuspect }) => isSuspect).map(messageOf);
  const ordinary = messages.filter(({ isSuspect }) => !isSuspect);
  await queueBySize(services, ordinary);
  if (suspects !== null) suspects.push(...suspectMessages);
  else if (suspectMessages.length > 0) await services.queue.index(suspectMessages);
  return messages.length < FILES_PER_SWEEP;
}

/** A directory that is down for a day changes nothing; older members may have left. */
const MEMBERS_COUNT_MS = 2 * DAY_MS;

async function purgeUnused({ config, db, now }: Services): Promise<void> {
  const at = now();
  await purgeQueries(db, at - config.KEEP_QUERIES_DAYS * DAY_MS);
  // These read an entry for each: once an hour is enough.
  if (Math.floor(at / MINUTE_MS) % MINUTES_AN_HOUR !== 0) return;
  await keepNewestQueries(db, QUERIES_KEPT);
  await purgeAudiences(db);
  await expireMembers(db, at - MEMBERS_COUNT_MS, "its members could not be read for two days");
}

/** A worker that was refused before a change of limits may have said so after it. */
async function releaseAfterChange({ db, now }: Services): Promise<void> {
  const at = now();
  if (await haveLimitsChanged(db, at - LIMITS_CHANGED_WITHIN_MS)) await releaseLimited(db, at - 1);
}

/** A sender sets its own alarm: this wakes one that has lost it. */
async function keepEvents({ db, wakeSender }: Services): Promise<void> {
  await purgeTakenEvents(db);
  const enabled = (await listEndpoints(db)).filter((endpoint) => endpoint.enabled);
  await Promise.all(enabled.map(({ id }) => wakeSender(id)));
}

async function queuePurges(services: Services): Promise<void> {
  const before = services.now() - PURGE_AGAIN_AFTER_MS;
  const { rags, sources } = await listRemoved(services.db, before);
  await services.queue.scan([
    ...rags.map((ragId) => ({ kind: "purge-rag" as const, ragId })),
    ...sources.map((fileSourceId) => ({ kind: "purge-source" as const, fileSourceId })),
  ]);
}

/** Rows first: a file that is pushed again keeps its row, and with it its stored objects. */
async function forgetDeletedFiles({ config, db, files, now }: Services): Promise<void> {
  const before = now() - config.DELETED_FILES_DAYS * DAY_MS;
  const forgettable = await forgettableFiles(db, before, FORGOTTEN_PER_SWEEP);
  if (forgettable.length === 0) return;
  const ids = forgettable.map(({ id }) => id);
  const forgotten = new Set(await forgetFiles(db, ids, before));
  for (const { id, sourceId } of forgettable) {
    if (forgotten.has(id)) await removeBelow(files, filePrefix(sourceId, id));
  }
}

/** Runs once a minute: queues the scans that are due and runs the sweep. */
export async function runScheduledWork(services: Services): Promise<void> {
  await attempt(services.log, "due scans failed", {}, () => queueDueScans(services));
  await sweep(services);
}

/** After a local server was killed: its queues were in memory, so all pending work is queued. */
export async function recoverAfterRestart(services: Services): Promise<void> {
  await expireClaims(services.db);
  await expireProbes(services.db);
  const suspects: IndexMessage[] = [];
  while (!(await queueUnclaimedFiles(services, suspects)));
  if (suspects.length > 0) await services.queue.index(suspects);
  await runScheduledWork(services);
}
