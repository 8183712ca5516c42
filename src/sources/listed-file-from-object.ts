import { fileNameOf } from "../core/folders.ts";
import type { ListedFile } from "../ports/source-reader.ts";
import { mediaTypeByName } from "../documents/media-type/media-types.ts";

/** A configured prefix names a folder: `docs` and `docs/` mean the same. Empty: everything. */
export function folderPrefix(prefix: string | undefined): string {
  return prefix === undefined || prefix === "" || prefix.endsWith("/")
    ? (prefix ?? "")
    : `${prefix}/`;
}

/** An object of a bucket as a file; null for what only marks a folder. */
export function listedFileFromObject(
  prefix: string,
  object: Pick<ListedFile, "size" | "version" | "modifiedAt"> & {
    key: string;
    mimeType?: string | null;
  },
): ListedFile | null {
  const path = object.key.slice(prefix.length);
  if (path === "" || path.endsWith("/")) return null;
  const name = fileNameOf(path);
  return {
    path,
    externalId: object.key,
    url: null,
    name,
    size: object.size,
    mimeType: object.mimeType ?? mediaTypeByName(name),
    version: object.version,
    metadata: {},
    sourceState: null,
    modifiedAt: object.modifiedAt ?? null,
  };
}
