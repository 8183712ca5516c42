import { guardUrl } from "../guarded-url.ts";
import { countOfShape, countShape, noteState, noteTooDeep, stateOf } from "./crawl-state.ts";
import type { Crawl, FoundBy, Waiting } from "./crawl-state.ts";
import { hasParts, isTooLong, looksEndless, neverDocument } from "./pages/page-url.ts";
import { normalizeUrl, pageTime, shapeOf } from "./pages/page-url.ts";
import type { Mapped } from "./site/load-site.ts";
import type { WebConfig } from "./web-config.ts";

export type Bounds = Pick<WebConfig, "maxDepth" | "maxPages"> & {
  /** Whether links deeper than `maxDepth` are told as left out; not where none are followed. */
  tellsDepth: boolean;
  /** Depth of what a sitemap names: 1 beside start URLs; alone, its pages lead no further. */
  mapDepth: number;
  filter: UrlFilter;
  /** Hosts of which pushed addresses are read; null: all. */
  pushHosts: ReadonlySet<string> | null;
  allowPrivate: boolean;
};

/** Of the pages that a crawl may list, those of one shape that lead to each other: calendars. */
const SHAPE_SHARE = 0.5;
const MIN_OF_SHAPE = 50;
/** Addresses remembered for each page that may be listed. */
const SEEN_PER_PAGE = 3;
const SPARE = 500;
const MAX_MAPS = 500;
const MAX_MAP_DEPTH = 2;

export type Origin = { url: URL; depth: number };

/** Takes a link in, unless it leads elsewhere. Its address, if it was left out as a trap. */
export function addLink(crawl: Crawl, bounds: Bounds, link: string, from: Origin): string | null {
  const url = wantedLink(crawl, bounds, link, from.url);
  if (url === null) return null;
  const shape = shapeOf(url);
  const leadsOn = shape === shapeOf(from.url);
  const ofShape = countOfShape(crawl, shape);
  const shapeLimit = Math.max(MIN_OF_SHAPE, bounds.maxPages * SHAPE_SHARE);
  if (looksEndless(url) || (leadsOn && ofShape >= shapeLimit)) {
    noteState(crawl, url.href, "dropped");
    return url.href;
  }
  countShape(crawl, shape);
  add(crawl, { url: url.href, kind: "page", found: "link", depth: from.depth + 1 });
  return null;
}

/** A link as a page of this crawl that was not seen before; null when it is none. */
function wantedLink(crawl: Crawl, bounds: Bounds, link: string, base: URL): URL | null {
  const verdict = guardUrl(link, base, bounds.allowPrivate);
  if (!verdict.ok || !crawl.hosts.has(verdict.url.host)) return null;
  const url = normalizeUrl(verdict.url);
  if (neverDocument(url) || !bounds.filter(url) || stateOf(crawl, url.href) !== null) return null;
  return isFull(crawl, bounds) ? null : url;
}

export function addTooDeep(crawl: Crawl, bounds: Bounds, link: string, base: URL): void {
  const url = wantedLink(crawl, bounds, link, base);
  if (url !== null && !looksEndless(url)) noteTooDeep(crawl, url.href);
}

/** Whether no more addresses are remembered: they would not become pages. */
function isFull(crawl: Crawl, { maxPages }: Bounds): boolean {
  const full = crawl.addresses > maxPages * SEEN_PER_PAGE + SPARE;
  crawl.leftOut.isAtLeast ||= full;
  return full;
}

/** An address that someone named; `pushed` ones keep the form in which they were given. */
export function addNamed(crawl: Crawl, url: string, found: FoundBy, depth: number): void {
  add(crawl, { url, kind: "page", found, depth });
}

/** Pages of a sitemap: of this crawl's hosts and as the filter allows. */
export function addMapped(crawl: Crawl, bounds: Bounds, mapped: Mapped, map: URL): void {
  const verdict = guardUrl(mapped.address, map, bounds.allowPrivate);
  if (!verdict.ok || !crawl.hosts.has(verdict.url.host) || !bounds.filter(verdict.url)) return;
  if (isTooLong(verdict.url) || isFull(crawl, bounds)) return;
  const url = normalizeUrl(verdict.url).href;
  const modifiedAt = pageTime(mapped.modified);
  const when = modifiedAt === null ? {} : { modifiedAt };
  add(crawl, { url, kind: "page", found: "sitemap", depth: bounds.mapDepth, ...when });
}

/** Sitemaps come first: what they name is named, even when a page links to it as well. */
export function addMaps(crawl: Crawl, bounds: Bounds, addresses: string[], depth: number): void {
  const maps: Waiting[] = [];
  for (const address of addresses) {
    const verdict = guardUrl(address, undefined, bounds.allowPrivate);
    if (!verdict.ok || !crawl.hosts.has(verdict.url.host)) continue;
    const { href } = verdict.url;
    if (depth > MAX_MAP_DEPTH || crawl.maps >= MAX_MAPS || stateOf(crawl, href) !== null) continue;
    crawl.maps += 1;
    noteState(crawl, href, "waiting");
    maps.push({ url: href, kind: "map", found: "sitemap", depth });
  }
  crawl.waiting.unshift(...maps);
}

function add(crawl: Crawl, entry: Waiting): void {
  if (stateOf(crawl, entry.url) !== null) return;
  noteState(crawl, entry.url, "waiting");
  crawl.waiting.push(entry);
}

/** Whether the limits on a crawl's pages count this one. */
export const isBounded = ({ kind, found }: Waiting) => kind === "page" && found !== "pushed";

/** Null: there is none, or none may be fetched before the `underWay` bounded ones have ended. */
export function takeWaiting(crawl: Crawl, bounds: Bounds, underWay: number): Waiting | null {
  const { waiting } = crawl;
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    // A redirect or a canonical link may have settled it meanwhile.
    if (stateOf(crawl, entry.url) !== "waiting") continue;
    if (!isBounded(entry)) return entry;
    if (bounds.maxPages - crawl.listed - underWay > 0) return entry;
    if (underWay > 0) {
      waiting.unshift(entry);
      return null;
    }
    noteState(crawl, entry.url, "dropped");
    crawl.leftOut.maxPages += 1;
  }
  return null;
}

/**
 * A pattern that begins with `http` is compared with the whole address, one that begins with `/`
 * with path and query, any other with a part of the address. `*` stands for any characters;
 * with one the pattern must match to the end, without one it is a beginning.
 */
function matcherOf(pattern: string): (text: string) => boolean {
  const parts = pattern.split(/\*+/);
  const how = { toEnd: parts.length > 1, anywhere: !/^(?:https?:|\/)/.test(pattern) };
  return (text) => hasParts(text, parts, how);
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
