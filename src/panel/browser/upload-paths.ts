/** Files that begin with a dot, and those that Windows and Office hide. */
const HIDDEN = /^(?:\.|~\$|(?:thumbs\.db|desktop\.ini)$)/i;

/** `documents/a/b.md` in the folder `documents` is `a/b.md`, as `quarry push documents` has it. */
export const pathInFolder = (path: string): string => path.slice(path.indexOf("/") + 1);

/** `quarry push` skips them as well. */
export const isHidden = (path: string): boolean =>
  path.split("/").some((name) => HIDDEN.test(name));
