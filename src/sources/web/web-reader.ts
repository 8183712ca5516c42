import { SECOND_MS } from "../../core/time.ts";
import { kindByMediaType } from "../../documents/media-type/media-types.ts";
import { missingFile, SourceFailure } from "../../ports/source-reader.ts";
import type { LeftOut, ListedFile, OpenedFile, SourceReader } from "../../ports/source-reader.ts";
import { forgetOrphans, readPage } from "../page-store.ts";
import type { SourceTools } from "../source-manifest.ts";
import { forgetCrawls, forgetStep, keepCrawl, newCrawl, readCrawl } from "./crawl-state.ts";
import type { Crawl } from "./crawl-state.ts";
import { crawlStep } from "./crawl-step.ts";
import { fetchEntry, isPushed, redirectTarget, subjectOf, textOf } from "./fetch-entry.ts";
import type { Step, Subject } from "./fetch-entry.ts";
import { addMaps, addNamedAddress, addStart, boundsOf, type Bounds } from "./frontier.ts";
import type { Page } from "./pages/fetch-page.ts";
import { pageAddress } from "./pages/page-url.ts";
import { BROKEN_SITEMAP, recordOutcome } from "./record-outcome.ts";
import { directivesOf, NOT_TO_BE_INDEXED } from "./site/robots.ts";
import type { WebConfig } from "./web-config.ts";

const PAGE_TIMEOUT_MS = 20 * SECOND_MS;
/** Pushed URLs that are not reached by then are errors, and looked at again by the next scan. */
const LOOK_TIME_MS = 40 * SECOND_MS;

export type WebOptions = Pick<SourceTools, "outgoing" | "store" | "known" | "now"> & {
  /** The whole exchange for one page, ms. */
  pageTimeoutMs?: number;
  /** Waits between pages of a server that asks for it. */
  wait?: Step["wait"];
};

/**
 * Pages of the web. A crawl goes on over many calls: its state lies in the store, the cursor only
 * names it. A page's version is the hash of its bytes; they are kept in the store when listed, so
 * that `open` need not fetch again.
 */
export function webReader(config: WebConfig, options: WebOptions): SourceReader {
  const { store, outgoing } = options;
  const bounds = boundsOf(config, outgoing.allowPrivate);
  const stepOf = (crawl: Crawl, signal: AbortSignal): Step => ({
    wait: async (ms) => await scheduler.wait(ms, { signal }),
    pageTimeoutMs: PAGE_TIMEOUT_MS,
    ...options,
    bounds,
    signal,
    crawl,
    loadingSites: new Map(),
    out: { files: [], deleted: [], partial: false, skipped: 0, problems: [] },
  });
  return {
    async list(cursor, signal) {
      const crawl = cursor === null ? beginCrawl(config, bounds) : await readCrawl(store, cursor);
      const step = stepOf(crawl, signal);
      const isDone = await crawlStep(step);
      crawl.partial ||= step.out.partial;
      if (isDone) {
        return { ...step.out, partial: crawl.partial, leftOut: leftOutCounts(crawl), next: null };
      }
      crawl.step += 1;
      const next = await keepCrawl(store, crawl);
      await forgetStep(store, crawl.id, crawl.step - 2);
      // A crawl's own limits end it, however few of its addresses become files.
      return { ...step.out, partial: crawl.partial, entries: crawl.addresses, next };
    },

    async finishListing() {
      await forgetOrphans(store, options.known);
      await forgetCrawls(store);
    },

    async readPushed(paths, signal) {
      const crawl = newCrawl([], true);
      for (const path of paths) {
        const url = URL.parse(path);
        if (url !== null) addNamedAddress(crawl, pageAddress(url), "pushed", 0);
      }
      crawl.knownDone = true;
      const step = stepOf(crawl, signal);
      const endsAt = options.now() + LOOK_TIME_MS;
      let isDone = false;
      while (!isDone && options.now() < endsAt) isDone = await crawlStep(step);
      if (!isDone) await giveUpWaiting(step);
      return { ...step.out, next: null };
    },

    async open(file, signal) {
      const storedPage = await readPage(store, file.path, file.version);
      const contentType = textOf(file.sourceState?.["contentType"]);
      if (storedPage !== null) return openBytes(storedPage, contentType ?? file.mimeType);
      return await fetchAgain(stepOf(newCrawl([], true), signal), file);
    },
  };
}

/** Reasons for leaving a page out that are no limits: nobody has to act. */
const ABOUT = new Map([
  ["startUrls", "outside the folder of the start addresses"],
  [
    "views",
    "other views of pages, such as orders of a directory, versions in a wiki, forms to sign in",
  ],
  ["copies", "pages that equal another one, or name it as the canonical one"],
  ["sitemapUrls", "named by a sitemap, on other hosts or beyond 500 sitemaps"],
]);

function leftOutCounts({ leftOut: { isAtLeast, ...counts } }: Crawl): LeftOut[] {
  const limits = Object.entries(counts).map(([limit, addresses]) => {
    return { limit, about: ABOUT.get(limit), addresses, isAtLeast };
  });
  return limits.filter(({ addresses }) => addresses > 0);
}

function beginCrawl(config: WebConfig, bounds: Bounds): Crawl {
  const addresses = [...config.startUrls, ...config.sitemapUrls];
  const crawl = newCrawl(
    addresses.flatMap((text) => URL.parse(text)?.host ?? []),
    false,
  );
  for (const text of config.startUrls) {
    const url = URL.parse(text);
    if (url !== null) addStart(crawl, url);
  }
  addMaps(crawl, bounds, config.sitemapUrls, { depth: 0, found: "sitemap" });
  return crawl;
}

async function giveUpWaiting(step: Step): Promise<void> {
  const failure = new SourceFailure("down", "not reached in time");
  const { crawl, known: knownFiles } = step;
  const entries = [...crawl.waiting];
  const files = await knownFiles.byPath(entries.map(({ url }) => url));
  for (const entry of entries) {
    const file = files.find(({ path }) => path === entry.url) ?? null;
    await recordOutcome(step, subjectOf(entry, file), { outcome: "failed", failure });
  }
}

/** Addresses may end like files of another kind, `index.php`: a type that names the kind decides. */
function openBytes(bytes: Uint8Array, mimeType: string): OpenedFile {
  const body = new Response(bytes).body ?? new ReadableStream();
  const isTelling = !["text", null].includes(kindByMediaType(mimeType));
  return { body, size: bytes.byteLength, mimeType, ...(isTelling ? { name: "" } : {}) };
}

/**
 * A page whose bytes were not kept, by the rules of the crawl: what a scan would not list is not
 * read here either. @throws SourceFailure
 */
async function fetchAgain(step: Step, file: ListedFile): Promise<OpenedFile> {
  const brokenSitemap = textOf(file.sourceState?.[BROKEN_SITEMAP]);
  if (brokenSitemap !== null) throw new SourceFailure("bad-file", brokenSitemap);
  const foundBy = isPushed(file) ? "pushed" : "sitemap";
  const subject = subjectOf({ url: file.path, kind: "page", found: foundBy, depth: 0 }, file);
  const fetched = await fetchEntry(step, subject, true);
  if (fetched.outcome === "failed") {
    const { kind, message } = fetched.failure;
    // A page that no scan ever read has no earlier version to keep.
    const isVoid = kind === "denied" && file.version === "";
    throw isVoid ? new SourceFailure("bad-file", message) : fetched.failure;
  }
  if (fetched.outcome !== "page") throw missingFile("web page");
  const refusal = refusalOf(step, subject, fetched);
  if (refusal !== null) throw new SourceFailure("bad-file", refusal);
  return openBytes(fetched.bytes, fetched.contentType ?? fetched.mediaType);
}

function refusalOf({ bounds }: Step, subject: Subject, page: Page): string | null {
  if (redirectTarget(subject, page.url) !== null) return "redirects to another page";
  if (directivesOf(page.robotsTag, page.facts).noIndex) return NOT_TO_BE_INDEXED;
  const isTaken = subject.found === "pushed" || bounds.filter(page.url);
  return isTaken ? null : "left out by the settings";
}
