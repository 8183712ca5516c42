import { SECOND_MS } from "../../core/time.ts";
import { mapParallel } from "../../core/work/parallel.ts";
import { SourceFailure } from "../../ports/source-reader.ts";
import { noteState, stateOf, type Crawl, type QueuedPage } from "./crawl-state.ts";
import { fetchEntry, isForgotten, isPushed, subjectOf, mayPushHost } from "./fetch-entry.ts";
import type { Step, Subject } from "./fetch-entry.ts";
import { addMap, addNamedAddress, addUnmetPage, isBounded, takeWaiting } from "./frontier.ts";
import { UnresponsiveServer, type Outcome } from "./pages/fetch-page.ts";
import { BROKEN_SITEMAP, unreadFile, recordOutcome, skip } from "./record-outcome.ts";
import { crawlDelayMs, readSitemap } from "./site/load-site.ts";

/** One call's share of a crawl: well within a lease, and a listing page that D1 takes easily. */
const PAGES_A_CALL = 60;
const TIME_A_CALL_MS = 20 * SECOND_MS;
/** A page fetched and not recorded by then waits for the next call: large ones come one by one. */
const LATEST_RECORDING_MS = 45 * SECOND_MS;
const BYTES_A_CALL = 48 * 1_024 * 1_024;
const SIDE_BY_SIDE = 4;
/** Pages of a wave: a slow one delays none of the others. */
const WAVE = 16;
const KNOWN_AT_ONCE = 500;

/** Whether the crawl is complete. Pages are recorded in the order in which they were found. */
export async function crawlStep(step: Step): Promise<boolean> {
  const startedAt = step.now();
  let pages = 0;
  let bytes = 0;
  for (;;) {
    step.signal.throwIfAborted();
    const isLate = step.now() >= startedAt + TIME_A_CALL_MS;
    if (isLate || pages >= PAGES_A_CALL || bytes >= BYTES_A_CALL) return false;
    const wave = await nextWave(step, PAGES_A_CALL - pages);
    if (wave.length === 0 && step.crawl.waiting.length === 0 && !(await addKnownPages(step))) {
      return true;
    }
    pages += wave.length;
    bytes += await readWave(step, wave, startedAt);
  }
}

async function nextWave({ crawl, bounds, known: knownFiles }: Step, atMost: number) {
  const entries: QueuedPage[] = [];
  while (entries.length < atMost) {
    const [next] = crawl.waiting;
    if (next === undefined || entries.length >= roomFor(crawl, new URL(next.url))) break;
    const entry = takeWaiting(crawl, bounds, entries.filter(isBounded).length);
    if (entry === null) break;
    entries.push(entry);
  }
  const pages = entries.filter(({ kind }) => kind === "page").map(({ url }) => url);
  const files = pages.length === 0 ? [] : await knownFiles.byPath(pages);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return entries.map((entry) => subjectOf(entry, byPath.get(entry.url) ?? null));
}

/** A wave has one page where the server asks for pauses, and few where it is new. */
function roomFor(crawl: Crawl, { origin }: URL): number {
  if (crawlDelayMs(crawl, origin) > 0) return 1;
  return crawl.robots.has(origin) ? WAVE : SIDE_BY_SIDE;
}

/** Bytes that were read. What there is no time for waits again. */
async function readWave(step: Step, wave: Subject[], startedAt: number): Promise<number> {
  const fetched = await mapParallel(wave, SIDE_BY_SIDE, async (subject, at) => {
    const isBegun = at < SIDE_BY_SIDE || step.now() < startedAt + TIME_A_CALL_MS;
    return isBegun ? await fetchEntry(step, subject, false) : null;
  });
  let bytes = 0;
  for (const [at, subject] of wave.entries()) {
    const { entry } = subject;
    const first = fetched[at] ?? null;
    if (first === null || step.now() > startedAt + LATEST_RECORDING_MS) {
      step.crawl.waiting.unshift(...wave.slice(at).map((later) => later.entry));
      break;
    }
    const isLarge = first.outcome === "large";
    const page = isLarge ? await fetchEntry(step, subject, true) : first;
    bytes += page.outcome === "page" ? page.bytes.byteLength : 0;
    if (entry.kind === "map") await recordSitemap(step, entry, page);
    else if (stateOf(step.crawl, entry.url) === "waiting") await recordOutcome(step, subject, page);
  }
  return bytes;
}

/**
 * Pushed URLs of earlier days, once all else is done, and pages that the crawl has not met though
 * they may be there. Whether any waits now.
 */
async function addKnownPages({ bounds, crawl, known: knownFiles, now }: Step): Promise<boolean> {
  while (!crawl.knownDone) {
    const which = crawl.isDoubtful ? "all" : "pushed";
    const files = await knownFiles[which](crawl.knownAfter, KNOWN_AT_ONCE);
    for (const file of files) {
      const { path } = file;
      if (!isPushed(file)) {
        if (crawl.lacksMap || !isForgotten(file, now())) addUnmetPage(crawl, bounds, file);
      } else if (mayPushHost(bounds, new URL(path))) addNamedAddress(crawl, path, "pushed", 0);
    }
    crawl.knownAfter = files.at(-1)?.path ?? crawl.knownAfter;
    crawl.knownDone = files.length < KNOWN_AT_ONCE;
    if (crawl.waiting.length > 0) return true;
  }
  return false;
}

async function recordSitemap(step: Step, entry: QueuedPage, fetched: Outcome): Promise<void> {
  const { crawl, bounds, signal } = step;
  noteState(crawl, entry.url, "dropped");
  try {
    if (fetched.outcome === "failed") throw fetched.failure;
    const map = fetched.outcome === "page" ? await readSitemap(fetched.bytes, signal) : null;
    if (map === null || fetched.outcome !== "page") {
      throw new SourceFailure("bad-file", "there is no sitemap at this address");
    }
    const from = { base: fetched.url, depth: entry.depth + 1, found: entry.found };
    await addMap(crawl, bounds, map, from);
    // The pages behind its end are not known.
    if (!map.isWhole) throw new SourceFailure("bad-file", "the sitemap breaks off");
  } catch (error) {
    if (!(error instanceof SourceFailure) || error instanceof UnresponsiveServer) throw error;
    recordUnreadSitemap(step, entry, error);
    // Many a robots.txt names a sitemap that was deleted.
    const isExpected = entry.found === "link" && fetched.outcome === "missing";
    if (!isExpected) doubtKnownPages(crawl, entry, error);
  }
}

/** These are asked for themselves, unless the server is asked too often already. */
function doubtKnownPages(crawl: Step["crawl"], { found: foundBy }: QueuedPage, why: SourceFailure) {
  if (why.kind === "throttled") return;
  crawl.isDoubtful = true;
  crawl.lacksMap ||= foundBy !== "link";
}

function recordUnreadSitemap(step: Step, { url, found: foundBy }: QueuedPage, why: SourceFailure) {
  const failure = { kind: why.kind, message: `sitemap: ${why.message}` };
  const sourceState = { [BROKEN_SITEMAP]: failure.message };
  if (foundBy === "link") skip(step, url, failure.message);
  else step.out.files.push({ ...unreadFile(url, "application/xml"), sourceState, failure });
  if (why.kind === "down" || why.kind === "throttled") step.out.partial = true;
}
