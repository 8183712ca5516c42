/** Files that systems leave in folders, which nobody means. */
const UNMEANT = new Set(["Thumbs.db", "desktop.ini"]);

/** `documents/a/b.md` in the folder `documents` is `a/b.md`, as `quarry push documents` has it. */
export const pathInFolder = (path: string): string => path.slice(path.indexOf("/") + 1);

/** Names that begin with a dot or that systems leave: `quarry push` skips them as well. */
export const isHidden = (path: string): boolean => {
  const names = path.split("/");
  return names.some((name) => name.startsWith(".")) || UNMEANT.has(names.at(-1) ?? "");
};
