import { SECOND_MS } from "../../../core/clock.ts";
import type { ListedFile } from "../../../ports/source-reader.ts";
import { SourceFailure } from "../../../ports/source-reader.ts";
import type { Waiting } from "./crawl-state.ts";
import { addMapped, addMaps, addNamed, takeWaiting } from "./frontier.ts";
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
const PUSHED_AT_ONCE = 100;

/** Visits what waits until the call's share is used up. Whether the crawl is complete. */
export async function crawlOn(visitor: Visitor, step: Step): Promise<boolean> {
  const startedAt = visitor.now();
  const endsAt = startedAt + TIME_A_CALL_MS;
  let visited = 0;
  let bytes = 0;
  while (visited < PAGES_A_CALL && bytes < BYTES_A_CALL && visitor.now() < endsAt) {
    visitor.signal.throwIfAborted();
    if (step.crawl.waiting.length === 0 && !(await addPushed(step))) return true;
    const entries = takeWaiting(step.crawl, step.bounds, widthOf(visitor));
    visited += entries.length;
    bytes += await visitTogether(visitor, step, entries, startedAt + LATEST_SETTLING_MS);
  }
  return false;
}

/** A server that asks for pauses is visited one page at a time. */
function widthOf({ crawl }: Visitor): number {
  const [next] = crawl.waiting;
  const pauses = next !== undefined && crawlDelayMs(crawl, new URL(next.url).origin) > 0;
  return pauses ? 1 : SIDE_BY_SIDE;
}

/** Pushed URLs of earlier days, once all else is done. Whether any waits now. */
async function addPushed({ crawl, known }: Step): Promise<boolean> {
  while (!crawl.pushedDone && crawl.waiting.length === 0) {
    const files = await known.pushed(crawl.pushedAfter, PUSHED_AT_ONCE);
    for (const { path } of files) addNamed(crawl, path, "pushed", 0);
    crawl.pushedAfter = files.at(-1)?.path ?? crawl.pushedAfter;
    crawl.pushedDone = files.length < PUSHED_AT_ONCE;
  }
  return crawl.waiting.length > 0;
}

async function visitTogether(
  visitor: Visitor,
  step: Step,
  entries: Waiting[],
  latest: number,
): Promise<number> {
  const { crawl } = step;
  const pages = entries.filter(({ kind }) => kind === "page").map(({ url }) => url);
  const files = pages.length === 0 ? [] : await step.known.byPath(pages);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const visits = entries.map(async (entry) => {
    const known = byPath.get(entry.url) ?? null;
    const visit = await visitEntry(visitor, step, entry, known, false);
    return { entry, known, visit };
  });
  let bytes = 0;
  // Settled in the order in which they were found, so that a scan gives the same each time.
  for (const pending of visits) {
    const {
      entry,
      known,
      visit: first,
    } = await pending.catch(async (error: unknown) => {
      await Promise.allSettled(visits);
      throw error;
    });
    if (visitor.now() > latest) {
      crawl.waiting.unshift(...entries.slice(entries.indexOf(entry)));
      break;
    }
    const large = first.outcome === "large";
    const visit = large ? await visitEntry(visitor, step, entry, known, true) : first;
    if (visit.outcome === "page") bytes += visit.bytes.byteLength;
    if (entry.kind === "map") await settleMap(visitor, step, entry, visit);
    else if (crawl.seen.get(entry.url) === "waiting") await settleVisit(step, entry, known, visit);
  }
  return bytes;
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
  crawl.seen.set(entry.url, "dropped");
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
