import { z } from "zod";

import { seal, unseal } from "../access/seal.ts";
import type { Config } from "../config.ts";
import { invalidField } from "../core/errors.ts";
import { settingFields } from "../core/input/setting-fields.ts";
import { isObject } from "../core/is-object.ts";
import { SourceFailure } from "../ports/source-reader.ts";
import { manifestOf } from "./registry.ts";
import { secretOf, type SourceManifest } from "./source-manifest.ts";

/** A configuration as it is checked: its settings, and its secret where a new one was given. */
export type ProviderConfig = Record<string, unknown>;

type StoredConfig = { config: ProviderConfig; sealedSecrets: string | null };

/** A secret that is stored may be left out, or be the `true` that stands for it in our answers. */
export function configSchemaOf(
  manifest: SourceManifest,
  secretIsSet: boolean,
): z.ZodType<ProviderConfig> {
  const { config } = manifest;
  const field = secretIsSet ? secretOf(manifest) : null;
  const secret = config.shape[field ?? ""];
  if (field === null || secret === undefined) return config;
  return config.safeExtend({ [field]: z.union([z.literal(true), secret]).optional() });
}

/**
 * Seals the secret of a checked configuration and puts `true` in its place. An omitted secret
 * keeps the value of `before`, sealed with the current key.
 * @throws QuarryError `invalid` when it can no longer be read, or would be sent elsewhere than
 * before, and must be given again; when it would be sent without encryption
 */
export async function sealSecrets(
  config: Config,
  source: { provider: string; config: ProviderConfig; before: StoredConfig | null },
): Promise<StoredConfig> {
  const manifest = manifestOf(source);
  const field = secretOf(manifest);
  if (field === null) return { config: source.config, sealedSecrets: null };
  if (!config.ALLOW_PRIVATE_URLS) requireEncryption(manifest, source.config);
  const value = source.config[field];
  const visible = { ...source.config, [field]: true };
  if (value !== undefined && value !== true) {
    return {
      config: visible,
      sealedSecrets: await seal(config, JSON.stringify({ [field]: value })),
    };
  }
  const sealed = source.before?.sealedSecrets ?? null;
  // Null as well when its key is gone.
  const earlierSecret = sealed === null ? null : await unseal(config, sealed).catch(() => null);
  if (earlierSecret === null) {
    throw refusal(field, "is required: no stored secret exists, or it cannot be decrypted");
  }
  const moved = findMovedDestination(source, source.before?.config);
  if (moved !== undefined) {
    throw refusal(field, `is required when ${moved.path.join(".")} changes`);
  }
  return { config: visible, sealedSecrets: await seal(config, earlierSecret) };
}

/**
 * The setting that would send a stored secret elsewhere than before. Whoever may change that need
 * not know the secret, and could send it to themselves.
 */
export const findMovedDestination = (
  source: { provider: string; config: ProviderConfig },
  before: ProviderConfig | undefined,
) =>
  settingFields(manifestOf(source).config).find(
    ({ path, meta }) =>
      meta.destination === true && valueAt(source.config, path) !== valueAt(before, path),
  );

/** Secrets, and the access tokens that they are exchanged for, travel by https only. */
function requireEncryption(manifest: SourceManifest, config: ProviderConfig): void {
  for (const { path, meta } of settingFields(manifest.config)) {
    const address = meta.encrypted === true ? valueAt(config, path) : undefined;
    const isOpen = typeof address === "string" && URL.parse(address)?.protocol !== "https:";
    if (isOpen) throw refusal(path.join("."), "must be an https URL");
  }
}

const refusal = (field: string, problem: string) => invalidField(`config.${field}`, problem);

/** Reads the value of a setting in a configuration; undefined: none. */
export const valueAt = (config: unknown, path: string[]): unknown =>
  path.reduce((value, name) => (isObject(value) ? value[name] : undefined), config);

const sealedFields = z.record(z.string(), z.unknown());

const UNOPENED =
  "file source: neither ENCRYPTION_KEY nor ENCRYPTION_KEY_PREVIOUS opens its credentials: enter them again";

/**
 * The configuration with its secrets in place, for the one who talks to the provider.
 * @throws SourceFailure `denied` when no key opens them; it holds nothing of them.
 */
export async function openConfig(config: Config, source: StoredConfig): Promise<ProviderConfig> {
  if (source.sealedSecrets === null) return source.config;
  try {
    const secrets = sealedFields.parse(JSON.parse(await unseal(config, source.sealedSecrets)));
    return { ...source.config, ...secrets };
  } catch (cause) {
    const failure = new SourceFailure("denied", UNOPENED);
    failure.cause = cause;
    throw failure;
  }
}
