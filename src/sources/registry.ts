import { confluence } from "./confluence/manifest.ts";
import { fileSystem } from "./file-system/manifest.ts";
import { github } from "./github/manifest.ts";
import { googleDrive } from "./google-drive/manifest.ts";
import { notion } from "./notion/manifest.ts";
import { objectStorage } from "./object-storage/manifest.ts";
import { r2Bucket } from "./r2-bucket/manifest.ts";
import { sharePoint } from "./sharepoint/manifest.ts";
import { holdsLiterals, type SourceManifest } from "./source-manifest.ts";
import { web } from "./web/manifest.ts";

/** Every kind of file source, as the panel lists them. */
export const SOURCES: SourceManifest[] = [
  fileSystem,
  github,
  confluence,
  googleDrive,
  notion,
  objectStorage,
  r2Bucket,
  sharePoint,
  web,
];

export const PROVIDERS = [...new Set(SOURCES.map(({ provider }) => provider))];

/** Kinds of content that programs push to sources of a provider; undefined: none. */
export const pushKind = (provider: string): SourceManifest["takes"] =>
  SOURCES.find((manifest) => manifest.provider === provider)?.takes;

/** Undefined for an unknown provider. Literals decide between the kinds of one provider. */
export const findManifest = (provider: unknown, config: unknown) =>
  SOURCES.findLast((manifest) => manifest.provider === provider && holdsLiterals(manifest, config));

export function manifestOf(source: { provider: string; config: unknown }): SourceManifest {
  const manifest = findManifest(source.provider, source.config);
  if (manifest === undefined) throw new Error(`no provider ${source.provider}`);
  return manifest;
}
