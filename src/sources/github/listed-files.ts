import { fileNameOf } from "../../core/folders.ts";
import { hash32 } from "../../core/hash.ts";
import { mediaTypeByName } from "../../documents/media-type/media-types.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import type { DriveOptions } from "../source-manifest.ts";
import { uniquePaths } from "../unique-paths.ts";
import { isIssue } from "./issues.ts";
import type { Repository } from "./repositories.ts";
import type { Change } from "./trees.ts";

export const fileId = ({ id }: Repository, path: string) => `${id}:${path}`;
export const encodePath = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** The files among the changes, each at a path of its own. */
export async function listChangedFiles(
  knownFiles: DriveOptions["known"],
  own: Repository,
  changes: Change[],
): Promise<ListedFile[]> {
  const places = changes.flatMap(({ path, sha, size = 0 }) => {
    const url = `${own.html_url}/blob/${own.head}/${encodePath(path)}`;
    const place = { id: fileId(own, path), path: `${own.name}/${path}` };
    return sha === undefined ? [] : [{ ...place, version: sha, size, url }];
  });
  const rows = await knownFiles.byExternalId(places.map(({ id }) => id));
  const rowOf = new Map(rows.map((file) => [file.externalId, file]));
  // An issue makes way for a file of its path.
  const findByPath = async (paths: string[]) =>
    (await knownFiles.byPath(paths)).filter((file) => !isIssue(file));
  const markOf = (id: string) => hash32(id).toString(36);
  const paths = await uniquePaths({ ...knownFiles, byPath: findByPath }, places, markOf);
  return places.map(({ id: externalId, version, size, url: newUrl }) => {
    const path = paths.get(externalId) ?? "";
    const name = fileNameOf(path);
    const same = rowOf.get(externalId);
    // The page of an earlier commit shows the same text.
    const url = same?.version === version && same.path === path ? same.url : newUrl;
    const mimeType = mediaTypeByName(name);
    const none = { metadata: {}, sourceState: null };
    return Object.assign(none, { path, name, externalId, url, size, mimeType, version });
  });
}
