import { z } from "zod";

import { seal, unseal } from "../access/seal.ts";
import type { Config } from "../config.ts";
import { invalid } from "../core/errors.ts";
import type { Provider } from "../db/records.ts";
import { SECRET_FIELDS, takesSecret, type ProviderConfig } from "./source-config.ts";

type Stored = { config: ProviderConfig; sealedSecrets: string | null };

/**
 * Seals the secret of a checked configuration and puts `true` in its place. An omitted secret
 * keeps the value of `before`, sealed with the current key.
 * @throws QuarryError `invalid` when it can no longer be read and must be given again.
 */
export async function sealSecrets(
  config: Config,
  of: { provider: Provider; config: ProviderConfig; before: string | null },
): Promise<Stored> {
  const field = SECRET_FIELDS[of.provider];
  if (field === null || !takesSecret(of.provider, of.config)) {
    return { config: of.config, sealedSecrets: null };
  }
  const given = of.config[field];
  const shown = { ...of.config, [field]: true };
  if (given !== undefined && given !== true) {
    return { config: shown, sealedSecrets: await seal(config, JSON.stringify({ [field]: given })) };
  }
  const kept = await unsealed(config, of.before);
  if (kept === null)
    throw invalid(
      `config.${field} is required: no stored secret exists, or it cannot be decrypted`,
    );
  return { config: shown, sealedSecrets: await seal(config, kept) };
}

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
