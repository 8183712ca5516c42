import { SECOND_MS } from "../../core/time.ts";
import { missingFile, SourceFailure } from "../../ports/source-reader.ts";
import type { LeftOut, ListedFile, OpenedFile, SourceReader } from "../../ports/source-reader.ts";
import type { SourceTools } from "../source-manifest.ts";
import { forgetCrawls, forgetStep, keepCrawl, newCrawl, readCrawl } from "./crawl-state.ts";
import type { Crawl } from "./crawl-state.ts";
import { crawlStep } from "./crawl-step.ts";
import { subjectOf, textOf, type Step } from "./fetch-entry.ts";
import { addMaps, addNamed, urlFilter, type Bounds } from "./frontier.ts";
import { forgetOrphans, readPage } from "./page-store.ts";
import { fetchPage } from "./pages/fetch-page.ts";
import { factsOf } from "./pages/html-page.ts";
import { normalizeUrl, pageAddress } from "./pages/page-url.ts";
import { recordOutcome } from "./record-outcome.ts";
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
      const done = await crawlStep(step);
      crawl.partial ||= step.out.partial;
      if (done) {
        return { ...step.out, partial: crawl.partial, leftOut: leftOutOf(crawl), next: null };
      }
      crawl.step += 1;
      const next = await keepCrawl(store, crawl);
      await forgetStep(store, crawl.id, crawl.step - 2);
      // A crawl's own limits end it, however few of its addresses become files.
      return { ...step.out, partial: crawl.partial, entries: crawl.addresses, next };
    },

    async ended() {
      await forgetOrphans(store, options.known);
      await forgetCrawls(store);
    },

    async look(paths, signal) {
      const crawl = newCrawl([], true);
      for (const path of paths) {
        const url = URL.parse(path);
        if (url !== null) addNamed(crawl, pageAddress(url), "pushed", 0);
      }
      crawl.pushedDone = true;
      const step = stepOf(crawl, signal);
      const endsAt = options.now() + LOOK_TIME_MS;
      let done = false;
      while (!done && options.now() < endsAt) done = await crawlStep(step);
      if (!done) await giveUpWaiting(step);
      return { ...step.out, next: null };
    },

    async open(file, signal) {
      const kept = await readPage(store, file.path, file.version);
      const contentType = textOf(file.sourceState?.["contentType"]);
      if (kept !== null) return openedFrom(kept, contentType ?? file.mimeType);
      return await fetchAgain(stepOf(newCrawl([], true), signal), file);
    },
  };
}

const boundsOf = (config: WebConfig, allowPrivate: boolean): Bounds => ({
  maxDepth: config.maxDepth,
  maxPages: config.maxPages,
  tellsDepth: config.startUrls.length > 0 && config.maxDepth > 0,
  mapDepth: config.startUrls.length === 0 ? config.maxDepth : 1,
  filter: urlFilter(config),
  pushHosts: config.pushHosts === undefined ? null : new Set(config.pushHosts),
  allowPrivate,
});

function leftOutOf({ leftOut }: Crawl): LeftOut[] {
  const { isAtLeast } = leftOut;
  const limits = (["maxPages", "maxDepth"] as const).map((limit) => {
    return { limit, addresses: leftOut[limit], isAtLeast };
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
    if (url !== null) addNamed(crawl, normalizeUrl(url).href, "start", 0);
  }
  addMaps(crawl, bounds, config.sitemapUrls, 0);
  return crawl;
}

async function giveUpWaiting(step: Step): Promise<void> {
  const failure = new SourceFailure("down", "not reached in time");
  const { crawl, known } = step;
  const entries = [...crawl.waiting];
  const files = await known.byPath(entries.map(({ url }) => url));
  for (const entry of entries) {
    const file = files.find(({ path }) => path === entry.url) ?? null;
    await recordOutcome(step, subjectOf(entry, file), { outcome: "failed", failure });
  }
}

function openedFrom(bytes: Uint8Array, mimeType: string): OpenedFile {
  const body = new Response(bytes).body ?? new ReadableStream();
  return { body, size: bytes.byteLength, mimeType };
}

/** The kept bytes were lost: the page as it is now. @throws SourceFailure */
async function fetchAgain(step: Step, file: ListedFile): Promise<OpenedFile> {
  const options = {
    validatorsOf: async () => null,
    anyType: true,
    alone: true,
    refuse: () => null,
  };
  const fetched = await fetchPage(step, new URL(file.path), options);
  if (fetched.outcome === "failed") throw fetched.failure;
  if (fetched.outcome !== "page") throw missingFile("web page");
  const facts = factsOf(fetched.mediaType, fetched.bytes, fetched.contentType);
  if (directivesOf(fetched.robotsTag, facts).noIndex) {
    throw new SourceFailure("bad-file", NOT_TO_BE_INDEXED);
  }
  return openedFrom(fetched.bytes, fetched.contentType ?? fetched.mediaType);
}
