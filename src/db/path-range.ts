import type { IndexScope } from "../ports/rag-index.ts";

/** Ranges of paths, as an index over paths is read: in byte order. */

/** After a prefix it sorts behind every path that begins with the prefix. */
export const AFTER_ALL = "\u{10FFFF}";

/** The character after "/": it ends the range of all paths below a folder. */
export const AFTER_SLASH = "0";

/** First and last path; both may be inside. */
export type PathRange = [first: string, last: string];

export const ALL_PATHS: PathRange = ["", AFTER_ALL];

/** Holds all paths of a scope, and maybe a few others; an external id says nothing of paths. */
export function rangeOf({ type, value }: IndexScope): PathRange {
  if (type === "externalId") return ALL_PATHS;
  return value.endsWith("/") ? [value, value.slice(0, -1) + AFTER_SLASH] : [value, value];
}
