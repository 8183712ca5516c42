import { seal, unseal } from "../../access/seal.ts";
import type { Config } from "../../config.ts";
import type { Provider } from "../../db/records.ts";
import { SECRET_FIELDS, takesSecret, type ProviderConfig } from "./config-schema.ts";

type Stored = { config: ProviderConfig; sealedSecrets: string | null };

/**
 * Takes the secret out of a checked configuration and seals it; `true` stands in its place. One
 * that was left out stays what `before` holds, sealed with the current key.
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
  if (of.before === null) throw new Error(`${field} is set nowhere`);
  return { config: shown, sealedSecrets: await seal(config, await unseal(config, of.before)) };
}

/**
 * The configuration with its secrets in place, for the one who talks to the provider.
 * @throws Error when the secrets cannot be unsealed; it holds nothing of them.
 */
export async function openConfig(config: Config, stored: Stored): Promise<ProviderConfig> {
  if (stored.sealedSecrets === null) return stored.config;
  const secrets: unknown = JSON.parse(await unseal(config, stored.sealedSecrets));
  return { ...stored.config, ...(secrets as ProviderConfig) };
}
