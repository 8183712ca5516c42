import { expect, test } from "vitest";

import { webConfig } from "../../../src/sources/web/web-config.ts";
import { newCrawl, noteState, stateOf } from "../../../src/sources/web/crawl-state.ts";
import { webReader } from "../../../src/sources/web/web-reader.ts";
import { memoryStore } from "../../doubles/web-site/scanning.ts";
import { htmlPage } from "../../doubles/web-site/web-site.ts";

const BASE = "http://moss.example.com";
const signal = new AbortController().signal;

/** A crawl of a site in memory, one call of the reader after the other. */
function crawlOf(
  settings: Parameters<typeof webConfig.parse>[0],
  answer: (path: string) => Promise<Response | null>,
) {
  const store = memoryStore();
  const bytes = { read: 0, written: 0 };
  const counted: typeof store = {
    ...store,
    async read(key) {
      const found = await store.read(key);
      if (key.startsWith("crawl/")) bytes.read += found?.byteLength ?? 0;
      return found;
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
    store: counted,
    known: {
      byPath: async () => [],
      byExternalId: async () => [],
      all: async () => [],
      pushed: async () => [],
    },
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
  const listed = new Set<string>();
  let calls = 0;
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; calls++) {
    isFirst = false;
    bytes.written = 0;
    const page = await reader.list(cursor, signal);
    for (const { path } of page.files) listed.add(path);
    cursor = page.next;
    expect(bytes.written).toBeLessThan(PAGES * BYTES_AN_ADDRESS);
  }
  expect(calls).toBeGreaterThan(1);
  await reader.ended?.();
  expect([...store.entries.keys()].filter((key) => key.startsWith("crawl/"))).toEqual([]);
});

test("pages are fetched beside a slow one, and listed in the order they were found", async () => {
  const paths = Array.from({ length: 13 }, (_, at) => `/page-${at}`);
  const asked = new Set<string>();
  let othersAsked: () => void = () => undefined;
  const others = new Promise<void>((resolve) => (othersAsked = resolve));
  const { reader } = crawlOf({ startUrls: [`${BASE}/`] }, async (path) => {
    if (path === "/") return html("Start", paths);
    if (!paths.includes(path)) return null;
    asked.add(path);
    if (asked.size === paths.length) othersAsked();
    // The slow page answers when all the others have been asked for, and not before.
    if (path === "/page-0") await others;
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
