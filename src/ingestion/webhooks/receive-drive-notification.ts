import { equalInConstantTime, sha256Hex } from "../../core/hash.ts";
import { findDriveChannel } from "../../db/scans/webhook-store.ts";
import type { Services } from "../../services.ts";

/** What a provider sends when a channel is opened, and not when something changed. */
const OPENING_STATE = "sync";

/**
 * A drive says that it changed: one scan is queued after 10 seconds. What comes
 * from an unknown or expired channel, or with a wrong token, is nothing.
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
