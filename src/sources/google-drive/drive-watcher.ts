import { z } from "zod";

import { DAY_MS, type Now } from "../../core/time.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { SourceWatcher, Watch, WatchRequest } from "../../ports/source-watcher.ts";
import type { Api, ApiClient } from "../api-client.ts";
import { corpusOf, startOfChanges } from "./drive-listing.ts";
import { DRIVE_WEBHOOK } from "./drive-notifications.ts";

/*
 * Channels of the change feed: https://developers.google.com/workspace/drive/api/guides/push
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/watch
 */
/** The longest that Drive grants for the change feed; without a wish it is an hour. */
const LIFE_MS = 7 * DAY_MS;
const TARGET = "changes";

const channel = z.object({
  id: z.string().min(1),
  resourceId: z.string().min(1),
  /** Milliseconds as text. */
  expiration: z.coerce.number().int().positive(),
});
const nothing = z.unknown();
/** Reasons such as `push.webhookUrlUnauthorized`: Drive does not call that address. */
const BAD_ADDRESS = "webhookUrl";

/**
 * Watches the change feed; a folder has none of its own. Drive cannot extend a channel.
 * `findDriveId`: the shared drive that is read; null: somebody's own drive.
 */
export function driveWatcher(
  api: Api,
  now: Now,
  findDriveId: (client: ApiClient) => Promise<string | null>,
): SourceWatcher {
  return {
    targets: async () => [TARGET],

    async start(_target, { id, token, baseUrl }: WatchRequest, signal): Promise<Watch> {
      const client = api(signal);
      const driveId = await findDriveId(client);
      const pageToken = await startOfChanges(client, driveId);
      const address = `${baseUrl}${DRIVE_WEBHOOK}`;
      const expiration = String(now() + LIFE_MS);
      const body = { id, type: "web_hook", address, token, expiration };
      const query = { ...corpusOf(driveId), pageToken, includeRemoved: true };
      const reply = await client.ask(channel, client.address("changes/watch", query), { body });
      if ("answer" in reply) {
        const { id: channelId, resourceId, expiration: expiresAt } = reply.answer;
        return { id: channelId, resourceId, expiresAt };
      }
      const { status, code: reason } = reply.error;
      if (!reason.includes(BAD_ADDRESS)) throw client.failure(reply.error);
      const problem = `${status} ${reason}: Google does not notify ${baseUrl}`;
      throw new SourceFailure("denied", `Google Drive: ${problem}`);
    },

    async stop({ id, resourceId }, signal): Promise<void> {
      const client = api(signal);
      await client.find(nothing, client.address("channels/stop"), { body: { id, resourceId } });
    },
  };
}
