import type { WebConfig } from "./web-config.ts";

/**
 * A pattern that begins with `http` is compared with the whole address, one that begins with `/`
 * with path and query, any other with a part of the address. `*` stands for any characters;
 * with one the pattern must match to the end, without one it is a beginning.
 */
function matcherOf(pattern: string): (text: string) => boolean {
  const [first = "", ...others] = pattern.split(/\*+/);
  const last = others.pop();
  const isAnchored = /^(?:https?:|\/)/.test(pattern);
  // Each part at the first place that it can stand: no way back, so time stays linear.
  return (text) => {
    const start = isAnchored ? (text.startsWith(first) ? 0 : -1) : text.indexOf(first);
    if (start === -1 || last === undefined) return start !== -1;
    let next = start + first.length;
    for (const part of others) {
      const at = text.indexOf(part, next);
      if (at === -1) return false;
      next = at + part.length;
    }
    return text.length - last.length >= next && text.endsWith(last);
  };
}

export type UrlFilter = (url: URL) => boolean;

/** Whether a page may become a file; no `include` means everything. */
export function urlFilter({ include, exclude }: Pick<WebConfig, "include" | "exclude">): UrlFilter {
  const matchers = (patterns: string[]) =>
    patterns.map((pattern) => {
      const matches = matcherOf(pattern);
      const ofPath = pattern.startsWith("/");
      return (url: URL) => matches(ofPath ? `${url.pathname}${url.search}` : url.href);
    });
  const included = matchers(include);
  const excluded = matchers(exclude);
  return (url) =>
    (included.length === 0 || included.some((matches) => matches(url))) &&
    !excluded.some((matches) => matches(url));
}
