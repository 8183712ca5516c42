import { toBatches } from "../../core/work/batches.ts";
import { yieldNow } from "../../core/work/cooperative.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import { guardUrl } from "../guarded-url.ts";
import { countOfShape, countShape, hostOf, noteLeftOut, noteState } from "./crawl-state.ts";
import { isOwnHost, stateOf } from "./crawl-state.ts";
import type { Crawl, FoundBy, LeftOutReason, QueuedPage } from "./crawl-state.ts";
import { hasParts, isTooLong, isEndless, isNeverDocument } from "./pages/page-url.ts";
import { normalizeUrl, pageTime, shapeOf, twinsOf } from "./pages/page-url.ts";
import { isFormBefore, isOtherView } from "./pages/views.ts";
import type { SitemapEntry, Sitemap } from "./site/load-site.ts";
import type { WebConfig } from "./web-config.ts";

export type Bounds = ReturnType<typeof boundsOf>;

export const boundsOf = (config: WebConfig, allowPrivate: boolean) => ({
  maxDepth: config.maxDepth,
  maxPages: config.maxPages,
  /** Whether `include` says what is read, in place of the folders of the start URLs. */
  isIncluding: config.include.length > 0,
  /** Depth of what a sitemap names: 1 beside start URLs; alone, its pages lead no further. */
  mapDepth: config.startUrls.length === 0 ? config.maxDepth : 1,
  filter: urlFilter(config),
  /** Hosts of which pushed addresses are read; null: all. */
  pushHosts: config.pushHosts === undefined ? null : new Set(config.pushHosts),
  allowPrivate,
});

/**
 * Share of the pages that a crawl may list which may have one shape and lead to each other:
 * calendars.
 */
const SHAPE_SHARE = 0.5;
const MIN_OF_SHAPE = 50;
/** A page to which no link of this crawl led has it: the links beyond it are not followed. */
export const UNKNOWN_DEPTH = Number.MAX_SAFE_INTEGER;
/** Addresses remembered for each page that may be listed. */
const SEEN_PER_PAGE = 3;
const SPARE = 500;
const MAX_MAPS = 500;
const MAX_MAP_DEPTH = 2;
/** Names of addresses and shapes, those that were left out included. */
const notesLimit = ({ maxPages }: Bounds) => 2 * (maxPages * SEEN_PER_PAGE + SPARE);

export const leaveOut = (crawl: Crawl, bounds: Bounds, url: string, reason: LeftOutReason) =>
  noteLeftOut(crawl, url, reason, notesLimit(bounds));

export type Origin = { url: URL; depth: number; generator: string };

const folderOf = (url: URL) =>
  `${hostOf(url)}${url.pathname.slice(0, url.pathname.lastIndexOf("/") + 1)}`;

function isInFolder({ folders }: Crawl, url: URL): boolean {
  const address = `${hostOf(url)}${url.pathname}/`;
  return folders.size === 0 || [...folders.values()].some((folder) => address.startsWith(folder));
}

/** Whether it is the page of a whole site, or of a folder that the crawl stays within. */
export const isFirstPage = ({ folders }: Crawl, url: URL): boolean =>
  url.search === "" &&
  (url.pathname === "/" || [...folders.values()].includes(`${hostOf(url)}${url.pathname}`));

/** Whether a page that nobody named may become a file, by its normal address. */
export const isWanted = (crawl: Crawl, bounds: Bounds, url: URL) =>
  isOwnHost(crawl, url) && bounds.filter(url) && (bounds.isIncluding || isInFolder(crawl, url));

export function addStart(crawl: Crawl, address: URL): void {
  const url = normalizeUrl(address);
  crawl.folders.set(url.href, folderOf(url));
  add(crawl, { url: url.href, kind: "page", found: "start", depth: 0 });
}

/** Where a start URL led: that folder bounds the crawl, and the sitemaps of that server are read. */
export function enterSite(crawl: Crawl, bounds: Bounds, start: string, answered: URL): void {
  const url = normalizeUrl(answered);
  const isFolder = url.pathname === `${new URL(start).pathname}/`;
  if (isFolder || !isInFolder(crawl, url)) crawl.folders.set(start, folderOf(url));
  const sitemaps = bounds.maxDepth === 0 ? [] : (crawl.robots.get(url.origin)?.sitemaps ?? []);
  // A robots.txt may name sitemaps of other hosts: https://www.sitemaps.org/protocol.html#location
  addMaps(crawl, bounds, sitemaps, { base: url, depth: 0, found: "link", isOfAnyHost: true });
}

/** Whether the crawl has met the address, or reads the same page at another. */
const isMet = (crawl: Crawl, { href }: URL) =>
  stateOf(crawl, href) !== null ||
  twinsOf(href).some((twin) => ["waiting", "listed"].includes(stateOf(crawl, twin) ?? ""));

/** Takes a link in, unless it leads elsewhere. Its address, if it was left out as a trap. */
export function addLink(crawl: Crawl, bounds: Bounds, link: string, from: Origin): string | null {
  const url = checkLink(crawl, bounds, link, from);
  if (url === null) return null;
  const shape = shapeOf(url);
  const leadsOn = shape === shapeOf(from.url);
  const ofShape = countOfShape(crawl, shape);
  const shapeLimit = Math.max(MIN_OF_SHAPE, bounds.maxPages * SHAPE_SHARE);
  if (isEndless(url) || (leadsOn && ofShape >= shapeLimit)) {
    noteState(crawl, url.href, "dropped");
    return url.href;
  }
  countShape(crawl, shape);
  add(crawl, { url: url.href, kind: "page", found: "link", depth: from.depth + 1 });
  return null;
}

/** A link as a page of this crawl that was not seen before; null when it is none. */
function checkLink(crawl: Crawl, bounds: Bounds, link: string, from: Origin): URL | null {
  const verdict = guardUrl(link, from.url, bounds.allowPrivate);
  if (!verdict.ok || !isOwnHost(crawl, verdict.url)) return null;
  const url = normalizeUrl(verdict.url);
  if (isNeverDocument(url) || !bounds.filter(url) || isMet(crawl, url)) return null;
  const isView = isOtherView(url, from.generator) || isFormBefore(from.url, url);
  if (isView || !isWanted(crawl, bounds, url)) {
    leaveOut(crawl, bounds, url.href, isView ? "views" : "startUrls");
    return null;
  }
  return isFull(crawl, bounds) ? null : url;
}

export function addTooDeep(crawl: Crawl, bounds: Bounds, link: string, from: Origin): null {
  const url = from.depth === UNKNOWN_DEPTH ? null : checkLink(crawl, bounds, link, from);
  if (url !== null && !isEndless(url)) leaveOut(crawl, bounds, url.href, "maxDepth");
  return null;
}

/** Whether no more addresses are remembered: they would not become pages. */
function isFull(crawl: Crawl, { maxPages }: Bounds): boolean {
  const full = crawl.addresses > maxPages * SEEN_PER_PAGE + SPARE;
  crawl.leftOut.isAtLeast ||= full;
  return full;
}

/** An address that someone named; `pushed` ones keep the form in which they were given. */
export function addNamedAddress(crawl: Crawl, url: string, foundBy: FoundBy, depth: number): void {
  add(crawl, { url, kind: "page", found: foundBy, depth });
}

/** Takes in a page that earlier scans read and no link led to. */
export function addUnmetPage(crawl: Crawl, bounds: Bounds, { path, version }: ListedFile): void {
  const url = new URL(path);
  const isUnmet = version !== "" && isWanted(crawl, bounds, url) && !isMet(crawl, url);
  if (isUnmet) addNamedAddress(crawl, path, "link", UNKNOWN_DEPTH);
}

const MAPPED_AT_ONCE = 500;

export async function addMap(
  crawl: Crawl,
  bounds: Bounds,
  { kind, addresses }: Sitemap,
  from: MapOrigin & { base: URL },
): Promise<void> {
  if (kind === "index") {
    const maps = addresses.map(({ address }) => address);
    addMaps(crawl, bounds, maps, from);
    return;
  }
  for (const batch of toBatches(addresses, MAPPED_AT_ONCE)) {
    for (const mapped of batch) addMappedPage(crawl, bounds, mapped, from);
    await yieldNow();
  }
}

/** Pages of a sitemap: of this crawl's hosts and as the filter allows. */
function addMappedPage(
  crawl: Crawl,
  bounds: Bounds,
  mapped: SitemapEntry,
  { base, found: foundBy }: Pick<MapOrigin, "base" | "found">,
): void {
  const verdict = guardUrl(mapped.address, base, bounds.allowPrivate);
  if (!verdict.ok || !isOwnHost(crawl, verdict.url)) {
    leaveOut(crawl, bounds, mapped.address, "sitemapUrls");
    return;
  }
  if (!bounds.filter(verdict.url) || isTooLong(verdict.url) || isFull(crawl, bounds)) return;
  const url = normalizeUrl(verdict.url);
  if (isMet(crawl, url)) return;
  if (foundBy === "link" && !isWanted(crawl, bounds, url)) {
    leaveOut(crawl, bounds, url.href, "startUrls");
    return;
  }
  const modifiedAt = pageTime(mapped.modified);
  const when = modifiedAt === null ? {} : { modifiedAt };
  add(crawl, { url: url.href, kind: "page", found: foundBy, depth: bounds.mapDepth, ...when });
}

/** The origin of a sitemap: the settings, a robots.txt or another sitemap. */
type MapOrigin = { base?: URL; depth: number; found: FoundBy; isOfAnyHost?: boolean };

/** Sitemaps come first: what they name is named, even when a page links to it as well. */
export function addMaps(crawl: Crawl, bounds: Bounds, addresses: string[], from: MapOrigin): void {
  const { base, depth, found: foundBy, isOfAnyHost = false } = from;
  const maps: QueuedPage[] = [];
  for (const address of addresses) {
    const verdict = guardUrl(address, base, bounds.allowPrivate);
    const isTaken =
      verdict.ok &&
      (isOfAnyHost || isOwnHost(crawl, verdict.url) || base?.host === verdict.url.host) &&
      depth <= MAX_MAP_DEPTH &&
      crawl.maps < MAX_MAPS;
    if (!isTaken) {
      leaveOut(crawl, bounds, address, "sitemapUrls");
      continue;
    }
    const { href } = verdict.url;
    if (stateOf(crawl, href) !== null) continue;
    crawl.maps += 1;
    noteState(crawl, href, "waiting");
    maps.push({ url: href, kind: "map", found: foundBy, depth });
  }
  crawl.waiting.unshift(...maps);
}

function add(crawl: Crawl, entry: QueuedPage): void {
  if (stateOf(crawl, entry.url) !== null) return;
  noteState(crawl, entry.url, "waiting");
  crawl.waiting.push(entry);
}

/** Whether the limits on a crawl's pages count this one. */
export const isBounded = ({ kind, found: foundBy }: QueuedPage) =>
  kind === "page" && foundBy !== "pushed";

/** Null: there is none, or none may be fetched before the `underWay` bounded ones have ended. */
export function takeWaiting(
  crawl: Crawl,
  { maxPages }: Pick<Bounds, "maxPages">,
  underWay: number,
) {
  const { waiting } = crawl;
  const hasRoom = maxPages - crawl.listed - underWay > 0;
  let skipped = 0;
  let next: QueuedPage | null = null;
  for (const entry of waiting) {
    // A redirect or a canonical link may have settled it meanwhile.
    const isDue = stateOf(crawl, entry.url) === "waiting";
    const isTaken = isDue && (hasRoom || !isBounded(entry));
    if (isTaken) next = entry;
    if (isTaken || (isDue && underWay > 0)) break;
    skipped += 1;
    if (!isDue) continue;
    noteState(crawl, entry.url, "dropped");
    crawl.leftOut.maxPages += 1;
  }
  // At once: to shift a long list by each entry takes time that grows with its square.
  waiting.splice(0, next === null ? skipped : skipped + 1);
  return next;
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

/** A parser would make a whole address of `http://10.0.*`, whose figures are as they are. */
const NAMED_HOST = /^https?:\/\/(?![\d.]*(?:[:/*?#]|$))[^/*?#\\]+\/?/i;

/** Addresses have no default port; a slash keeps `https://host:443*` from `https://host:4430/`. */
function encodeOrigin(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  const isPath = text.endsWith("/") || (url.port === "" && /:\d+$/.test(text));
  return `${url.origin}${isPath ? "/" : ""}`;
}

/** Hosts in punycode, spaces and letters beyond ASCII percent-encoded. */
const encodePattern = (pattern: string): string =>
  pattern
    .replace(NAMED_HOST, encodeOrigin)
    .replace(/[^!-~]+/g, (letters) => encodeURIComponent(letters.toWellFormed()));

export type UrlFilter = (url: URL) => boolean;

/** Whether a page may become a file; no `include` means everything. */
export function urlFilter({ include, exclude }: Pick<WebConfig, "include" | "exclude">): UrlFilter {
  const matchers = (patterns: string[]) =>
    patterns.map((text) => {
      const pattern = encodePattern(text);
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
