import { SECOND_MS } from "../../../core/time.ts";
import { ITEM_COST, yieldNow, runCooperatively } from "../../../core/work/cooperative.ts";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { SourceFailure } from "../../../ports/source-reader.ts";
import { linesOf } from "../../../text/lines.ts";
import { guardedFetch, readBytes, readText, TooLarge } from "../../guarded-fetch.ts";
import { xmlRecords } from "../../xml-records.ts";
import { USER_AGENT, type Crawl, type Crawler } from "../crawl-state.ts";
import { decodeHtml } from "../pages/html-page.ts";
import { ALLOW_ALL, parseRobots, robotsAllow, type RobotsRules } from "./robots.ts";

const PRODUCT_TOKEN = "quarry";
/** RFC 9309 §2.5 asks for 500 KiB; rules of a longer one are not known, and nothing is read. */
const ROBOTS_LIMIT_BYTES = 4 * 1_024 * 1_024;
const ROBOTS_REDIRECTS = 5;
const MAX_CRAWL_DELAY_MS = 30 * SECOND_MS;

/** Milliseconds between two requests to a server; 0 when it asks for none. */
export function crawlDelayMs(crawl: Crawl, origin: string): number {
  const seconds = crawl.robots.get(origin)?.crawlDelaySeconds ?? 0;
  return Math.min(seconds * SECOND_MS, MAX_CRAWL_DELAY_MS);
}

/** Why robots.txt forbids an address; null: it does not. */
export async function robotsRefusal(crawler: Crawler, url: URL): Promise<SourceFailure | null> {
  const robots = await rulesOf(crawler, url.origin);
  if (robots === null) return new SourceFailure("down", `robots.txt of ${url.host} cannot be read`);
  if (robotsAllow(robots, url)) return null;
  return new SourceFailure("denied", "robots.txt disallows this page");
}

/** Once a crawl. */
async function rulesOf(crawler: Crawler, origin: string): Promise<RobotsRules | null> {
  const { robots } = crawler.crawl;
  const cached = robots.get(origin);
  if (cached !== undefined) return cached;
  const loading = crawler.loadingSites.get(origin) ?? readRobots(crawler, origin);
  crawler.loadingSites.set(origin, loading);
  const rules = await loading;
  robots.set(origin, rules);
  return rules;
}

/** RFC 9309 §2.3.1: 4xx allows everything, a server that errs or is silent nothing. */
async function readRobots(crawler: Crawler, origin: string): Promise<RobotsRules | null> {
  try {
    const got = await guardedFetch(crawler.outgoing, `${origin}/robots.txt`, {
      headers: { "user-agent": USER_AGENT },
      signal: crawler.signal,
      timeoutMs: crawler.pageTimeoutMs,
      maxRedirects: ROBOTS_REDIRECTS,
    });
    const { status } = got.response;
    if (status !== 200) {
      await got.response.body?.cancel();
      return status >= 500 || status === 429 ? null : ALLOW_ALL;
    }
    const limits = { callers: crawler.signal, limitBytes: ROBOTS_LIMIT_BYTES };
    return parseRobots(await readText(got, limits), PRODUCT_TOKEN);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return error.kind === "down" || error instanceof TooLarge ? null : ALLOW_ALL;
  }
}

/** An address as written, and what the sitemap says of its last change. */
export type SitemapEntry = { address: string; modified: string };
/** `index`: addresses of further sitemaps; `pages`: addresses of documents. */
export type Sitemap = { kind: "index" | "pages"; addresses: SitemapEntry[]; isWhole: boolean };

/** The protocol's own limit of addresses in one sitemap. */
const MAX_ADDRESSES = 50_000;
const MIB = 1_024 * 1_024;
/** The protocol allows 50 MB; memory does not. */
const SITEMAP_LIMIT_BYTES = 16 * MIB;

/**
 * Reads XML, plain text (an address a line), RSS or Atom, gzipped or not. Null: no sitemap.
 * @throws SourceFailure `bad-file` when it unpacks to more than the limit.
 */
export async function readSitemap(bytes: Uint8Array, signal: AbortSignal): Promise<Sitemap | null> {
  return await runCooperatively(parseSitemap(await unpackGzip(bytes, signal)), yieldNow);
}

function* parseSitemap(bytes: Uint8Array): CooperativeWork<Sitemap | null> {
  const text = (yield* decodeHtml(bytes, null)).trimStart();
  return yield* text.startsWith("<") ? parseXml(text) : parseLines(text);
}

async function unpackGzip(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const body = new Response(bytes).body?.pipeThrough(new DecompressionStream("gzip"));
  const limits = { limitBytes: SITEMAP_LIMIT_BYTES };
  try {
    return await readBytes({ response: new Response(body), signal }, limits);
  } catch (error) {
    if (error instanceof SourceFailure && error.kind === "bad-file") throw error;
    throw new SourceFailure("bad-file", "the sitemap cannot be unpacked");
  }
}

function* parseLines(text: string): CooperativeWork<Sitemap | null> {
  const addresses: SitemapEntry[] = [];
  for (const line of linesOf(text)) {
    const address = line.trim();
    if (/^https?:\/\//i.test(address)) addresses.push({ address, modified: "" });
    if (addresses.length === MAX_ADDRESSES) break;
    yield line.length + ITEM_COST;
  }
  return addresses.length === 0 ? null : { kind: "pages", addresses, isWhole: true };
}

const ROOTS = new Set(["urlset", "sitemapindex", "rss", "rdf", "feed"]);
/** Elements that name an address, and the element that holds it. */
const ENTRIES = new Map([
  ["url", "loc"],
  ["sitemap", "loc"],
  ["item", "link"],
  ["entry", "link"],
]);

function* parseXml(xml: string): CooperativeWork<Sitemap | null> {
  const sitemap = yield* xmlRecords(xml, new Set(ENTRIES.keys()), MAX_ADDRESSES);
  if (sitemap === null || !ROOTS.has(sitemap.root)) return null;
  const addresses = sitemap.records.flatMap(({ name, fields }): SitemapEntry[] => {
    const lastModified = fields.findLast(([field]) => field === "lastmod")?.[1] ?? "";
    const modified = name === "url" ? lastModified.trim() : "";
    const locations = fields.filter(([field]) => field === ENTRIES.get(name));
    return locations.map(([, text]) => ({ address: text.trim(), modified }));
  });
  const firstAddresses = addresses.filter(({ address }) => address !== "").slice(0, MAX_ADDRESSES);
  const kind = sitemap.root === "sitemapindex" ? "index" : "pages";
  return { kind, addresses: firstAddresses, isWhole: sitemap.isWhole };
}
