import { openConfig } from "../../catalog/provider-config/source-secrets.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import type { SourceReader, SourceSettings } from "../../ports/source-reader.ts";
import type { Services } from "../../services.ts";
import { objectStorageConfig, objectStorageSecrets } from "./object-storage/config.ts";
import { objectStorageReader } from "./object-storage/object-storage-reader.ts";
import { r2BucketReader } from "./r2-bucket/r2-bucket-reader.ts";

type Needed = Pick<Services, "config" | "db" | "files" | "now">;

/**
 * The reader of a source's provider; null for one that is pushed to.
 * @throws SourceFailure `denied` when its settings or secrets cannot be used
 */
export async function readerFor(
  services: Needed,
  source: SourceSettings,
): Promise<SourceReader | null> {
  if (source.provider === "file_system") return null;
  const config = await openedConfig(services, source);
  const { now } = services;
  // Called as a method of anything else, the platform's fetch refuses.
  const outgoing = {
    fetch: ((input, init) => fetch(input, init)) as typeof fetch,
    allowPrivate: services.config.ALLOW_PRIVATE_URLS,
  };
  if (source.provider !== "object_storage") {
    throw new SourceFailure("denied", `${source.provider}: this provider cannot be read yet`);
  }
  if (config["r2"] === true) {
    const prefix = typeof config["prefix"] === "string" ? config["prefix"] : undefined;
    return r2BucketReader(services.files, { prefix }, { isOurs: isServiceKey });
  }
  const settings = objectStorageConfig.parse(config);
  const secrets = objectStorageSecrets.parse(config["credentials"]);
  return objectStorageReader(settings, secrets, { outgoing, now });
}

/** Everything of ours in the bound bucket lies below one prefix. */
const isServiceKey = (key: string) => key.startsWith("sources/");

async function openedConfig(
  services: Needed,
  { config, sealedSecrets }: SourceSettings,
): Promise<Record<string, unknown>> {
  try {
    return await openConfig(services.config, { config, sealedSecrets });
  } catch (cause) {
    const failure = new SourceFailure("denied", "file source: its credentials cannot be opened");
    failure.cause = cause;
    throw failure;
  }
}
