import { SECOND_MS } from "../../../core/time.ts";
import { SourceFailure } from "../../../ports/source-reader.ts";
import { guardedFetch, readBytes } from "../../guarded-fetch.ts";
import { USER_AGENT, type Crawl, type Crawler } from "../crawl-state.ts";
import { ALLOW_ALL, parseRobots, robotsAllow, type RobotsRules } from "./robots.ts";
import { Parser } from "htmlparser2";

const PRODUCT_TOKEN = "quarry";
const ROBOTS_LIMIT_BYTES = 512_000;
const ROBOTS_REDIRECTS = 5;
const MAX_CRAWL_DELAY_MS = 30 * SECOND_MS;

/** Milliseconds between two requests to a server; 0 when it asks for none. */
export function crawlDelayMs(crawl: Crawl, origin: string): number {
  const seconds = crawl.robots.get(origin)?.crawlDelaySeconds ?? 0;
  return Math.min(seconds * SECOND_MS, MAX_CRAWL_DELAY_MS);
}

/** Why robots.txt forbids an address; null: it does not. */
export async function refusedByRobots(crawler: Crawler, url: URL): Promise<SourceFailure | null> {
  const robots = await rulesOf(crawler, url.origin);
  if (robots === null) return new SourceFailure("down", `robots.txt of ${url.host} cannot be read`);
  if (robotsAllow(robots, url)) return null;
  return new SourceFailure("denied", "robots.txt disallows this page");
}

/** Once a crawl. */
async function rulesOf(crawler: Crawler, origin: string): Promise<RobotsRules | null> {
  const { robots } = crawler.crawl;
  const known = robots.get(origin);
  if (known !== undefined) return known;
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
    return parseRobots(new TextDecoder().decode(await readBytes(got, limits)), PRODUCT_TOKEN);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return error.kind === "down" ? null : ALLOW_ALL;
  }
}

/** An address as written, and what the sitemap says of its last change. */
export type Mapped = { address: string; modified: string };
/** `index`: addresses of further sitemaps; `pages`: addresses of documents. */
export type Sitemap = { kind: "index" | "pages"; addresses: Mapped[] };

/** The protocol's own limit of addresses in one sitemap. */
const MAX_ADDRESSES = 50_000;
const MIB = 1_024 * 1_024;
/** A sitemap has three levels, a feed few more; the parser goes through all at each tag. */
const MAX_LEVELS = 100;
/** The protocol allows 50 MB; memory does not. */
const SITEMAP_LIMIT_BYTES = 16 * MIB;

/**
 * Reads XML, plain text (an address a line), RSS or Atom, gzipped or not. Null: no sitemap.
 * @throws SourceFailure `bad-file` when it unpacks to more than the limit.
 */
export async function readSitemap(bytes: Uint8Array, signal: AbortSignal): Promise<Sitemap | null> {
  const text = new TextDecoder().decode(await unpacked(bytes, signal)).trimStart();
  return text.startsWith("<") ? fromXml(text) : fromLines(text);
}

async function unpacked(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
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

function fromLines(text: string): Sitemap | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const addresses = lines
    .filter((line) => /^https?:\/\//i.test(line))
    .slice(0, MAX_ADDRESSES)
    .map((address) => ({ address, modified: "" }));
  return addresses.length === 0 ? null : { kind: "pages", addresses };
}

const ROOTS = new Set(["urlset", "sitemapindex", "rss", "feed"]);

function fromXml(xml: string): Sitemap | null {
  const addresses: Mapped[] = [];
  let before = 0;
  let modified = "";
  let root = "";
  let path: string[] = [];
  let text = "";
  let isTooDeep = false;
  const local = (name: string) => name.slice(name.indexOf(":") + 1).toLowerCase();
  const add = (address: string) => {
    if (addresses.length >= MAX_ADDRESSES || address.trim() === "") return;
    addresses.push({ address: address.trim(), modified: "" });
  };
  const parser: Parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = local(tag);
        if (root === "") root = name;
        if (name === "link" && path.at(-1) === "entry") add(attributes["href"] ?? "");
        path.push(name);
        text = "";
        if (name === "url") {
          before = addresses.length;
          modified = "";
        }
        isTooDeep ||= path.length > MAX_LEVELS;
        if (isTooDeep) parser.pause();
      },
      ontext(part) {
        text += part;
      },
      onclosetag() {
        const name = path.at(-1);
        const parent = path.at(-2);
        // `image:loc` and the like lie deeper and are no pages.
        if (name === "loc" && (parent === "url" || parent === "sitemap")) add(text);
        if (name === "link" && parent === "item") add(text);
        if (name === "lastmod" && parent === "url") modified = text.trim();
        const own = name === "url" && addresses.length > before ? addresses.at(-1) : undefined;
        if (own !== undefined) own.modified = modified;
        path = path.slice(0, -1);
        text = "";
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  if (isTooDeep || !ROOTS.has(root)) return null;
  return { kind: root === "sitemapindex" ? "index" : "pages", addresses };
}
