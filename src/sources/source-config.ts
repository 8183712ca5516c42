import { z } from "zod";

import type { Provider } from "../db/records.ts";
import { cloudDriveConfig, serviceAccount } from "./google-drive/google-drive-config.ts";
import { clientSecret, documentSiteConfig } from "./sharepoint/sharepoint-config.ts";
import {
  boundBucketConfig,
  objectStorageConfig,
  objectStorageCredentials,
} from "./object-storage/object-storage-config.ts";
import { webConfig } from "./web/web-config.ts";

/** A configuration as it is checked: its settings, and its secrets where they were given anew. */
export type ProviderConfig = Record<string, unknown>;

/** The secret of each provider's configuration; all others are shown as they are. */
export const SECRET_FIELDS: Record<Provider, string | null> = {
  file_system: null,
  cloud_drive: "credentials",
  object_storage: "credentials",
  document_site: "clientSecret",
  web: null,
};

/** Settings that say to whom the secret is sent, or the access that it gives. */
export const DESTINATION_FIELDS: Record<Provider, readonly string[]> = {
  file_system: [],
  cloud_drive: ["apiBaseUrl"],
  object_storage: ["endpoint"],
  document_site: ["tenantId", "apiBaseUrl", "loginBaseUrl"],
  web: [],
};

type Schema = z.ZodType<ProviderConfig>;

/** A secret that is set may be left out, or be the `true` that stands for it in our answers. */
const keepable = (secret: z.ZodType, isSet: boolean) =>
  isSet ? z.union([z.literal(true), secret]).optional() : secret;

const boundBucket = (): Schema => boundBucketConfig;

const bucketConfig = (isSet: boolean): Schema =>
  objectStorageConfig.extend({ credentials: keepable(objectStorageCredentials, isSet) });

const schemas: Record<Provider, (raw: unknown, secretIsSet: boolean) => Schema> = {
  file_system: () => z.strictObject({}),
  cloud_drive: (_raw, isSet) =>
    cloudDriveConfig.safeExtend({ credentials: keepable(serviceAccount, isSet) }),
  object_storage: (raw, isSet) => (isForBoundBucket(raw) ? boundBucket() : bucketConfig(isSet)),
  document_site: (_raw, isSet) =>
    documentSiteConfig.safeExtend({ clientSecret: keepable(clientSecret, isSet) }),
  web: () => webConfig,
};

/**
 * What a provider's `config` may hold; what it does not know is refused, so that a misspelt
 * setting is no silent default. `raw` decides between the kinds of object storage.
 */
export function configSchemaOf(provider: Provider, raw: unknown, secretIsSet: boolean): Schema {
  return schemas[provider](raw, secretIsSet);
}

const isForBoundBucket = (raw: unknown) =>
  typeof raw === "object" && raw !== null && "r2" in raw && raw.r2 === true;

/** Whether this configuration needs its provider's secret. */
export function takesSecret(provider: Provider, config: ProviderConfig): boolean {
  return SECRET_FIELDS[provider] !== null && !isForBoundBucket(config);
}
