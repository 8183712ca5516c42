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

/** Files that begin with a dot, and those that Windows and Office hide. */
const HIDDEN = /^(?:\.|~\$|(?:thumbs\.db|desktop\.ini)$)/i;

/** Neither `quarry push` nor the panel uploads such a file, or one in such a folder. */
export const isHidden = (path: string): boolean =>
  path.split(SEPARATOR).some((name) => HIDDEN.test(name));

/** A folder and those above it, outermost first: `a/`, `a/b/`. A web source's outermost is a host. */
export function trailOf(folder: string): string[] {
  const trail: string[] = [];
  const scheme = /^[^/]*:\/\//.exec(folder)?.[0] ?? "";
  let end = folder.indexOf("/", scheme.length) + 1;
  for (; end > 0; end = folder.indexOf("/", end) + 1) trail.push(folder.slice(0, end));
  return trail;
}
