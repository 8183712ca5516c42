import { newWebhookSecret } from "../../access/credential-format.ts";
import { seal } from "../../access/seal.ts";
import { sha256Hex } from "../../core/hash.ts";
import { updateSourceRow } from "../../db/catalog/source-store.ts";
import type { Services } from "../../services.ts";
import { manifestOf } from "../../sources/registry.ts";
import type { FileSource } from "./find-file-source.ts";

/** A new secret, and what of it is stored: to verify what is signed with it, the secret itself. */
export async function makeWebhookSecret(
  { config }: Pick<Services, "config">,
  source: { provider: string; config: unknown },
) {
  const secret = newWebhookSecret();
  const isSigned = manifestOf(source).events !== undefined;
  const sealedWebhookSecret = isSigned ? await seal(config, secret) : null;
  return { secret, row: { webhookSecretHash: await sha256Hex(secret), sealedWebhookSecret } };
}

/** Returns a new webhook secret, only here; the old one stops working at once. */
export async function renewWebhookSecret(
  services: Pick<Services, "db" | "config">,
  { source: { source } }: { source: FileSource },
): Promise<string> {
  const { secret, row } = await makeWebhookSecret(services, source);
  await updateSourceRow(services.db, source.id, row);
  return secret;
}
