import { fileNameOf } from "../core/folders.ts";
import type { KnownFiles } from "../ports/source-reader.ts";

export type FilePlace = { id: string; path: string };

/**
 * A drive may hold several files of one name in one folder. The first keeps the path; each other
 * has its id, or a mark of it, in it. A path that a file has stays its own as long as its folder and
 * name do.
 * @returns the path of each id
 */
export async function uniquePaths(
  knownFiles: Pick<KnownFiles, "byPath" | "byExternalId">,
  files: FilePlace[],
  markOf: (id: string) => string = (id) => id,
): Promise<Map<string, string>> {
  const own = await knownFiles.byExternalId(files.map(({ id }) => id));
  const pathOfId = new Map(own.map(({ externalId, path }) => [externalId, path]));
  const unchanged = files.filter(({ id, path }) => pathOfId.get(id) === path);
  // A file that has its path holds it: only the paths of the others are read.
  const sought = files.filter(({ id, path }) => pathOfId.get(id) !== path);
  const holders = await knownFiles.byPath(sought.map(({ path }) => path));
  const holderOf = new Map(holders.map(({ path, externalId }) => [path, externalId]));
  for (const { id, path } of unchanged) holderOf.set(path, id);
  const paths = new Map<string, string>();
  for (const { id, path } of files) {
    const apart = withId(path, markOf(id));
    const holder = holderOf.get(path);
    const keepsApart = pathOfId.get(id) === apart;
    const isFree = holder === undefined || holder === id;
    const uniquePath = isFree && !keepsApart ? path : apart;
    if (uniquePath === path) holderOf.set(path, id);
    paths.set(id, uniquePath);
  }
  return paths;
}

/** `a/b.txt` becomes `a/b (1AbC).txt`. */
function withId(path: string, id: string): string {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf(".");
  const end = dot > 0 ? path.length - (name.length - dot) : path.length;
  return `${path.slice(0, end)} (${id})${path.slice(end)}`;
}
