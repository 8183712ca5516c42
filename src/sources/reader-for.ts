import type { z } from "zod";

import {
  boundBucketConfig,
  objectStorageConfig,
  objectStorageCredentials,
} from "./object-storage/object-storage-config.ts";
import { openConfig } from "./source-secrets.ts";
import { webConfig } from "./web/web-config.ts";
import { SourceFailure } from "../ports/source-reader.ts";
import type { SourceReader, SourceSettings } from "../ports/source-reader.ts";
import type { Services } from "../services.ts";
import { knownFilesOf } from "./known-files.ts";
import { cloudDriveConfig, serviceAccount } from "./google-drive/google-drive-config.ts";
import { GoogleDriveReader } from "./google-drive/google-drive-reader.ts";
import { objectStorageReader } from "./object-storage/object-storage-reader.ts";
import { r2BucketReader } from "./r2-bucket/r2-bucket-reader.ts";
import { readerStore } from "./reader-store.ts";
import { clientSecret, documentSiteConfig } from "./sharepoint/sharepoint-config.ts";
import { SharePointReader } from "./sharepoint/sharepoint-reader.ts";
import { webReader } from "./web/web-reader.ts";

type Needed = Pick<Services, "config" | "db" | "files" | "now">;

/**
 * The reader of a source's provider; null for one that is pushed to. Providers are named for what
 * they are, folders for the product: `cloud_drive` is google-drive/, `document_site` sharepoint/.
 * @throws SourceFailure `denied` when its settings or secrets cannot be used
 */
export async function readerFor(
  services: Needed,
  source: SourceSettings,
): Promise<SourceReader | null> {
  if (source.provider === "file_system") return null;
  const config = await openedConfig(services.config, source);
  const { now } = services;
  // Called as a method of anything else, the platform's fetch refuses.
  const outgoing = {
    fetch: async (url: string, request: RequestInit) => await fetch(url, request),
    allowPrivate: services.config.ALLOW_PRIVATE_URLS,
  };
  if (source.provider === "web") {
    const store = readerStore(services.files, source.id);
    const known = knownFilesOf(services.db, source.id);
    return webReader(checked(webConfig, config), { outgoing, store, known, now });
  }
  if (source.provider === "cloud_drive") {
    const { credentials, ...settings } = config;
    const account = checked(serviceAccount, credentials);
    const store = readerStore(services.files, source.id);
    const known = knownFilesOf(services.db, source.id);
    const options = { outgoing, store, known, now };
    return new GoogleDriveReader(checked(cloudDriveConfig, settings), account, options);
  }
  if (source.provider === "document_site") {
    const { clientSecret: secret, ...settings } = config;
    const store = readerStore(services.files, source.id);
    const known = knownFilesOf(services.db, source.id);
    const options = { outgoing, store, known, now };
    const checkedSettings = checked(documentSiteConfig, settings);
    return new SharePointReader(checkedSettings, checked(clientSecret, secret), options);
  }
  if (config["r2"] === true) {
    const { prefix } = checked(boundBucketConfig, config);
    return r2BucketReader(services.files, { prefix }, { isOurs: isServiceKey });
  }
  const { credentials, ...settings } = config;
  const secrets = checked(objectStorageCredentials, credentials);
  return objectStorageReader(checked(objectStorageConfig, settings), secrets, { outgoing, now });
}

/** Settings were checked when they were stored; what no longer fits is told, not guessed. */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path }) => path.join(".")).join(", ");
  throw new SourceFailure("denied", `file source: its configuration is not usable: ${fields}`);
}

/** Everything of ours in the bound bucket lies below one prefix. */
const isServiceKey = (key: string) => key.startsWith("sources/");

const UNOPENED =
  "file source: neither ENCRYPTION_KEY nor ENCRYPTION_KEY_PREVIOUS opens its credentials: give them again";

/** @throws SourceFailure `denied` when no key opens the secrets of a source */
export async function openedConfig(
  keys: Services["config"],
  source: Pick<SourceSettings, "config" | "sealedSecrets">,
): Promise<Record<string, unknown>> {
  try {
    return await openConfig(keys, source);
  } catch (cause) {
    const failure = new SourceFailure("denied", UNOPENED);
    failure.cause = cause;
    throw failure;
  }
}
