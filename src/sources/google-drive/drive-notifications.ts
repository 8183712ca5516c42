import type { WatchNotification } from "../../ports/source-watcher.ts";
import type { NotificationCall } from "../source-manifest.ts";

export const DRIVE_WEBHOOK = "/api/webhooks/drive";

/**
 * The state that Google sends when a channel is opened.
 * https://developers.google.com/workspace/drive/api/guides/push
 */
const OPENING_STATE = "sync";

export async function driveNotifications(call: NotificationCall): Promise<WatchNotification[]> {
  const header = (name: string) =>
    call.header(`X-Drive-${name}`) ?? call.header(`X-Goog-${name}`) ?? "";
  const state = header("Resource-State");
  if (state === "") return [];
  const watchId = header("Channel-ID");
  const event = state === OPENING_STATE ? "opened" : "changed";
  const resourceId = header("Resource-ID") || null;
  return [{ watchId, token: header("Channel-Token"), resourceId, event }];
}
