import { beforeAll, describe, expect, test } from "vitest";

import type { ListingPage } from "../../../src/ports/source-reader.ts";
import { newCrawl, noteState, stateOf } from "../../../src/sources/web/crawl-state.ts";
import { webConfig } from "../../../src/sources/web/web-config.ts";
import { webReader } from "../../../src/sources/web/web-reader.ts";
import { knownNone } from "../../doubles/source/known-files.ts";
import { buildHandbookSite } from "../../doubles/web-site/handbook-site.ts";
import { BASE, webSource, memoryStore, type Scanned } from "../../doubles/web-site/scanning.ts";
import {
  htmlPage,
  sitemapOf,
  startWebSite,
  type WebSite,
} from "../../doubles/web-site/web-site.ts";

let site: WebSite;
let expected: string[];

const sorted = (texts: Iterable<string>) => [...texts].sort((a, b) => (a < b ? -1 : 1));
const versionsOf = ({ pages }: Scanned) =>
  sorted(pages.map(({ path, version }) => `${path} ${version}`));
const ENDLESS = expect.stringContaining("an endless series") as unknown;
const settings = {
  startUrls: [BASE],
  sitemapUrls: [`${BASE}/sitemap.xml`],
  maxDepth: 20,
  exclude: ["/calendar*"],
};

beforeAll(async () => {
  site = await startWebSite();
  expected = buildHandbookSite(site, BASE).map((path) => `${BASE}${path}`);
  return () => site.stop();
});

describe("a site of more than 300 pages with traps", () => {
  test("is listed exactly, and a second scan downloads nothing", async () => {
    const source = webSource(site.port, settings);
    const first = await source.scan();
    expect(expected.length).toBeGreaterThan(300);
    expect(sorted(source.files.keys())).toEqual(sorted(expected));
    expect(first.pages.length).toBe(expected.length);
    expect(first.pages.filter((file) => file.failure !== undefined)).toEqual([]);
    expect(first.partial).toBe(false);
    expect(first.skipped).toBeGreaterThan(10);
    expect(source.outside).toEqual([]);

    site.requests.length = 0;
    const second = await source.scan();
    expect(sorted(second.pages.map((file) => file.path))).toEqual(sorted(expected));
    expect(versionsOf(second)).toEqual(versionsOf(first));
    const bodies = site.requests.filter(
      ({ path, status }) => status === 200 && expected.includes(BASE + path),
    );
    expect(bodies).toEqual([]);
    expect(site.requests.some(({ path }) => path.startsWith("/private/secret"))).toBe(false);
    expect(site.requests.some(({ path }) => path.startsWith("/run.cgi"))).toBe(false);
    // Nothing but the pages and the list of them is left behind.
    expect([...source.store.entries.keys()].filter((key) => key.startsWith("crawl/"))).toEqual([]);
  });

  test("an endless calendar ends", async () => {
    const source = webSource(site.port, { ...settings, exclude: [], maxPages: 1_000 });
    await source.scan();
    const days = [...source.files.keys()].filter((path) => path.includes("/calendar"));
    expect(days.length).toBeGreaterThan(0);
    expect(days.length).toBeLessThanOrEqual(60);
    expect(sorted([...source.files.keys()].filter((path) => !days.includes(path)))).toEqual(
      sorted(expected),
    );
  });

  test("of numbered pages without end one is told, or they would hide what failed", async () => {
    const startUrls = [`${BASE}/item/1`];
    const source = webSource(site.port, { startUrls, maxDepth: 20, maxPages: 100 });
    const { pages, problems, skipped } = await source.scan();
    expect(pages.length).toBeGreaterThan(50);
    expect(problems).toEqual([
      { path: expect.stringContaining("/item/") as unknown, message: ENDLESS },
    ]);
    expect(skipped).toBeGreaterThan(5);
  });

  test("maxPages and maxDepth bound it, and what they leave out is counted", async () => {
    const few = await webSource(site.port, { ...settings, maxPages: 25 }).scan();
    expect(few.pages.length).toBe(25);
    expect(few.leftOut).toMatchObject([{ limit: "maxPages", isAtLeast: false }]);
    expect(few.leftOut[0]?.addresses).toBeGreaterThan(300);
    const shallow = webSource(site.port, { startUrls: [BASE], maxDepth: 0 });
    const none = { limit: "maxDepth", addresses: 13, isAtLeast: false };
    expect((await shallow.scan()).leftOut).toEqual([none]);
    expect([...shallow.files.keys()]).toEqual([`${BASE}/`]);
    const shallowSource = webSource(site.port, { startUrls: [BASE], maxDepth: 1 });
    const { leftOut } = await shallowSource.scan();
    expect(leftOut).toMatchObject([{ limit: "maxDepth", isAtLeast: false }]);
    expect(leftOut[0]?.addresses).toBeGreaterThan(250);
    const sections = Array.from({ length: 10 }, (_, at) => `${BASE}/section/${at}`);
    expect(sorted(shallowSource.files.keys())).toEqual(
      sorted([`${BASE}/`, `${BASE}/about`, `${BASE}/manual.pdf`, ...sections]),
    );
  });

  test("include and exclude choose the pages", async () => {
    const source = webSource(site.port, {
      startUrls: [`${BASE}/section/3`],
      include: ["/section/3/"],
      exclude: ["page-1*.html"],
    });
    await source.scan();
    const pages = Array.from({ length: 30 }, (_, at) => `page-${at}.html`)
      .filter((name) => !name.startsWith("page-1"))
      .map((name) => `${BASE}/section/3/${name}`);
    expect(sorted(source.files.keys())).toEqual(sorted(pages));
  });

  test("a sitemap alone lists what it names", async () => {
    const source = webSource(site.port, { sitemapUrls: [`${BASE}/sitemap.xml`] });
    await source.scan();
    expect([...source.files.keys()]).toEqual([`${BASE}/orphan/one`]);
  });
});

test("kept pages open without another fetch, with charset, title and language", async () => {
  const source = webSource(site.port, { startUrls: [`${BASE}/latin`] });
  await source.scan();
  const file = source.files.get(`${BASE}/latin`);
  expect(file).toMatchObject({
    name: "latin",
    mimeType: "text/html",
    metadata: { title: "Übersicht", language: "en" },
    url: `${BASE}/latin`,
    externalId: `${BASE}/latin`,
  });
  site.requests.length = 0;
  expect(await source.textOf(`${BASE}/latin`)).toMatchObject({
    mimeType: "text/html; charset=iso-8859-1",
  });
  expect(site.requests).toEqual([]);
  source.store.entries.clear();
  expect(await source.textOf(`${BASE}/latin`)).toMatchObject({
    mimeType: "text/html; charset=iso-8859-1",
  });
  expect(site.requests.map(({ path }) => path)).toContain("/latin");
});

test("a step done twice, even side by side, leaves two crawls that list everything", async () => {
  const { reader } = webSource(site.port, settings);
  const signal = new AbortController().signal;
  const first = await reader.list(null, signal);
  const pathsOf = (page: ListingPage) => page.files.map((file) => file.path);
  const listings = [pathsOf(first), pathsOf(first)];
  let cursors: (string | null)[] = [first.next, first.next];
  while (cursors.some((cursor) => cursor !== null)) {
    const pages = await Promise.all(
      cursors.map(async (cursor) => (cursor === null ? null : await reader.list(cursor, signal))),
    );
    // The last call may be repeated like any other: its worker may have died before the commit.
    const [last] = pages;
    if (last?.next === null && cursors[0] !== undefined) {
      expect(pathsOf(await reader.list(cursors[0], signal))).toEqual(pathsOf(last));
    }
    for (const [at, page] of pages.entries())
      if (page !== null) listings[at]?.push(...pathsOf(page));
    cursors = pages.map((page) => page?.next ?? null);
  }
  for (const paths of listings) expect(sorted(paths)).toEqual(sorted(expected));
});

test("what a site says at endless length is cut, or left out, and stops nothing", async () => {
  const long = "ü ".repeat(100_000);
  site.routes.set("/endless", {
    headers: { etag: JSON.stringify("x".repeat(5_000)), "last-modified": "then" },
    body: htmlPage(long, ["/endless/next"], `<link rel="canonical" href="/c?${long}">`),
  });
  site.routes.set("/endless/next", { body: htmlPage("Next", []) });
  site.routes.set("/endless.xml", sitemapOf([`${BASE}/${"x".repeat(10_000)}`, `${BASE}/endless`]));
  const source = webSource(site.port, {
    startUrls: [`${BASE}/endless`],
    sitemapUrls: [`${BASE}/endless.xml`],
  });
  await source.scan();
  expect(sorted(source.files.keys())).toEqual([`${BASE}/endless`, `${BASE}/endless/next`]);
  const file = source.files.get(`${BASE}/endless`);
  expect(String(file?.metadata["title"])).toHaveLength(500);
  expect(file?.sourceState).toMatchObject({ etag: null, lastModified: "then" });
});

const signal = new AbortController().signal;

/** A crawl of a site in memory, one call of the reader after the other. */
function crawlOf(
  settings: Parameters<typeof webConfig.parse>[0],
  answer: (path: string) => Promise<Response | null>,
) {
  const store = memoryStore();
  const bytes = { read: 0, written: 0 };
  const countedStore: typeof store = {
    ...store,
    async read(key) {
      const value = await store.read(key);
      if (key.startsWith("crawl/")) bytes.read += value?.byteLength ?? 0;
      return value;
    },
    async write(key, part) {
      if (key.startsWith("crawl/")) bytes.written += part.byteLength;
      await store.write(key, part);
    },
  };
  const reader = webReader(webConfig.parse(settings), {
    outgoing: {
      allowPrivate: false,
      fetch: async (address) => {
        const { pathname } = new URL(address);
        return (await answer(pathname)) ?? new Response("not here", { status: 404 });
      },
    },
    store: countedStore,
    known: knownNone,
    now: () => 0,
  });
  return { reader, store, bytes };
}

const html = (title: string, links: string[]) =>
  new Response(htmlPage(title, links), { headers: { "content-type": "text/html" } });

const PAGES = 2_000;
const LINKS = 20;
/** The hashed names of an address and its shape, and its entry while it waits. */
const BYTES_AN_ADDRESS = 200;

test("a long crawl lists every page, and its state is bounded by its addresses", async () => {
  const { reader, store, bytes } = crawlOf(
    { startUrls: [`${BASE}/notes/about-0`], maxDepth: 20, maxPages: PAGES },
    async (path) => {
      const at = Number(/^\/notes\/about-(\d+)$/.exec(path)?.[1] ?? -1);
      if (at < 0) return null;
      const links = Array.from({ length: LINKS }, (_, step) => `about-${(at * 2 + step) % PAGES}`);
      return html(`Note ${at}`, links);
    },
  );
  const allPaths = new Set<string>();
  let calls = 0;
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; calls++) {
    isFirst = false;
    bytes.written = 0;
    const page = await reader.list(cursor, signal);
    for (const { path } of page.files) allPaths.add(path);
    cursor = page.next;
    expect(bytes.written).toBeLessThan(PAGES * BYTES_AN_ADDRESS);
  }
  expect(calls).toBeGreaterThan(1);
  await reader.finishListing?.();
  expect([...store.entries.keys()].filter((key) => key.startsWith("crawl/"))).toEqual([]);
});

test("pages are fetched beside a slow one, and listed in the order they were found", async () => {
  const paths = Array.from({ length: 13 }, (_, at) => `/page-${at}`);
  const fetchedPaths = new Set<string>();
  let othersAsked: () => void = () => undefined;
  const otherPages = new Promise<void>((resolve) => (othersAsked = resolve));
  const { reader } = crawlOf({ startUrls: [`${BASE}/`] }, async (path) => {
    if (path === "/") return html("Start", paths);
    if (!paths.includes(path)) return null;
    fetchedPaths.add(path);
    if (fetchedPaths.size === paths.length) othersAsked();
    // The slow page answers when all the others have been asked for, and not before.
    if (path === "/page-0") await otherPages;
    return html(path, []);
  });
  const { files, next } = await reader.list(null, signal);
  expect(next).toBe(null);
  expect(files.map(({ path }) => path)).toEqual([`${BASE}/`, ...paths.map((path) => BASE + path)]);
});

test("100,000 addresses are told apart", () => {
  const crawl = newCrawl([], false);
  const states = ["waiting", "listed", "dropped"] as const;
  const urls = Array.from(
    { length: 100_000 },
    (_, at) => `${BASE}/archive/${at % 7}/${at}?page=${at * 31}`,
  );
  for (const [at, url] of urls.entries()) {
    expect(stateOf(crawl, url)).toBe(null);
    noteState(crawl, url, states[at % 3] ?? "waiting");
  }
  expect(urls.filter((url, at) => stateOf(crawl, url) !== states[at % 3])).toEqual([]);
});
