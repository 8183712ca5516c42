import { z } from "zod";

import { seal, unseal } from "../access/seal.ts";
import type { Config } from "../config.ts";
import { invalidField } from "../core/errors.ts";
import type { Provider } from "../db/records.ts";
import {
  DESTINATION_FIELDS,
  SECRET_FIELDS,
  takesSecret,
  type ProviderConfig,
} from "./source-config.ts";

type Stored = { config: ProviderConfig; sealedSecrets: string | null };

/**
 * Seals the secret of a checked configuration and puts `true` in its place. An omitted secret
 * keeps the value of `before`, sealed with the current key.
 * @throws QuarryError `invalid` when it can no longer be read, or would be sent elsewhere than
 * before, and must be given again; when it would be sent without encryption
 */
export async function sealSecrets(
  config: Config,
  of: { provider: Provider; config: ProviderConfig; before: Stored | null },
): Promise<Stored> {
  const field = SECRET_FIELDS[of.provider];
  if (field === null || !takesSecret(of.provider, of.config)) {
    return { config: of.config, sealedSecrets: null };
  }
  if (!config.ALLOW_PRIVATE_URLS) requireEncryption(of);
  const given = of.config[field];
  const shown = { ...of.config, [field]: true };
  if (given !== undefined && given !== true) {
    return { config: shown, sealedSecrets: await seal(config, JSON.stringify({ [field]: given })) };
  }
  const kept = await unsealed(config, of.before?.sealedSecrets ?? null);
  if (kept === null) {
    throw refusal(field, "is required: no stored secret exists, or it cannot be decrypted");
  }
  const moved = DESTINATION_FIELDS[of.provider].find(
    (name) => of.config[name] !== of.before?.config[name],
  );
  // Whoever may change where a secret is sent need not know it, and could send it to themselves.
  if (moved !== undefined) throw refusal(field, `is required when ${moved} changes`);
  return { config: shown, sealedSecrets: await seal(config, kept) };
}

/** Secrets, and the access tokens that they are exchanged for, travel by https only. */
function requireEncryption(of: { provider: Provider; config: ProviderConfig }): void {
  const secret = SECRET_FIELDS[of.provider] ?? "";
  const nested = addressIn.safeParse(of.config[secret]).data?.token_uri;
  const addresses: [string, unknown][] = [
    ["apiBaseUrl", of.config["apiBaseUrl"]],
    ["loginBaseUrl", of.config["loginBaseUrl"]],
    [`${secret}.token_uri`, nested],
  ];
  for (const [name, address] of addresses) {
    const isOpen = typeof address === "string" && URL.parse(address)?.protocol !== "https:";
    if (isOpen) throw refusal(name, "must be an https URL");
  }
}

const addressIn = z.object({ token_uri: z.string().optional() });

const refusal = (field: string, problem: string) => invalidField(`config.${field}`, problem);

/** Null when there is none, or its key is gone. */
async function unsealed(config: Config, sealed: string | null): Promise<string | null> {
  try {
    return sealed === null ? null : await unseal(config, sealed);
  } catch {
    return null;
  }
}

const sealedFields = z.record(z.string(), z.unknown());

/**
 * The configuration with its secrets in place, for the one who talks to the provider.
 * @throws Error when the secrets cannot be unsealed; it holds nothing of them.
 */
export async function openConfig(config: Config, stored: Stored): Promise<ProviderConfig> {
  if (stored.sealedSecrets === null) return stored.config;
  const secrets = sealedFields.parse(JSON.parse(await unseal(config, stored.sealedSecrets)));
  return { ...stored.config, ...secrets };
}
