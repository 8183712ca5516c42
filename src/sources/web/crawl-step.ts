import { SECOND_MS } from "../../core/time.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { noteState, stateOf, type Crawl, type Crawler, type Waiting } from "./crawl-state.ts";
import { addMapped, addMaps, addNamed, isBounded, takeWaiting } from "./frontier.ts";
import { crawlDelayMs } from "./site/load-site.ts";
import { nameOfPage, normalizeUrl } from "./pages/page-url.ts";
import { foundAs, recordOutcome, type Step } from "./record-outcome.ts";
import { readSitemap } from "./site/sitemap.ts";
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
/** While a slow page is waited for, others up to this many and this size are fetched. */
const AHEAD = 16;
const BYTES_AHEAD = 8 * 1_024 * 1_024;
const PUSHED_AT_ONCE = 100;

/** A page being fetched; pages are recorded in the order in which their fetches began. */
type PendingFetch = { entry: Waiting; known: ListedFile | null; fetched: Promise<Fetched> };

type StepRun = {
  crawler: Crawler;
  step: Step;
  pending: PendingFetch[];
  /** Bytes that were fetched and wait for an earlier page. */
  bytesAhead: number;
  limited: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/**
 * Fetches what waits until the call's share is used up. Whether the crawl is complete. Pages are
 * fetched in parallel and recorded in the order in which they were found, so that a scan gives
 * the same each time; a slow one delays none of the fetches beside it.
 */
export async function crawlStep(crawler: Crawler, step: Step): Promise<boolean> {
  const pending: PendingFetch[] = [];
  const run = { crawler, step, pending, bytesAhead: 0, limited: limiter(SIDE_BY_SIDE) };
  try {
    return await fetchAndRecord(run);
  } finally {
    await Promise.allSettled(pending.map(({ fetched }) => fetched));
  }
}

async function fetchAndRecord(run: StepRun): Promise<boolean> {
  const { crawler, step, pending } = run;
  const startedAt = crawler.now();
  let fetchedPages = 0;
  let bytes = 0;
  for (;;) {
    crawler.signal.throwIfAborted();
    const isOver =
      fetchedPages >= PAGES_A_CALL ||
      bytes >= BYTES_A_CALL ||
      crawler.now() >= startedAt + TIME_A_CALL_MS;
    if (!isOver) fetchedPages += await startFetches(run, PAGES_A_CALL - fetchedPages);
    const [first] = pending;
    if (first === undefined) {
      if (isOver) return false;
      if (step.crawl.waiting.length === 0 && !(await addPushed(step))) return true;
      continue;
    }
    const fetched = await first.fetched;
    if (crawler.now() > startedAt + LATEST_RECORDING_MS) {
      step.crawl.waiting.unshift(...pending.map(({ entry }) => entry));
      return false;
    }
    pending.shift();
    bytes += await recordFetched(run, first, fetched);
  }
}

/** Begins as many fetches as there is room for; how many. */
async function startFetches(run: StepRun, atMost: number): Promise<number> {
  const { step, pending } = run;
  const { crawl, bounds } = step;
  const entries: Waiting[] = [];
  let bounded = pending.filter(({ entry }) => isBounded(entry)).length;
  while (entries.length < atMost && run.bytesAhead < BYTES_AHEAD) {
    const [next] = crawl.waiting;
    if (next === undefined) break;
    if (pending.length + entries.length >= aheadOf(crawl, new URL(next.url))) break;
    const entry = takeWaiting(crawl, bounds, bounded);
    if (entry === null) break;
    if (isBounded(entry)) bounded += 1;
    entries.push(entry);
  }
  const pages = entries.filter(({ kind }) => kind === "page").map(({ url }) => url);
  const files = pages.length === 0 ? [] : await step.known.byPath(pages);
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const entry of entries) {
    const known = byPath.get(entry.url) ?? null;
    pending.push({ entry, known, fetched: startFetch(run, entry, known) });
  }
  return entries.length;
}

function startFetch(run: StepRun, entry: Waiting, known: ListedFile | null): Promise<Fetched> {
  const { crawler, step } = run;
  const fetched = run.limited(async () => {
    const done = await fetchEntry(crawler, step, entry, known, false);
    run.bytesAhead += bytesOf(done);
    return done;
  });
  // A failure is handled when the page's turn comes; until then it counts as handled.
  fetched.catch(() => undefined);
  return fetched;
}

/** How many pages may be fetched ahead: one where the server asks for pauses, few where it is new. */
function aheadOf(crawl: Crawl, { origin }: URL): number {
  if (crawlDelayMs(crawl, origin) > 0) return 1;
  return crawl.robots.has(origin) ? AHEAD : SIDE_BY_SIDE;
}

const bytesOf = (fetched: Fetched) => (fetched.outcome === "page" ? fetched.bytes.byteLength : 0);

/** Records a page that has been fetched. Returns its bytes. */
async function recordFetched(
  run: StepRun,
  { entry, known }: PendingFetch,
  first: Fetched,
): Promise<number> {
  const { crawler, step, pending } = run;
  run.bytesAhead -= bytesOf(first);
  let fetched = first;
  if (first.outcome === "large") {
    // No other body may be read at the same time.
    await Promise.allSettled(pending.map((other) => other.fetched));
    fetched = await fetchEntry(crawler, step, entry, known, true);
  }
  if (entry.kind === "map") await recordSitemap(crawler, step, entry, fetched);
  else if (stateOf(step.crawl, entry.url) === "waiting") {
    await recordOutcome(step, entry, known, fetched);
  }
  return bytesOf(fetched);
}

/** Runs work as soon as fewer than `limit` run. */
function limiter(limit: number): StepRun["limited"] {
  const queue: (() => void)[] = [];
  let free = limit;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
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
    if (map.kind === "index") addMaps(crawl, bounds, map.addresses, entry.depth + 1);
    else for (const address of map.addresses) addMapped(crawl, bounds, address, fetched.url);
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
