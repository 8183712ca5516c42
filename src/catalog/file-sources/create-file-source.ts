import { newId, type FileSourceId } from "../../core/ids.ts";
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { insertSource, type NewSource } from "../../db/catalog/source-store.ts";
import type { Services } from "../../services.ts";
import { manifestOf } from "../../sources/registry.ts";
import { sealSecrets, type ProviderConfig } from "../../sources/source-secrets.ts";
import { chooseIdentifier, identifierTaken } from "../choose-identifier.ts";
import { checkImageModel } from "../models/check-model.ts";
import { findFileSource, type FileSource } from "./find-file-source.ts";
import { makeWebhookSecret } from "./renew-webhook-secret.ts";
import { requestScan } from "./request-scan.ts";

/** `config`: checked by the provider's schema; secrets in plain text. */
type NewFileSource = Pick<
  NewSource,
  "name" | "provider" | "scanIntervalMinutes" | "permissions" | "defaultReaders" | "pictures"
> & {
  imageModel?: string | null | undefined;
  identifier?: string | undefined;
  config: ProviderConfig;
};

/**
 * `webhookSecret` is returned only here. `original`: a source whose secrets and files the new one
 * gets. @throws QuarryError `conflict`: identifier taken.
 */
export async function createFileSource(
  services: Services,
  input: NewFileSource,
  id = newId<FileSourceId>(services.now()),
  original: FileSource["source"] | null = null,
): Promise<{ source: FileSource; webhookSecret: string }> {
  const { provider, name, scanIntervalMinutes = 0, permissions, defaultReaders, pictures } = input;
  const { imageModel = services.models.imageModel } = input;
  const { open, takes, notifications } = manifestOf(input);
  const identifier = chooseIdentifier(name, input.identifier);
  if (original === null) await checkModel(services, input);
  const sealedConfig = await sealSecrets(services.config, { ...input, before: original });
  const { secret: webhookSecret, row: secretRow } = await makeWebhookSecret(services, input);
  const createdAt = services.now();
  const inserted = await insertSource(services.db, {
    ...sealedConfig,
    copyOf: original?.id ?? null,
    id,
    name,
    identifier,
    provider,
    scanIntervalMinutes,
    permissions,
    defaultReaders,
    imageModel,
    pictures,
    createdAt,
    ...secretRow,
    nextScanAt: nextScanAt(createdAt, scanIntervalMinutes),
    uploadsDueAt: takes === "files" ? createdAt + DAY_MS : null,
    watchDueAt: notifications === undefined ? null : createdAt,
  });
  if (!inserted) throw identifierTaken();
  if (open !== null) await requestScan(services, { sourceId: id });
  await services.wakeClock();
  return { source: await findFileSource(services, { key: id }), webhookSecret };
}

async function checkModel(services: Services, { imageModel }: NewFileSource): Promise<void> {
  if (imageModel != null) await checkImageModel(services, imageModel);
}

export const nextScanAt = (now: number, intervalMinutes: number) =>
  intervalMinutes === 0 ? null : now + intervalMinutes * MINUTE_MS;
