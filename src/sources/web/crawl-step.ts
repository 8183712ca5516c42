import { SECOND_MS } from "../../core/clock.ts";
import type { ListedFile } from "../../ports/source-reader.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { noteState, stateOf, type Crawl, type Waiting } from "./crawl-state.ts";
import { fillWaiting } from "./crawl-store.ts";
import { addMapped, addMaps, addNamed, isBounded, takeWaiting } from "./frontier.ts";
import { crawlDelayMs } from "./meet-site.ts";
import { nameOfPage, normalizeUrl } from "./page-url.ts";
import { foundAs, settleVisit, type Step } from "./settle.ts";
import { readSitemap } from "./sitemap.ts";
import { SilentServer, visitPage, type Validators, type Visit, type Wanted } from "./visit.ts";
import type { Visitor } from "./visitor.ts";

/** One call's share of a crawl: well within a lease, and a listing page that D1 takes easily. */
const PAGES_A_CALL = 60;
const TIME_A_CALL_MS = 20 * SECOND_MS;
/** What was fetched and not settled by then waits for the next call: large pages come one by one. */
const LATEST_SETTLING_MS = 45 * SECOND_MS;
const BYTES_A_CALL = 48 * 1_024 * 1_024;
const SIDE_BY_SIDE = 4;
/** While a slow page is waited for, others up to this many and this size are fetched. */
const AHEAD = 16;
const BYTES_AHEAD = 8 * 1_024 * 1_024;
const PUSHED_AT_ONCE = 100;

/** A page on its way; they are settled in the order in which they set off. */
type Flight = { entry: Waiting; known: ListedFile | null; visit: Promise<Visit> };

type Crossing = {
  visitor: Visitor;
  step: Step;
  flights: Flight[];
  /** Bytes that were fetched and wait for an earlier page. */
  bytesAhead: number;
  inLane: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/**
 * Visits what waits until the call's share is used up. Whether the crawl is complete. Pages are
 * fetched side by side, and settled in the order in which they were found, so that a scan gives
 * the same each time; a slow one delays none of the fetches beside it.
 */
export async function crawlOn(visitor: Visitor, step: Step): Promise<boolean> {
  const flights: Flight[] = [];
  const crossing = { visitor, step, flights, bytesAhead: 0, inLane: lanes(SIDE_BY_SIDE) };
  try {
    return await cross(crossing);
  } finally {
    await Promise.allSettled(flights.map(({ visit }) => visit));
  }
}

async function cross(crossing: Crossing): Promise<boolean> {
  const { visitor, step, flights } = crossing;
  const startedAt = visitor.now();
  let visited = 0;
  let bytes = 0;
  for (;;) {
    visitor.signal.throwIfAborted();
    const isOver =
      visited >= PAGES_A_CALL ||
      bytes >= BYTES_A_CALL ||
      visitor.now() >= startedAt + TIME_A_CALL_MS;
    if (!isOver) visited += await setOff(crossing, PAGES_A_CALL - visited);
    const [flight] = flights;
    if (flight === undefined) {
      if (isOver) return false;
      if (!(await fillWaiting(step.store, step.crawl)) && !(await addPushed(step))) return true;
      continue;
    }
    const visit = await flight.visit;
    if (visitor.now() > startedAt + LATEST_SETTLING_MS) {
      step.crawl.waiting.unshift(...flights.map(({ entry }) => entry));
      return false;
    }
    flights.shift();
    bytes += await land(crossing, flight, visit);
  }
}

/** Lets as many pages set off as there is room for; how many. */
async function setOff(crossing: Crossing, atMost: number): Promise<number> {
  const { step, flights } = crossing;
  const { crawl, bounds } = step;
  await fillWaiting(step.store, crawl);
  const entries: Waiting[] = [];
  let bounded = flights.filter(({ entry }) => isBounded(entry)).length;
  while (entries.length < atMost && crossing.bytesAhead < BYTES_AHEAD) {
    const [next] = crawl.waiting;
    if (next === undefined) break;
    if (flights.length + entries.length >= aheadOf(crawl, new URL(next.url))) break;
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
    flights.push({ entry, known, visit: fly(crossing, entry, known) });
  }
  return entries.length;
}

function fly(crossing: Crossing, entry: Waiting, known: ListedFile | null): Promise<Visit> {
  const { visitor, step } = crossing;
  const visit = crossing.inLane(async () => {
    const done = await visitEntry(visitor, step, entry, known, false);
    crossing.bytesAhead += bytesOf(done);
    return done;
  });
  // It is looked at in its turn; until then its failure is nobody's surprise.
  visit.catch(() => undefined);
  return visit;
}

/** A server that asks for pauses is visited one page at a time; an unknown one with care. */
function aheadOf(crawl: Crawl, { origin }: URL): number {
  if (crawlDelayMs(crawl, origin) > 0) return 1;
  return crawl.sites.has(origin) ? AHEAD : SIDE_BY_SIDE;
}

const bytesOf = (visit: Visit) => (visit.outcome === "page" ? visit.bytes.byteLength : 0);

/** Settles a page that has been fetched. Returns its bytes. */
async function land(crossing: Crossing, flight: Flight, first: Visit): Promise<number> {
  const { visitor, step, flights } = crossing;
  const { entry, known } = flight;
  crossing.bytesAhead -= bytesOf(first);
  let visit = first;
  if (first.outcome === "large") {
    // Nothing else may be read beside it.
    await Promise.allSettled(flights.map((other) => other.visit));
    visit = await visitEntry(visitor, step, entry, known, true);
  }
  if (entry.kind === "map") await settleMap(visitor, step, entry, visit);
  else if (stateOf(step.crawl, entry.url) === "waiting") {
    await settleVisit(step, entry, known, visit);
  }
  return bytesOf(visit);
}

/** Runs work as soon as fewer than `limit` run. */
function lanes(limit: number): Crossing["inLane"] {
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
async function addPushed({ crawl, known, store }: Step): Promise<boolean> {
  while (!crawl.pushedDone) {
    const files = await known.pushed(crawl.pushedAfter, PUSHED_AT_ONCE);
    for (const { path } of files) addNamed(crawl, path, "pushed", 0);
    crawl.pushedAfter = files.at(-1)?.path ?? crawl.pushedAfter;
    crawl.pushedDone = files.length < PUSHED_AT_ONCE;
    if (await fillWaiting(store, crawl)) return true;
  }
  return false;
}

export async function visitEntry(
  visitor: Visitor,
  step: Step,
  entry: Waiting,
  known: ListedFile | null,
  alone: boolean,
): Promise<Visit> {
  const url = new URL(entry.url);
  const wanted: Wanted = {
    validatorsOf: async (hop) => validatorsOf(await knownAt(step, entry, known, hop)),
    anyType: entry.kind === "map" || entry.found !== "link",
    refuse: (hop) => refusedHop(step, entry, known, url, hop),
    alone,
  };
  return await visitPage(visitor, url, wanted);
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

/** A start URL may move to the host with or without `www`; a pushed one anywhere. */
function refusedHop(
  { crawl }: Step,
  entry: Waiting,
  known: ListedFile | null,
  from: URL,
  to: URL,
): string | null {
  if (crawl.hosts.has(to.host) || foundAs(entry, known) === "pushed") return null;
  const bare = (url: URL) => url.host.replace(/^www\./, "");
  if (entry.found === "start" && bare(from) === bare(to)) {
    crawl.hosts.add(to.host);
    return null;
  }
  return "redirects to another host";
}

async function settleMap(visitor: Visitor, step: Step, entry: Waiting, visit: Visit) {
  const { crawl, bounds, out } = step;
  noteState(crawl, entry.url, "dropped");
  try {
    if (visit.outcome === "failed") throw visit.failure;
    const map = visit.outcome === "page" ? await readSitemap(visit.bytes, visitor.signal) : null;
    if (map === null || visit.outcome !== "page") {
      throw new SourceFailure("bad-file", "there is no sitemap at this address");
    }
    if (map.kind === "index") addMaps(crawl, bounds, map.addresses, entry.depth + 1);
    else for (const address of map.addresses) addMapped(crawl, bounds, address, visit.url);
  } catch (error) {
    if (!(error instanceof SourceFailure) || error instanceof SilentServer) throw error;
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
