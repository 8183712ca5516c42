import { equalInConstantTime, sha256Hex } from "../../core/hash.ts";
import type { FileSourceId } from "../../core/ids.ts";
import { deleteWatch, findWatches, makeWatchesDue } from "../../db/scans/watch-store.ts";
import { updateWatch } from "../../db/scans/watch-store.ts";
import type { StoredWatch } from "../../db/scans/watch-store.ts";
import type { Database } from "../../db/sql.ts";
import type { WatchNotification } from "../../ports/source-watcher.ts";
import type { Services } from "../../services.ts";

/**
 * A change that a provider reports leads to one scan after 10 seconds, however many are reported
 * until then; with `startsAtOnce`, the first also leads to one at once. An unknown or expired watch
 * and a wrong token or resource are ignored. A call costs one read of the database.
 */
export async function receiveNotifications(
  services: Pick<Services, "db" | "now" | "debounceDriveScan">,
  notifications: WatchNotification[],
  startsAtOnce = false,
) {
  const { db } = services;
  const watchIds = [...new Set(notifications.map(({ watchId }) => watchId))].filter(Boolean);
  if (watchIds.length === 0) return;
  const now = services.now();
  const watches = new Map((await findWatches(db, watchIds)).map((watch) => [watch.id, watch]));
  const due = new Set<FileSourceId>();
  const changed = new Set<FileSourceId>();
  for (const notification of notifications) {
    const watch = watches.get(notification.watchId);
    if (watch === undefined || !(await isAuthentic(notification, watch, now))) continue;
    const { isDue, isChanged } = await apply(db, notification, watch);
    if (isDue) due.add(watch.sourceId);
    if (isChanged) changed.add(watch.sourceId);
  }
  for (const sourceId of due) await makeWatchesDue(db, sourceId, now);
  for (const sourceId of changed) await services.debounceDriveScan(sourceId, startsAtOnce);
}

/** Updates the watch. Returns whether to look after the source's watches, and whether to scan it. */
async function apply(db: Database, { resourceId, event }: WatchNotification, watch: StoredWatch) {
  const isLearnt = resourceId !== null && watch.resourceId === null;
  // The provider names the resource in its first notification, which may precede its answer.
  if (isLearnt) await updateWatch(db, watch.id, { resourceId });
  if (event === "ended") await deleteWatch(db, watch.id);
  if (event === "expiring") await updateWatch(db, watch.id, { startedAt: 0 });
  return {
    // A watch whose start had no answer can be stopped now that it is known.
    isDue: event === "ended" || event === "expiring" || (isLearnt && watch.endsAt !== null),
    // Changes may have been missed by a watch that ended.
    isChanged: event === "ended" || event === "changed",
  };
}

/** Whether a notification is of this watch: not expired, about its resource, with its secret. */
async function isAuthentic(
  { token, resourceId }: { token: string; resourceId: string | null },
  watch: StoredWatch,
  now: number,
): Promise<boolean> {
  const isOfIt = resourceId === null || watch.resourceId === null;
  if (watch.expiresAt <= now || !(isOfIt || resourceId === watch.resourceId)) return false;
  return await equalInConstantTime(await sha256Hex(token), watch.tokenHash);
}
