import { countSealedByKey } from "../../db/maintenance/sealed-secrets.ts";
import type { Services } from "../../services.ts";
import { keyIdsOf } from "../seal.ts";

/**
 * Counts the stored secrets that still need the previous encryption key, and those that neither
 * key opens. ENCRYPTION_KEY_PREVIOUS can be removed once the first count is 0.
 */
export async function countSecrets({
  config,
  db,
}: Pick<Services, "config" | "db">): Promise<{ sealedByPreviousKey: number; unreadable: number }> {
  const [keys, counts] = await Promise.all([keyIdsOf(config), countSealedByKey(db)]);
  let sealedByPreviousKey = 0;
  let unreadable = 0;
  for (const { keyId, secrets } of counts) {
    if (keyId === keys.previous) sealedByPreviousKey += secrets;
    else if (keyId !== keys.current) unreadable += secrets;
  }
  return { sealedByPreviousKey, unreadable };
}
