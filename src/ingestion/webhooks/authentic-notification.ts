import { equalInConstantTime, sha256Hex } from "../../core/hash.ts";
import type { StoredWatch } from "../../db/scans/watch-store.ts";

/** Whether a notification is of this watch: not expired, about its resource, with its secret. */
export async function isAuthentic(
  { token, resourceId }: { token: string; resourceId: string | null },
  watch: StoredWatch,
  now: number,
): Promise<boolean> {
  const isOfIt = resourceId === null || watch.resourceId === null;
  if (watch.expiresAt <= now || !(isOfIt || resourceId === watch.resourceId)) return false;
  return await equalInConstantTime(await sha256Hex(token), watch.tokenHash);
}
