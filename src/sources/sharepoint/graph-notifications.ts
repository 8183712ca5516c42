import { z } from "zod";

import { invalidField } from "../../core/errors.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import type { WatchNotification } from "../../ports/source-watcher.ts";
import type { NotificationCall } from "../source-manifest.ts";

export const GRAPH_WEBHOOK = "/api/webhooks/graph";

const MAX_VALIDATION_TOKEN_LENGTH = 2_048;
/** Each costs a hash. What further ones report is found by the interval. */
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
const notification = z
  .object({
    subscriptionId: z.string(),
    clientState: z.string(),
    lifecycleEvent: z.string().nullish(),
  })
  .transform(({ subscriptionId: watchId, clientState: token, lifecycleEvent }) => {
    const event = lifecycleEvent ? LIFECYCLE.get(lifecycleEvent) : "changed";
    return event === undefined ? null : { watchId, token, resourceId: null, event };
  });
const collection = z.object({ value: z.array(notification.nullable().catch(null)) });

/**
 * Graph calls the address once before it grants a subscription, and expects the token back as
 * plain text.
 * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 */
export async function graphNotifications(call: NotificationCall) {
  const token = call.query("validationToken");
  if (token === undefined) return notificationsIn(await call.text());
  if (token.length > MAX_VALIDATION_TOKEN_LENGTH)
    throw invalidField("validationToken", "is too long");
  return token;
}

function notificationsIn(body: string): WatchNotification[] {
  const all = collection.safeParse(parseJson(body)).data?.value ?? [];
  const notifications = all.filter((each) => each !== null);
  const distinct = new Map(notifications.map((each) => [JSON.stringify(each), each]));
  return [...distinct.values()].slice(0, MAX_NOTIFICATIONS);
}
