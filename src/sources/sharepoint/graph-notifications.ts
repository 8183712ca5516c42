import { z } from "zod";

import { invalidField } from "../../core/errors.ts";
import { parsedJson } from "../../core/input/parsed-json.ts";
import type { WatchNotification } from "../../ports/source-watcher.ts";
import type { NotificationCall } from "../source-manifest.ts";

export const GRAPH_WEBHOOK = "/api/webhooks/graph";

const MAX_VALIDATION_TOKEN_LENGTH = 2_048;
/** Each costs a hash. What further ones tell is found by the interval. */
const MAX_NOTIFICATIONS = 100;

const LIFECYCLE = new Map<string, WatchNotification["event"]>([
  ["reauthorizationRequired", "expiring"],
  ["subscriptionRemoved", "ended"],
  ["missed", "changed"],
]);

/*
 * https://learn.microsoft.com/graph/api/resources/changenotificationcollection
 * https://learn.microsoft.com/graph/change-notifications-lifecycle-events
 */
const notification = z.object({
  subscriptionId: z.string(),
  clientState: z.string(),
  lifecycleEvent: z.string().nullish(),
});
const collection = z.object({ value: z.array(z.unknown()) });

/**
 * Graph calls the address once before it grants a subscription, and expects the token back as
 * plain text.
 * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 */
export async function graphNotifications(
  call: NotificationCall,
): Promise<WatchNotification[] | string> {
  const token = call.query("validationToken");
  if (token === undefined) return notificationsIn(await call.text());
  if (token.length > MAX_VALIDATION_TOKEN_LENGTH)
    throw invalidField("validationToken", "is too long");
  return token;
}

function notificationsIn(body: string): WatchNotification[] {
  const all = collection.safeParse(parsedJson(body)).data?.value ?? [];
  const distinct = new Map<string, WatchNotification>();
  for (const each of all) {
    const notification = notificationOf(each);
    if (notification === null || distinct.size >= MAX_NOTIFICATIONS) continue;
    distinct.set(
      `${notification.watchId} ${notification.event} ${notification.token}`,
      notification,
    );
  }
  return [...distinct.values()];
}

function notificationOf(value: unknown): WatchNotification | null {
  const parsed = notification.safeParse(value);
  if (!parsed.success) return null;
  const { subscriptionId: watchId, clientState: token, lifecycleEvent } = parsed.data;
  const event = lifecycleEvent ? LIFECYCLE.get(lifecycleEvent) : "changed";
  return event === undefined ? null : { watchId, token, resourceId: null, event };
}
