import { z } from "zod";

import { identifier, modelName, name, principals } from "../../core/input/input-fields.ts";
import { findManifest, manifestOf, PROVIDERS } from "../../sources/registry.ts";
import { configSchemaOf } from "../../sources/source-secrets.ts";
import type { FileSource } from "./find-file-source.ts";

const DEFAULT_INTERVAL_MINUTES = 360;
/** A year. */
const MAX_INTERVAL_MINUTES = 525_600;

const provider = z.enum(PROVIDERS);
const scanIntervalMinutes = z
  .int()
  .min(0)
  .max(MAX_INTERVAL_MINUTES)
  .meta({ label: "Look for changes" });

const permissions = z.enum(["off", "on"]).meta({
  label: "Permissions",
  choices: {
    off: "Off: every token reads every file",
    on: "On: a call finds what its reader may read",
  },
});
const defaultReaders = principals.meta({
  label: "Default readers",
  hint: "They may read files for which the source names no readers. One a line: group:sales@example.com, domain:example.com, everyone.",
  rows: 3,
});

const imageModel = modelName.nullable().meta({
  label: "Image model",
  hint: "Reads pictures and scanned pages. If empty, they are left out.",
});
const pictures = z.boolean().meta({
  label: "Read pictures in documents",
  hint: "Of Word, PowerPoint and mail, from 300 × 300 pixels on.",
});

export const newSource = {
  name,
  identifier: identifier.optional(),
  provider,
  scanIntervalMinutes: scanIntervalMinutes.default(DEFAULT_INTERVAL_MINUTES),
  permissions: permissions.default("off"),
  defaultReaders: defaultReaders.default([]),
  imageModel: imageModel.optional(),
  pictures: pictures.default(false),
};

export const sourcePatch = {
  name,
  identifier: z.string(),
  provider: z.string(),
  scanIntervalMinutes,
  permissions,
  defaultReaders,
  imageModel,
  pictures,
};

const fieldOf = (body: unknown, field: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, field) : undefined;

/**
 * The schema of a new source that this body means, with the settings of its provider.
 * `secretFollows`: `true` may stand for its secret.
 */
export function newSourceOf(body: unknown, secretFollows = false) {
  const manifest = findManifest(fieldOf(body, "provider"), fieldOf(body, "config"));
  const any = z.record(z.string(), z.unknown());
  const schema = manifest === undefined ? any : configSchemaOf(manifest, secretFollows);
  return z.object({ ...newSource, config: schema.prefault({}) });
}

export function sourcePatchOf({ source }: FileSource, body: unknown) {
  const { provider, sealedSecrets } = source;
  const manifest = manifestOf({ provider, config: fieldOf(body, "config") });
  const config = configSchemaOf(manifest, sealedSecrets !== null);
  return z.object({ ...sourcePatch, config }).partial();
}
