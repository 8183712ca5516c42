import {
  deleteWatch,
  findWatch,
  learnResourceId,
  makeRenewalDue,
  makeWatchesDue,
} from "../../db/scans/watch-store.ts";
import type { Services } from "../../services.ts";
import { isAuthentic } from "./authentic-notification.ts";

export type Notification = {
  /** The provider's id of the watch. */
  watchId: string;
  /** The secret that was given with the watch. */
  token: string;
  /** What is watched, as the provider names it; null where the notification does not say. */
  resourceId: string | null;
  /**
   * `opened`: the watch began, nothing changed. `expiring`: it must be renewed now. `ended`: the
   * provider removed it.
   */
  event: "opened" | "changed" | "expiring" | "ended";
};

/**
 * A provider reports on a watch. A change leads to one scan after 10 seconds, however many are
 * reported until then. An unknown or expired watch, a wrong token or resource is ignored.
 */
export async function receiveNotification(
  services: Pick<Services, "db" | "now" | "debounceDriveScan">,
  notification: Notification,
): Promise<void> {
  const { db } = services;
  const { watchId, resourceId, event } = notification;
  const now = services.now();
  const watch = watchId === "" ? null : await findWatch(db, watchId);
  if (watch === null || !(await isAuthentic(notification, watch, now))) return;
  if (resourceId !== null && watch.resourceId === null) {
    await learnResourceId(db, watchId, resourceId);
  }
  if (event === "opened") return;
  if (event === "ended") await deleteWatch(db, watchId);
  if (event === "expiring") await makeRenewalDue(db, watchId);
  if (event !== "changed") await makeWatchesDue(db, watch.sourceId, now);
  // Changes may have been missed by a watch that ended.
  if (event !== "expiring") await services.debounceDriveScan(watch.sourceId);
}
