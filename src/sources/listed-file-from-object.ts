import { fileNameOf } from "../core/folders.ts";
import { hash32 } from "../core/hash.ts";
import { trimEnd } from "../core/trim.ts";
import { mediaTypeByName } from "../documents/media-type/media-types.ts";
import type { KnownFiles, ListedFile } from "../ports/source-reader.ts";
import { storedPath } from "./file-names.ts";
import { uniquePaths } from "./unique-paths.ts";

/** A configured prefix names a folder: `docs` and `docs/` mean the same. Empty: everything. */
export const folderPrefix = (prefix = "") => prefix.replace(/[^/]$/, "$&/");

/** An object of a bucket as a file; null for what only marks a folder: no bytes, and a last `/`. */
export function listedFileFromObject(
  prefix: string,
  object: Pick<ListedFile, "size" | "version" | "modifiedAt"> & {
    key: string;
    mimeType?: string | null;
  },
): ListedFile | null {
  if (object.size === 0 && object.key.endsWith("/")) return null;
  const inner = trimEnd(object.key.slice(prefix.length), "/");
  const path = inner || fileNameOf(trimEnd(object.key, "/")) || "_";
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

/** Keys that can be one path: in another form of Unicode, or with a `/` at the end. */
const mayBeTwin = ({ path, externalId }: ListedFile) =>
  /[^ -~]/.test(path) || externalId?.endsWith("/") === true;

/** Objects are distinguished by their keys, of which several can have one path. */
export async function withOwnPaths(
  files: ListedFile[],
  knownFiles: Pick<KnownFiles, "byPath" | "byExternalId">,
): Promise<ListedFile[]> {
  if (!files.some(mayBeTwin)) return files;
  const places = files.map(({ path, externalId }) => {
    return { id: externalId ?? path, path: storedPath(path) };
  });
  const paths = await uniquePaths(knownFiles, places, (key) => hash32(key).toString(36));
  return files.map((file, at) => {
    const { id = "", path = "" } = places[at] ?? {};
    const own = paths.get(id) ?? path;
    return own === path ? file : Object.assign(file, { path: own, name: fileNameOf(own) });
  });
}
