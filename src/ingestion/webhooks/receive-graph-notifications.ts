import { z } from "zod";

import type { Services } from "../../services.ts";
import { receiveNotifications, type Notification } from "./receive-notification.ts";

/** Each costs a hash. What further ones tell is found by the interval. */
const NOTIFICATIONS_MAX = 100;

const LIFECYCLE = new Map<string, Notification["event"]>([
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

/** Takes up what Graph sent in one call. What is not understood is ignored. */
export async function receiveGraphNotifications(
  services: Pick<Services, "db" | "now" | "debounceDriveScan">,
  body: string,
): Promise<void> {
  const all = collection.safeParse(parsedJson(body)).data?.value ?? [];
  const distinct = new Map<string, Notification>();
  for (const each of all) {
    const known = notificationOf(each);
    if (known === null || distinct.size >= NOTIFICATIONS_MAX) continue;
    distinct.set(`${known.watchId} ${known.event} ${known.token}`, known);
  }
  await receiveNotifications(services, [...distinct.values()]);
}

function notificationOf(value: unknown): Notification | null {
  const parsed = notification.safeParse(value);
  if (!parsed.success) return null;
  const { subscriptionId: watchId, clientState: token, lifecycleEvent } = parsed.data;
  const event = lifecycleEvent ? LIFECYCLE.get(lifecycleEvent) : "changed";
  return event === undefined ? null : { watchId, token, resourceId: null, event };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
