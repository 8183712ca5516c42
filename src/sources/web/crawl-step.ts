import { SECOND_MS } from "../../core/time.ts";
import { inParallel } from "../../core/work/parallel.ts";
import { SourceFailure, type ListedFile } from "../../ports/source-reader.ts";
import { noteState, stateOf, type Crawl, type Crawler, type Waiting } from "./crawl-state.ts";
import { addMapped, addMaps, addNamed, isBounded, takeWaiting } from "./frontier.ts";
import { crawlDelayMs, readSitemap } from "./site/load-site.ts";
import { nameOfPage, normalizeUrl } from "./pages/page-url.ts";
import { foundAs, recordOutcome, type Step } from "./record-outcome.ts";
import {
  UnresponsiveServer,
  fetchPage,
  type Validators,
  type Fetched,
  type FetchOptions,
} from "./pages/fetch-page.ts";

/** One call's share of a crawl: well within a lease, and a listing page that D1 takes easily. */
const PAGES_A_CALL = 60;
const TIME_A_CALL_MS = 20 * SECOND_MS;
/** A page fetched and not recorded by then waits for the next call: large ones come one by one. */
const LATEST_RECORDING_MS = 45 * SECOND_MS;
const BYTES_A_CALL = 48 * 1_024 * 1_024;
const SIDE_BY_SIDE = 4;
/** Pages of a wave: a slow one delays none of the others. */
const WAVE = 16;
const PUSHED_AT_ONCE = 100;

type Fetching = { entry: Waiting; known: ListedFile | null };

/**
 * Fetches what waits until the call's share is used up. Whether the crawl is complete. Pages are
 * fetched in parallel, wave by wave, and recorded in the order in which they were found, so that a
 * scan gives the same each time.
 */
export async function crawlStep(crawler: Crawler, step: Step): Promise<boolean> {
  const startedAt = crawler.now();
  let pages = 0;
  let bytes = 0;
  for (;;) {
    crawler.signal.throwIfAborted();
    const isLate = crawler.now() >= startedAt + TIME_A_CALL_MS;
    if (isLate || pages >= PAGES_A_CALL || bytes >= BYTES_A_CALL) return false;
    const wave = await nextWave(step, PAGES_A_CALL - pages);
    if (wave.length === 0 && step.crawl.waiting.length === 0 && !(await addPushed(step))) {
      return true;
    }
    pages += wave.length;
    bytes += await readWave(crawler, step, wave, startedAt);
  }
}

async function nextWave({ crawl, bounds, known }: Step, atMost: number): Promise<Fetching[]> {
  const entries: Waiting[] = [];
  while (entries.length < atMost) {
    const [next] = crawl.waiting;
    if (next === undefined || entries.length >= roomFor(crawl, new URL(next.url))) break;
    const entry = takeWaiting(crawl, bounds, entries.filter(isBounded).length);
    if (entry === null) break;
    entries.push(entry);
  }
  const pages = entries.filter(({ kind }) => kind === "page").map(({ url }) => url);
  const files = pages.length === 0 ? [] : await known.byPath(pages);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return entries.map((entry) => ({ entry, known: byPath.get(entry.url) ?? null }));
}

/** A wave has one page where the server asks for pauses, and few where it is new. */
function roomFor(crawl: Crawl, { origin }: URL): number {
  if (crawlDelayMs(crawl, origin) > 0) return 1;
  return crawl.robots.has(origin) ? WAVE : SIDE_BY_SIDE;
}

/** Bytes that were read. What there is no time for waits again. */
async function readWave(crawler: Crawler, step: Step, wave: Fetching[], startedAt: number) {
  const fetched = await inParallel(wave, SIDE_BY_SIDE, async ({ entry, known }, at) => {
    const isBegun = at < SIDE_BY_SIDE || crawler.now() < startedAt + TIME_A_CALL_MS;
    return isBegun ? await fetchEntry(crawler, step, entry, known, false) : null;
  });
  let bytes = 0;
  for (const [at, { entry, known }] of wave.entries()) {
    const first = fetched[at] ?? null;
    if (first === null || crawler.now() > startedAt + LATEST_RECORDING_MS) {
      step.crawl.waiting.unshift(...wave.slice(at).map((later) => later.entry));
      break;
    }
    const isLarge = first.outcome === "large";
    const page = isLarge ? await fetchEntry(crawler, step, entry, known, true) : first;
    bytes += page.outcome === "page" ? page.bytes.byteLength : 0;
    if (entry.kind === "map") await recordSitemap(crawler, step, entry, page);
    else if (stateOf(step.crawl, entry.url) === "waiting") {
      await recordOutcome(step, entry, known, page);
    }
  }
  return bytes;
}

/** Pushed URLs of earlier days, once all else is done. Whether any waits now. */
async function addPushed({ bounds, crawl, known }: Step): Promise<boolean> {
  while (!crawl.pushedDone) {
    const files = await known.pushed(crawl.pushedAfter, PUSHED_AT_ONCE);
    for (const { path } of files) {
      if (takesPushesOf(bounds, new URL(path))) addNamed(crawl, path, "pushed", 0);
    }
    crawl.pushedAfter = files.at(-1)?.path ?? crawl.pushedAfter;
    crawl.pushedDone = files.length < PUSHED_AT_ONCE;
    if (crawl.waiting.length > 0) return true;
  }
  return false;
}

export async function fetchEntry(
  crawler: Crawler,
  step: Step,
  entry: Waiting,
  known: ListedFile | null,
  alone: boolean,
): Promise<Fetched> {
  const url = new URL(entry.url);
  const options: FetchOptions = {
    validatorsOf: async (hop) => validatorsOf(await knownAt(step, entry, known, hop)),
    anyType: entry.kind === "map" || entry.found !== "link",
    refuse: (hop) => refusedHop(step, entry, known, url, hop),
    alone,
  };
  return await fetchPage(crawler, url, options);
}

/** What is known of the address that is asked now; a redirect leads to another file's. */
async function knownAt(step: Step, entry: Waiting, known: ListedFile | null, hop: URL) {
  // What was pushed is fetched whole, even where nothing says that it changed.
  if (step.crawl.isLook || entry.kind === "map") return null;
  if (hop.href === entry.url || foundAs(entry, known) === "pushed") return known;
  return (await step.known.byPath([normalizeUrl(hop).href]))[0] ?? null;
}

function validatorsOf(known: ListedFile | null): Validators | null {
  if (known === null || known.version === "") return null;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const { etag, lastModified } = known.sourceState ?? {};
  return { etag: text(etag), lastModified: text(lastModified) };
}

const takesPushesOf = ({ pushHosts }: Step["bounds"], { hostname }: URL) =>
  pushHosts === null || pushHosts.has(hostname);

/** A start URL may move to the host with or without `www`; a pushed one wherever pushes may be of. */
function refusedHop(
  { bounds, crawl }: Step,
  entry: Waiting,
  known: ListedFile | null,
  from: URL,
  to: URL,
): string | null {
  if (crawl.hosts.has(to.host)) return null;
  if (foundAs(entry, known) === "pushed" && takesPushesOf(bounds, to)) return null;
  const bare = (url: URL) => url.host.replace(/^www\./, "");
  if (entry.found === "start" && bare(from) === bare(to)) {
    crawl.hosts.add(to.host);
    return null;
  }
  return "redirects to another host";
}

async function recordSitemap(crawler: Crawler, step: Step, entry: Waiting, fetched: Fetched) {
  const { crawl, bounds, out } = step;
  noteState(crawl, entry.url, "dropped");
  try {
    if (fetched.outcome === "failed") throw fetched.failure;
    const map =
      fetched.outcome === "page" ? await readSitemap(fetched.bytes, crawler.signal) : null;
    if (map === null || fetched.outcome !== "page") {
      throw new SourceFailure("bad-file", "there is no sitemap at this address");
    }
    if (map.kind === "pages") {
      for (const mapped of map.addresses) addMapped(crawl, bounds, mapped, fetched.url);
      return;
    }
    const addresses = map.addresses.map(({ address }) => address);
    addMaps(crawl, bounds, addresses, entry.depth + 1);
  } catch (error) {
    if (!(error instanceof SourceFailure) || error instanceof UnresponsiveServer) throw error;
    const failure = { kind: error.kind, message: `sitemap: ${error.message}` };
    out.files.push({ ...unreadMap(entry.url), failure });
    if (error.kind === "down" || error.kind === "throttled") out.partial = true;
  }
}

function unreadMap(url: string): ListedFile {
  return {
    path: url,
    externalId: url,
    url,
    name: nameOfPage(new URL(url)),
    size: 0,
    mimeType: "application/xml",
    version: "",
    metadata: {},
    sourceState: null,
  };
}
