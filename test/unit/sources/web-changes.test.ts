import { beforeEach, describe, expect, test } from "vitest";

import { BASE, webSource } from "../../doubles/web-site/scanning.ts";
import {
  htmlPage,
  sitemapOf,
  startWebSite,
  type Answer,
  type WebSite,
} from "../../doubles/web-site/web-site.ts";

type Source = ReturnType<typeof webSource>;

let site: WebSite;

beforeEach(async () => {
  site = await startWebSite();
  page("/", ["/a", "/b"]);
  page("/a", ["/a/1"]);
  page("/a/1", []);
  page("/b", []);
  return () => site.stop();
});

function page(path: string, links: string[], version = "1", head = "") {
  const headers = { etag: `"${path}-${version}"` };
  site.routes.set(path, { headers, body: htmlPage(`${path} v${version}`, links, head) });
}
const set = (path: string, answer: Answer) => site.routes.set(path, answer);
const versionOf = ({ version }: { version: string }) => version;
const pathsOf = (files: Iterable<string>) =>
  [...files].map((path) => path.replace(BASE, "")).sort();
const shownBy = ({ files }: Source) => pathsOf(files.keys());
const WHOLE = ["/", "/a", "/a/1", "/b"];
const start = { startUrls: [BASE] };

/** The site's source, crawled once. */
async function crawled() {
  const source = webSource(site.port, start);
  await source.scan();
  return source;
}

const failureOf = (file: { failure?: { kind: string; message: string } } | undefined) =>
  file?.failure;

describe("between two scans", () => {
  test("what a crawl kept and did not record is removed by the next", async () => {
    const source = await crawled();
    page("/", ["/a", "/b", "/lost"], "2");
    page("/a", ["/a/1"], "2");
    page("/lost", []);
    // This crawl dies before its pages are recorded; the site changes again meanwhile.
    await source.reader.list(null, new AbortController().signal);
    page("/", ["/a", "/b"], "3");
    page("/a", ["/a/1"], "3");
    site.routes.delete("/lost");
    await source.scan();
    const keys = [...source.store.entries.keys()].filter((key) => !key.startsWith("pages/"));
    expect(keys).toEqual([]);
    const versions = [...source.store.entries.keys()].map((key) => key.split("/").at(-1));
    expect(new Set(versions)).toEqual(new Set([...source.files.values()].map(versionOf)));
    expect(versions).toHaveLength(source.files.size);
  });

  test("a page whose address ends like a script is read, a script is not", async () => {
    const links = ["/package/bignumber.js", "/package/site.css", "/real.js", "/photo.png"];
    page("/", links, "2");
    page("/package/bignumber.js", []);
    page("/package/site.css", []);
    set("/real.js", { headers: { "content-type": "text/javascript" }, body: "let a = 1;" });
    const source = await crawled();
    expect(shownBy(source)).toEqual(["/", "/package/bignumber.js", "/package/site.css"]);
    expect(site.requests.map(({ path }) => path)).not.toContain("/photo.png");
  });

  test("404 and 410 are removals", async () => {
    const source = await crawled();
    set("/a/1", { status: 410 });
    set("/b", { status: 404 });
    const scanned = await source.scan();
    expect(pathsOf(scanned.deleted)).toEqual(["/a/1", "/b"]);
    expect(shownBy(source)).toEqual(["/", "/a"]);
  });

  test.each<[string, Answer]>([
    ["errs", { status: 500 }],
    ["is overloaded", { status: 503, headers: { "retry-after": "30" } }],
    ["denies", { status: 403 }],
    ["drips", { drips: true }],
    ["loops", { status: 302, headers: { location: "/a" } }],
  ])("a page whose server %s stays, with all that it leads to", async (_what, answer) => {
    const source = await crawled();
    const { version } = source.files.get(`${BASE}/a`) ?? {};
    set("/a", answer);
    const scanned = await source.scan();
    expect(shownBy(source)).toEqual(WHOLE);
    const failed = scanned.pages.filter((file) => file.failure !== undefined);
    expect(failed.map((file) => [file.path, file.version])).toEqual([[`${BASE}/a`, version]]);
    expect(scanned.deleted).toEqual([]);
  });

  test("a failing start page removes nothing, even when its bytes are lost", async () => {
    const source = await crawled();
    set("/", { status: 502 });
    await source.scan();
    expect(shownBy(source)).toEqual(WHOLE);
    source.store.entries.clear();
    expect(await source.scan()).toMatchObject({ partial: true });
    expect(shownBy(source)).toEqual(WHOLE);
  });

  test("a robots.txt that cannot be read stops everything for now", async () => {
    const source = await crawled();
    set("/robots.txt", { status: 500 });
    site.requests.length = 0;
    const scanned = await source.scan();
    expect(new Set(site.requests.map(({ path }) => path))).toEqual(new Set(["/robots.txt"]));
    expect(scanned.deleted).toEqual([]);
    expect(shownBy(source)).toEqual(WHOLE);
    const fresh = await webSource(site.port, start).scan();
    expect(fresh).toMatchObject({ partial: true });
    expect(failureOf(fresh.pages[0])).toMatchObject({
      kind: "down",
      message: "robots.txt of handbook.example.com cannot be read",
    });
  });

  test("lost bytes are fetched whole again although the server says 304", async () => {
    const source = await crawled();
    source.store.entries.clear();
    await source.scan();
    expect(shownBy(source)).toEqual(WHOLE);
    expect(await source.textOf(`${BASE}/a/1`)).toMatchObject({
      text: expect.stringContaining("/a/1 v1"),
    });
  });
});

describe("failures at first sight", () => {
  test("a link becomes no file, a start or sitemap URL does", async () => {
    page("/", ["/missing", "/broken"]);
    set("/broken", { status: 500 });
    set("/map.xml", sitemapOf([`${BASE}/b`, `${BASE}/lost`, `${BASE}/broken-too`]));
    set("/broken-too", { status: 500 });
    const source = webSource(site.port, {
      startUrls: [BASE, `${BASE}/not-there`],
      sitemapUrls: [`${BASE}/map.xml`, `${BASE}/no-map.xml`],
    });
    const { pages, skipped } = await source.scan();
    expect(skipped).toBe(2);
    const lines = pages.map(
      (file) => `${file.path.replace(BASE, "")} ${failureOf(file)?.message ?? "ok"}`,
    );
    expect(lines.sort()).toEqual([
      "/ ok",
      "/b ok",
      "/broken-too the server answered 500",
      "/lost the page does not exist (404)",
      "/no-map.xml sitemap: there is no sitemap at this address",
      "/not-there the page does not exist (404)",
    ]);
    const secondScan = await source.scan();
    expect(secondScan.pages.length).toBe(pages.length);
    expect(secondScan.deleted).toEqual([]);
  });

  test("a page beyond the limit is refused, without its bytes where its length is told", async () => {
    set("/big", { headers: { "content-length": String(26 * 1_024 * 1_024) } });
    set("/large", { body: `<p>${"x".repeat(3 * 1_024 * 1_024)}</p>` });
    const source = webSource(site.port, { startUrls: [`${BASE}/big`, `${BASE}/large`] });
    const { pages } = await source.scan();
    expect(
      pages.map((file) => [file.path.replace(BASE, ""), file.size, failureOf(file)?.message]),
    ).toEqual([
      ["/big", 0, "larger than 25 MiB"],
      ["/large", 3 * 1_024 * 1_024 + 7, undefined],
    ]);
  });

  test("a server that never answers ends the scan instead of filling it with failures", async () => {
    const links = Array.from({ length: 40 }, (_, at) => `/slow/${at}`);
    page("/", links);
    for (const link of links) set(link, { status: 429, headers: { "retry-after": "9" } });
    await expect(webSource(site.port, start).scan()).rejects.toMatchObject({
      kind: "throttled",
      retryAfterMs: 9_000,
    });
  });
});

describe("pushed URLs", () => {
  test("become files, are fetched whole each time, and stay until deleted", async () => {
    page("/news", ["/news/more"]);
    page("/news/more", []);
    const source = await crawled();
    const looked = await source.push(`${BASE}/news#top`, `${BASE}/a`);
    expect(pathsOf(looked?.files.map((file) => file.path) ?? [])).toEqual(["/a", "/news"]);
    site.requests.length = 0;
    await source.push(`${BASE}/news`);
    expect(site.requests.filter(({ path }) => path === "/news")).toEqual([
      { path: "/news", status: 200 },
    ]);

    page("/", [], "2");
    await source.scan();
    expect(shownBy(source)).toEqual(["/", "/a", "/news"]);
    set("/news", { status: 500 });
    await source.scan();
    expect(shownBy(source)).toEqual(["/", "/a", "/news"]);
    set("/news", { status: 404 });
    const scanned = await source.scan();
    expect(pathsOf(scanned.deleted)).toEqual(["/news"]);
    expect(shownBy(source)).toEqual(["/", "/a"]);
  });

  test("that fail are errors, and deleted at the next scan if still missing", async () => {
    const source = webSource(site.port, start);
    set("/robots.txt", { body: "User-agent: Quarry\nDisallow: /secret" });
    await source.push(`${BASE}/nowhere`, `${BASE}/secret`);
    expect(failureOf(source.files.get(`${BASE}/nowhere`))?.message).toBe(
      "the page does not exist (404)",
    );
    expect(failureOf(source.files.get(`${BASE}/secret`))).toMatchObject({
      kind: "denied",
      message: "robots.txt disallows this page",
    });
    await source.scan();
    expect(shownBy(source)).toEqual(["/", "/a", "/a/1", "/b", "/secret"]);
  });

  test("keep their own address when they redirect or name a canonical one", async () => {
    set("/short", { status: 301, headers: { location: "/b" } });
    page("/copy", [], "1", `<link rel="canonical" href="/b">`);
    const source = webSource(site.port, {});
    await source.push(`${BASE}/short`, `${BASE}/copy`);
    expect(shownBy(source)).toEqual(["/copy", "/short"]);
    expect(source.files.get(`${BASE}/short`)?.url).toBe(`${BASE}/b`);
    await source.scan();
    expect(shownBy(source)).toEqual(["/copy", "/short"]);
  });
});

test("crawl-delay is kept between all pages of the server", async () => {
  set("/robots.txt", { body: "User-agent: *\nCrawl-delay: 2" });
  const source = await crawled();
  expect(source.waits).toEqual([2_000, 2_000, 2_000]);
  expect(shownBy(source)).toEqual(WHOLE);
});

test("two pages that name each other as canonical are not both lost", async () => {
  page("/", ["/x", "/y", "/z?sort=up", "/z"]);
  page("/x", [], "1", `<link rel="canonical" href="/y">`);
  page("/y", [], "1", `<link rel="canonical" href="/x">`);
  page("/z", []);
  page("/z?sort=up", [], "1", `<link rel="canonical" href="${BASE}/z">`);
  const source = await crawled();
  expect(shownBy(source)).toEqual(["/", "/y", "/z"]);
});

test("further parts of a list whose canonical is its first are read, views are not", async () => {
  page("/", ["/list"]);
  const canonical = `<link rel="canonical" href="/list">`;
  const views = ["/list?sort=up", "/list?page_size=9"];
  page("/list", ["/list?page=2", "/list/page/3/", ...views], "1", canonical);
  page("/list?page=2", ["/b"], "1", canonical);
  page("/list/page/3/", ["/a/1"], "1", canonical);
  for (const view of views) page(view, [], "1", canonical);
  const parts = ["/list", "/list/page/3/", "/list?page=2"];
  expect(shownBy(await crawled())).toEqual(["/", "/a/1", "/b", ...parts]);
});

test("a page stays where the canonical address that it names cannot be read", async () => {
  const canonical = (path: string) => `<link rel="canonical" href="${path}">`;
  set("/sitemap.xml", sitemapOf(["/a", "/b", "/c", "/d", "/e"].map((path) => BASE + path)));
  page("/a", [], "1", canonical("/missing"));
  page("/b", [], "1", canonical("/broken"));
  set("/broken", { status: 500 });
  page("/c", [], "1", canonical("/hidden"));
  page("/hidden", [], "1", `<meta name="robots" content="noindex">`);
  // Templates that name the first page on every page mean nothing by it.
  page("/", []);
  page("/d", [], "1", canonical("/"));
  page("/e", [], "1", canonical("/d"));
  const source = webSource(site.port, { sitemapUrls: [`${BASE}/sitemap.xml`] });
  const { pages, leftOut } = await source.scan();
  expect(shownBy(source)).toEqual(["/a", "/b", "/c", "/d"]);
  expect(pages.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(leftOut).toMatchObject([{ limit: "copies", addresses: 1 }]);
});
