import { z } from "zod";

import { mediaTypeByName } from "../../documents/media-type/media-types.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import { bareMediaType } from "../bare-media-type.ts";

/** https://learn.microsoft.com/graph/api/resources/driveitem */
const facet = z.looseObject({}).nullish();
const text = z.string().nullish();

/** An item's kind and place: a folder of which no more can be read still holds its files. */
const itemPlace = z.object({
  id: z.string().min(1),
  /** A deleted item has none. */
  name: text,
  parentReference: z.object({ id: text }).nullish(),
  file: z
    .object({
      mimeType: text,
      hashes: z.object({ quickXorHash: text, sha256Hash: text, sha1Hash: text }).nullish(),
    })
    .nullish(),
  folder: facet,
  package: facet,
  remoteItem: facet,
  root: facet,
  deleted: facet,
});
export type PlacedItem = z.infer<typeof itemPlace>;

export const driveItem = itemPlace.extend({
  size: z.number().nullish(),
  eTag: text,
  cTag: text,
  webUrl: text,
  lastModifiedDateTime: text,
  createdBy: z.object({ user: z.object({ email: text, displayName: text }).nullish() }).nullish(),
  malware: facet,
  /** With `hierarchicalsharing`, of items with permissions of their own; empty: shared with none. */
  shared: facet,
});
export type DriveItem = z.infer<typeof driveItem>;

/** Without its kind or its parent, an item would look deleted, with all that lies in it. */
const hasPlace = (item: PlacedItem) =>
  ["deleted", "root"].includes(kindOf(item)) ||
  (kindOf(item) !== "unknown" && Boolean(item.parentReference?.id));
export const placedItem = itemPlace.refine(hasPlace);
export const listedDriveItem = driveItem.refine(hasPlace, { path: ["parentReference"] });

/** Fields that are requested for each item; other facets are not answered. */
export const fieldsOf = ({ withReaders }: { withReaders: boolean }) =>
  Object.keys(driveItem.shape)
    .filter((name) => withReaders || name !== "shared")
    .join(",");

export type ItemKind = "deleted" | "root" | "folder" | "file" | "other" | "unknown";

/** `other`: notebooks (packages) and shortcuts to other drives, which have no bytes. */
export function kindOf(item: PlacedItem): ItemKind {
  if (item.deleted) return "deleted";
  if (item.root) return "root";
  if (item.package || item.remoteItem) return "other";
  if (item.folder) return "folder";
  return item.file ? "file" : "unknown";
}

/** Tags from which a version was made, kept with the file. */
export const tagsOf = ({ eTag = null, cTag = null }: DriveItem) => ({ eTag, cTag });

/**
 * Equal versions mean equal bytes. A hash may be missing and appear later, and the change feed
 * leaves out `cTag`, so an item whose tags are those of `known` keeps its version.
 */
export function versionOf(item: DriveItem, earlier: ListedFile | undefined): string {
  const { eTag, cTag } = tagsOf(item);
  const before = earlier?.sourceState ?? {};
  const hasTag = (name: "eTag" | "cTag", tag: string | null) =>
    tag !== null && before[name] === tag;
  if (earlier?.version && (hasTag("eTag", eTag) || hasTag("cTag", cTag))) return earlier.version;
  return hashOf(item) ?? cTag ?? eTag ?? `${item.lastModifiedDateTime ?? ""}/${item.size ?? 0}`;
}

function hashOf({ file }: DriveItem): string | null {
  const { quickXorHash, sha256Hash, sha1Hash } = file?.hashes ?? {};
  const hash = quickXorHash ?? sha256Hash ?? sha1Hash;
  return hash ? `hash/${hash}` : null;
}

/** SharePoint calls many text files binary; then the name decides. */
export function mimeTypeOf({ file, name }: DriveItem): string {
  const mediaType = bareMediaType(file?.mimeType ?? null);
  const tells = mediaType !== null && mediaType !== "application/octet-stream";
  return tells ? mediaType : mediaTypeByName(name ?? "");
}

/** Fields that `providerFilter` may name. */
export function metadataOf(item: DriveItem, ancestors: string[]): Record<string, unknown> {
  const { createdBy, webUrl, lastModifiedDateTime } = item;
  const owner = createdBy?.user?.email ?? createdBy?.user?.displayName;
  return {
    mimeType: mimeTypeOf(item),
    ...(owner ? { owner: [owner] } : {}),
    ...(webUrl ? { webUrl } : {}),
    ...(lastModifiedDateTime ? { modifiedTime: lastModifiedDateTime } : {}),
    ancestors,
  };
}
