import { expect, test, vi } from "vitest";

import { webConfig } from "../../../src/sources/web/web-config.ts";
import { CompactMap } from "../../../src/sources/web/compact-map.ts";
import { webReader } from "../../../src/sources/web/web-reader.ts";
import { memoryStore } from "../../doubles/web-site/scanning.ts";
import { htmlPage } from "../../doubles/web-site/web-site.ts";

/** Servers that never answer are waited for, on a busy machine too. */
vi.setConfig({ testTimeout: 60_000 });

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

const PAGES = 4_000;
const LINKS = 20;
/** Key and state of an address, and the count of its shape. */
const BYTES_AN_ADDRESS = 20;

test("a call costs no more when thousands of pages are known than when few are", async () => {
  const addresses = Array.from({ length: PAGES }, (_, at) => `${BASE}/notes/about-${at}`);
  const { reader, store, bytes } = crawlOf(
    { sitemapUrls: [`${BASE}/sitemap.txt`], startUrls: [`${BASE}/notes/about-0`], maxPages: PAGES },
    async (path) => {
      if (path === "/sitemap.txt") return new Response(addresses.slice(0, PAGES / 2).join("\n"));
      const at = Number(/^\/notes\/about-(\d+)$/.exec(path)?.[1] ?? -1);
      if (at < 0) return null;
      const links = Array.from({ length: LINKS }, (_, step) => `about-${(at * 2 + step) % PAGES}`);
      return html(`Note ${at}`, links);
    },
  );
  const calls: { read: number; written: number }[] = [];
  const listed = new Set<string>();
  let cursor: string | null = null;
  do {
    Object.assign(bytes, { read: 0, written: 0 });
    const page = await reader.list(cursor, signal);
    for (const { path } of page.files) listed.add(path);
    cursor = page.next;
    calls.push({ ...bytes });
  } while (cursor !== null);
  expect(listed.size).toBe(PAGES);
  expect(calls.length).toBeGreaterThanOrEqual(PAGES / 60);
  // Beside the notes of addresses a call reads and writes the head and a few parts of the queue.
  const most = (part: typeof calls, of: "read" | "written") => Math.max(...part.map((c) => c[of]));
  const early = calls.slice(2, 20);
  // The last call reads the list of all pages, once a crawl.
  const late = calls.slice(20, -1);
  const notes = PAGES * BYTES_AN_ADDRESS;
  expect(most(late, "written")).toBeLessThan(most(early, "written") + notes);
  expect(most(late, "read")).toBeLessThan(most(early, "read") + notes);
  const sum = (part: typeof calls) => part.reduce((all, { written }) => all + written, 0);
  const perCall = (part: typeof calls) => sum(part) / part.length;
  expect(perCall(late)).toBeLessThan(1.5 * perCall(early));
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

test("100,000 addresses are told apart, and kept in a megabyte", () => {
  const notes = new CompactMap();
  const count = 100_000;
  const nameOf = (at: number) => `address ${BASE}/archive/${at % 7}/${at}?page=${at * 31}`;
  for (let at = 0; at < count; at++) {
    expect(notes.get(nameOf(at))).toBe(undefined);
    notes.set(nameOf(at), at % 3);
  }
  const bytes = notes.takeChanges();
  expect(bytes.byteLength).toBe(count * 10);
  expect(notes.takeChanges().byteLength).toBe(0);
  const read = new CompactMap();
  read.add(bytes);
  const wrong = Array.from({ length: count }, (_, at) => at).filter(
    (at) => read.get(nameOf(at)) !== at % 3,
  );
  expect(wrong).toEqual([]);
  expect(read.everything()).toEqual(bytes);
});
