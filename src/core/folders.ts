const SEPARATOR = "/";

/** The parent folder of a file or folder, without a trailing slash; empty: none. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(SEPARATOR)));
}

/** The last segment of a path. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf(SEPARATOR) + 1);
}

/** A folder and its ancestors, outermost first: `a` and `a/b` for `a/b`. */
export function withAncestors(folder: string): string[] {
  if (folder === "") return [];
  const segments = folder.split(SEPARATOR);
  return segments.map((_, at) => segments.slice(0, at + 1).join(SEPARATOR));
}
