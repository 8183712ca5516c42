import { decodePercent } from "../../../core/input/web-address.ts";
import { timeIn } from "../../../core/time.ts";

/** Parameters that say who followed a link, not what it leads to. */
const TRACKING =
  /^(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|phpsessid|jsessionid|sessionid|_ga|yclid|cfid|cftoken|oscsid|zenid)$/i;
/** A session of a forum or a shop: these names are used for other things, with other values. */
const SESSION = /^(?:s|sid|session|session_id)=(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-z]{26})$/i;
/** Java and ASP.NET write sessions into paths: https://learn.microsoft.com/previous-versions/dotnet/articles/aa479314(v=msdn.10) */
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid)=[^/?;]*|\/\(S\([a-z0-5]{24}\)\)(?=\/)/gi;

/** Addresses of one page: for a folder, servers answer with its index. */
export function twinsOf(address: string): string[] {
  const folder = address.replace(/\/index\.html?$/, "/");
  if (!folder.endsWith("/") || folder.includes("?")) return [address];
  return [folder, `${folder}index.html`, `${folder}index.htm`];
}

/** One address for one page: no fragment, no tracking, percent-encoding in one way. */
export function normalizeUrl(url: URL): URL {
  const normal = new URL(url.href);
  normal.hash = "";
  normal.pathname = normal.pathname
    .replace(SESSION_IN_PATH, "")
    .replace(ESCAPE, unescapeUnreserved);
  // An empty query and none are the same page; assigning "" drops the question mark.
  normal.search = normal.search.slice(1).split("&").filter(isTelling).join("&");
  return normal;
}

/** Other parts of a query stay as written: servers read `?/a%20b` and `?%2Fa+b=` differently. */
const isTelling = (part: string) =>
  !TRACKING.test(part.split("=", 1)[0] ?? "") && !SESSION.test(part);

/** The number of a part, in a query that begins with `&` or at the end of a path. */
const PART =
  /&(?:(?:current)?page(?:d|_?no|_?num(?:ber)?|_?index)?|pg?|start|offset)=\d+(?=&|$)|\/page[/-]?\d+(?=\/?(?:&|$))/gi;
const withoutPart = ({ href }: URL) => href.replace("?", "&").replace(PART, "").replace(/\/$/, "");

/** Whether an address is that of a further part of a long list or text: `?page=2`, `/page/2/`. */
export const isFurtherPart = (part: URL, whole: URL): boolean =>
  part.href !== whole.href && withoutPart(part) === withoutPart(whole);

export const ESCAPE = /%[0-9a-f]{2}/gi;

export function unescapeUnreserved(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : escape.toUpperCase();
}

/**
 * Whether these parts follow each other: the first at the beginning, unless it may stand anywhere,
 * the last at the end if `toEnd`. Each is taken at its first place, so that the time is linear.
 */
export function hasParts(
  text: string,
  [first = "", ...rest]: string[],
  { toEnd, anywhere = false }: { toEnd: boolean; anywhere?: boolean },
): boolean {
  const last = toEnd ? rest.pop() : undefined;
  const start = anywhere ? text.indexOf(first) : text.startsWith(first) ? 0 : -1;
  if (start === -1) return false;
  let next = start + first.length;
  for (const part of rest) {
    const at = text.indexOf(part, next);
    if (at === -1) return false;
    next = at + part.length;
  }
  if (!toEnd) return true;
  if (last === undefined) return next === text.length;
  return text.length - last.length >= next && text.endsWith(last);
}

/** A time as pages and sitemaps write it, often without a zone: then UTC. Null: it is none. */
export const pageTime = (text: string): number | null => timeIn(text) ?? timeIn(`${text}Z`);

/** The stored name of a pushed URL: the address without fragment and credentials. */
export function pageAddress(url: URL): string {
  const bare = new URL(url.href);
  bare.hash = "";
  bare.username = "";
  bare.password = "";
  return bare.href;
}

/** The last segment of the path, or the host. */
export function nameOfPage(url: URL): string {
  return decodePercent(url.pathname.split("/").findLast((part) => part !== "") ?? url.host);
}

/** Not even counted. Endings that names have, too (`bignumber.js`), are left to `Content-Type`. */
const NO_DOCUMENT =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gv]|wav|flac|mov|avi|mkv|zip|gz|tgz|bz2|xz|7z|rar|tar|dmg|iso|exe|msi|deb|rpm|apk|jar)$/i;

export const isNeverDocument = ({ pathname }: URL) => NO_DOCUMENT.test(pathname);

const MAX_URL_LENGTH = 2_000;
const MAX_SEGMENTS = 20;
const MAX_REPEATS = 3;

/** No page of a site needs so long an address; a row of the database could not hold any. */
export const isTooLong = ({ href }: URL) => href.length > MAX_URL_LENGTH;

/** An address that only a trap makes: endless, or the same segments over and over. */
export function isEndless(url: URL): boolean {
  if (isTooLong(url)) return true;
  const segments = url.pathname.split("/").filter((part) => part !== "");
  if (segments.length > MAX_SEGMENTS) return true;
  const counts = new Map<string, number>();
  // A page that adds a parameter to its own address, once more for each link, ends as little.
  const names = [...url.searchParams.keys()].map((name) => `?${name}`);
  for (const segment of [...segments, ...names])
    counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return [...counts.values()].some((count) => count > MAX_REPEATS);
}

/** The shape that addresses of one generator share: numbers and values are left out. */
export function shapeOf(url: URL): string {
  const path = url.pathname.replace(/\d+/g, "0");
  const names = [...new Set(url.searchParams.keys())].sort((a, b) => (a < b ? -1 : 1));
  return `${url.host}${path}?${names.join("&")}`;
}
