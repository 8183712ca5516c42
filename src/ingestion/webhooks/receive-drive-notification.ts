import { equalInConstantTime, sha256Hex } from "../../core/hash.ts";
import { findDriveChannel } from "../../db/scans/webhook-store.ts";
import type { Services } from "../../services.ts";

/** The state a provider sends when a channel is opened, without any change. */
const OPENING_STATE = "sync";

/**
 * A drive reports a change: one scan is queued after 10 seconds. Notifications with an unknown or
 * expired channel or a wrong token are ignored.
 */
export async function receiveDriveNotification(
  services: Pick<Services, "db" | "now" | "debounceDriveScan">,
  { channelId, token, state }: { channelId: string; token: string; state: string },
): Promise<void> {
  if (channelId === "" || state === "" || state === OPENING_STATE) return;
  const channel = await findDriveChannel(services.db, channelId);
  if (channel === null || channel.tokenHash === null) return;
  if (!(await equalInConstantTime(await sha256Hex(token), channel.tokenHash))) return;
  if (channel.expiresAt !== null && channel.expiresAt <= services.now()) return;
  await services.debounceDriveScan(channel.id);
}
