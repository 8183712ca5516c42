import { newWebhookSecret } from "../../access/credential-format.ts";
import { sha256Hex } from "../../core/hash.ts";
import { updateSourceRow } from "../../db/catalog/source-store.ts";
import type { Services } from "../../services.ts";
import type { FileSource } from "./find-file-source.ts";

/** Returns a new webhook secret, only here; the old one stops working at once. */
export async function renewWebhookSecret(
  { db }: Pick<Services, "db">,
  { source: { source } }: { source: FileSource },
): Promise<string> {
  const secret = newWebhookSecret();
  await updateSourceRow(db, source.id, { webhookSecretHash: await sha256Hex(secret) });
  return secret;
}
