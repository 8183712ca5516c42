import { z } from "zod";

import { MINUTE_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { SourceWatcher, Watch, WatchRequest } from "../../ports/source-watcher.ts";
import { GRAPH_WEBHOOK } from "./graph-notifications.ts";
import type { ApiClient, ApiReply } from "../api-client.ts";

/*
 * https://learn.microsoft.com/graph/api/resources/subscription
 * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 */
/** Graph allows 42,300 minutes for a drive; its clock may be behind ours. */
const LIFE_MS = 42_000 * MINUTE_MS;

const subscription = z.object({
  id: z.string().min(1),
  expirationDateTime: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
});
const nothing = z.unknown();

/** Watches the root of each drive, which is all that Graph offers. */
export function graphWatcher(
  client: ApiClient,
  now: Now,
  driveIds: (signal: AbortSignal) => Promise<string[]>,
): SourceWatcher {
  const watchOf = ({ id, expirationDateTime }: z.infer<typeof subscription>): Watch => ({
    id,
    resourceId: null,
    expiresAt: expirationDateTime,
  });
  const expiration = () => new Date(now() + LIFE_MS).toISOString();

  return {
    targets: driveIds,

    async start(driveId, { token, baseUrl }: WatchRequest, signal): Promise<Watch> {
      const address = `${baseUrl}${GRAPH_WEBHOOK}`;
      const body = {
        changeType: "updated",
        notificationUrl: address,
        lifecycleNotificationUrl: address,
        resource: `/drives/${driveId}/root`,
        expirationDateTime: expiration(),
        clientState: token,
      };
      const asked = await client.ask(subscription, client.address("subscriptions"), signal, {
        body,
      });
      if ("answer" in asked) return watchOf(asked.answer);
      throw refusal(client, asked, baseUrl);
    },

    async extend({ id }, signal): Promise<Watch | null> {
      const extended = await client.find(subscription, addressOf(client, id), signal, {
        method: "PATCH",
        body: { expirationDateTime: expiration() },
      });
      return extended === null ? null : watchOf(extended);
    },

    async stop({ id }, signal): Promise<void> {
      await client.find(nothing, addressOf(client, id), signal, { method: "DELETE" });
    },
  };
}

const addressOf = (client: ApiClient, id: string) =>
  client.address(`subscriptions/${encodeURIComponent(id)}`);

/** Graph calls the address before it grants a subscription. */
function refusal(
  client: ApiClient,
  { error }: Extract<ApiReply<unknown>, { error: unknown }>,
  baseUrl: string,
): SourceFailure {
  const told = `SharePoint: ${error.status}${error.code === "" ? "" : ` ${error.code}`}`;
  if (error.status === 400) {
    return new SourceFailure("denied", `${told}: Microsoft does not notify ${baseUrl}`);
  }
  if (error.status === 401 || error.status === 403) {
    const lacking = "the app's permission is not enough for notifications";
    return new SourceFailure("denied", `${told}: ${lacking}`);
  }
  return client.failure(error);
}
