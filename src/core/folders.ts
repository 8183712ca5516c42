const SEPARATOR = "/";

/** The parent folder of a file or folder, without a trailing slash; empty: none. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(SEPARATOR)));
}

/** A folder and its ancestors, outermost first: `a` and `a/b` for `a/b`. */
export function withAncestors(folder: string): string[] {
  if (folder === "") return [];
  const segments = folder.split(SEPARATOR);
  return segments.map((_, at) => segments.slice(0, at + 1).join(SEPARATOR));
}

const depthOf = (folder: string) => withAncestors(folder).length;

/**
 * At most `limit` folders that together contain the given ones, and perhaps more: where there are
 * too many, the deepest are replaced by their parents. The empty folder contains everything.
 */
export function coarserFolders(folders: Iterable<string>, limit: number): string[] {
  let kept = new Set(folders);
  let depth = Array.from(kept, depthOf).reduce((most, one) => Math.max(most, one), 0);
  for (; kept.size > limit && depth > 0; depth--) {
    const deepest = depth;
    kept = new Set(Array.from(kept, (one) => (depthOf(one) === deepest ? folderOf(one) : one)));
  }
  return [...kept].filter((one) => !isBelowAny(one, kept)).sort();
}

function isBelowAny(folder: string, others: ReadonlySet<string>): boolean {
  if (folder === "") return false;
  return others.has("") || withAncestors(folderOf(folder)).some((above) => others.has(above));
}
