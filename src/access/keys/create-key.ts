import { sha256Hex } from "../../core/hash.ts";
import { newId, type KeyId, type UserId } from "../../core/ids.ts";
import { insertKey, type KeyRow } from "../../db/access/key-store.ts";
import type { Role } from "../../db/access/user-store.ts";
import type { Services } from "../../services.ts";
import { newAutomationKey } from "../credential-format.ts";

export type AutomationKey = Omit<KeyRow, "hash">;

/** Creates an automation key. `secret` is returned only here; only its hash is stored. */
export async function createKey(
  services: Pick<Services, "db" | "now">,
  input: { name: string; role: Role; expiresAt: number | null; createdBy: UserId },
): Promise<{ key: AutomationKey; secret: string }> {
  const createdAt = services.now();
  const key: AutomationKey = { id: newId<KeyId>(createdAt), ...input, createdAt };
  const secret = newAutomationKey();
  await insertKey(services.db, { ...key, hash: await sha256Hex(secret) });
  return { key, secret };
}
