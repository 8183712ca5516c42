import type { WebConfig } from "./config.ts";

/**
 * A pattern that begins with `http` is compared with the whole address, one that begins with `/`
 * with path and query, any other with a part of the address. `*` stands for any characters;
 * with one the pattern must match to the end, without one it is a beginning.
 */
function patternToRegExp(pattern: string): RegExp {
  const body = pattern
    .split(/\*+/)
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(".*");
  const anchored = /^(?:https?:|\/)/.test(pattern) ? `^${body}` : body;
  return new RegExp(pattern.includes("*") ? `${anchored}$` : anchored, "u");
}

export type UrlFilter = (url: URL) => boolean;

/** Whether a page may become a file; no `include` means everything. */
export function urlFilter({ include, exclude }: Pick<WebConfig, "include" | "exclude">): UrlFilter {
  const matchers = (patterns: string[]) =>
    patterns.map((pattern) => {
      const expression = patternToRegExp(pattern);
      const ofPath = pattern.startsWith("/");
      return (url: URL) => expression.test(ofPath ? `${url.pathname}${url.search}` : url.href);
    });
  const included = matchers(include);
  const excluded = matchers(exclude);
  return (url) =>
    (included.length === 0 || included.some((matches) => matches(url))) &&
    !excluded.some((matches) => matches(url));
}
