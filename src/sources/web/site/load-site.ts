import { SECOND_MS } from "../../../core/time.ts";
import { SourceFailure } from "../../../ports/source-reader.ts";
import { guardedFetch, readBytes } from "../../guarded-fetch.ts";
import { USER_AGENT, type Crawl, type Crawler } from "../crawl-state.ts";
import { ALLOW_ALL, parseRobots, robotsAllow, type RobotsRules } from "./robots.ts";

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
  await loadSiteOnce(crawler, url);
  const robots = crawler.crawl.robots.get(url.origin) ?? null;
  if (robots === null) return new SourceFailure("down", `robots.txt of ${url.host} cannot be read`);
  if (robotsAllow(robots, url)) return null;
  return new SourceFailure("denied", "robots.txt disallows this page");
}

/** Once a crawl. */
async function loadSiteOnce(crawler: Crawler, { origin }: URL): Promise<void> {
  if (crawler.crawl.robots.has(origin)) return;
  const loading = crawler.loadingSites.get(origin) ?? loadSite(crawler, origin);
  crawler.loadingSites.set(origin, loading);
  await loading;
}

async function loadSite(crawler: Crawler, origin: string): Promise<void> {
  crawler.crawl.robots.set(origin, await readRobots(crawler, origin));
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
