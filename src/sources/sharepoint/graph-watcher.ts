import { z } from "zod";

import { MINUTE_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { SourceWatcher, Watch, WatchRequest } from "../../ports/source-watcher.ts";
import type { Api, ApiClient, ApiError } from "../api-client.ts";
import { GRAPH_WEBHOOK } from "./graph-notifications.ts";

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
  api: Api,
  now: Now,
  driveIds: (client: ApiClient) => Promise<string[]>,
): SourceWatcher {
  const watchOf = ({ id, expirationDateTime }: z.infer<typeof subscription>): Watch => ({
    id,
    resourceId: null,
    expiresAt: expirationDateTime,
  });
  const expiration = () => new Date(now() + LIFE_MS).toISOString();

  return {
    targets: async (signal) => await driveIds(api(signal)),

    async start(driveId, { token, baseUrl }: WatchRequest, signal): Promise<Watch> {
      const client = api(signal);
      const address = `${baseUrl}${GRAPH_WEBHOOK}`;
      const body = {
        changeType: "updated",
        notificationUrl: address,
        lifecycleNotificationUrl: address,
        resource: `/drives/${driveId}/root`,
        expirationDateTime: expiration(),
        clientState: token,
      };
      const reply = await client.ask(subscription, client.address("subscriptions"), { body });
      if ("answer" in reply) return watchOf(reply.answer);
      throw refusal(reply.error, baseUrl) ?? client.failure(reply.error);
    },

    async extend({ id }, signal): Promise<Watch | null> {
      const client = api(signal);
      const body = { expirationDateTime: expiration() };
      const extending = { method: "PATCH", body } as const;
      const extended = await client.find(subscription, addressOf(client, id), extending);
      return extended === null ? null : watchOf(extended);
    },

    async stop({ id }, signal): Promise<void> {
      const client = api(signal);
      await client.find(nothing, addressOf(client, id), { method: "DELETE" });
    },
  };
}

const addressOf = (client: ApiClient, id: string) =>
  client.address(`subscriptions/${encodeURIComponent(id)}`);

/** Graph calls the address before it grants a subscription. Null: nothing of notifications. */
function refusal({ status, code }: ApiError, baseUrl: string): SourceFailure | null {
  const lacking = "the app's permission is not enough for notifications";
  const why = status === 400 ? `Microsoft does not notify ${baseUrl}` : lacking;
  if (![400, 401, 403].includes(status)) return null;
  const problem = `SharePoint: ${status}${code === "" ? "" : ` ${code}`}`;
  return new SourceFailure("denied", `${problem}: ${why}`);
}
