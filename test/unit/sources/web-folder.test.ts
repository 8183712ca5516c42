import { beforeEach, expect, test } from "vitest";

import { newCrawl } from "../../../src/sources/web/crawl-state.ts";
import { addMap } from "../../../src/sources/web/frontier.ts";
import type { WebConfig } from "../../../src/sources/web/web-config.ts";
import { BASE, pathsOf, webSource } from "../../doubles/web-site/scanning.ts";
import {
  htmlPage,
  sitemapIndexOf,
  sitemapOf,
  startWebSite,
  type WebSite,
} from "../../doubles/web-site/web-site.ts";

let site: WebSite;

beforeEach(async () => {
  site = await startWebSite();
  return () => site.stop();
});

const generator = (name: string) => `<meta name="generator" content="${name}">`;
const robots = (...lines: string[]) => site.routes.set("/robots.txt", { body: lines.join("\n") });

async function scanned(settings: Partial<WebConfig>) {
  const source = webSource(site.port, settings);
  const { leftOut, problems } = await source.scan();
  const exclusions = Object.fromEntries(leftOut.map(({ limit, addresses }) => [limit, addresses]));
  return { source, files: pathsOf(source.files.keys()), exclusions, problems };
}

/** The manual of a server in several languages, each with links to the others. */
function manual() {
  const languages = ["en", "de", "fr"];
  for (const language of languages) {
    const otherLanguages = languages.map((code) => `/manual/${code}/`);
    site.page(`/manual/${language}/`, ["install", "../style.txt", "/", ...otherLanguages]);
    site.page(`/manual/${language}/install`, [`/manual/${language}/mod/a`]);
    site.page(`/manual/${language}/mod/a`);
  }
  site.page("/manual/style.txt");
  site.page("/", ["/manual/en/"]);
}
const ENGLISH = ["/manual/en/", "/manual/en/install", "/manual/en/mod/a"];

test.each([
  ["/manual/en/", {}, ENGLISH],
  ["/manual/en/install", {}, ["/manual/en/install", "/manual/en/mod/a"]],
  ["/manual/en/", { include: ["/manual/en/", "/manual/*/install"] }, [...ENGLISH]],
  [
    "/manual/en/",
    { include: ["/manual/en/", "/manual/de/"] },
    [...ENGLISH, "/manual/de/", "/manual/de/install", "/manual/de/mod/a"],
  ],
])("links from %s with %j stay in the folder, unless include widens it", async (at, more, all) => {
  manual();
  const { files } = await scanned({ startUrls: [BASE + at], ...more });
  expect(files).toEqual(all.toSorted());
});

test("what lies outside the folder is counted once, and leaves when it was indexed", async () => {
  manual();
  const { exclusions, source } = await scanned({ startUrls: [`${BASE}/manual/en/`] });
  expect(exclusions).toEqual({ startUrls: 4 });
  const former = { ...source.files.get(`${BASE}/manual/en/`), path: `${BASE}/manual/de/` };
  source.files.set(former.path, { ...former, externalId: former.path } as never);
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(ENGLISH);
});

test("the folder is the one to which a start address leads", async () => {
  manual();
  site.redirect("/manual/en", "/manual/en/");
  expect((await scanned({ startUrls: [`${BASE}/manual/en`] })).files).toEqual(ENGLISH);
  site.redirect("/old/", "/manual/en/");
  expect((await scanned({ startUrls: [`${BASE}/old/`] })).files).toEqual(ENGLISH);
  site.redirect("/", "/manual/en/");
  const whole = await scanned({ startUrls: [BASE] });
  expect(whole.files).toContain("/manual/fr/install");
  site.redirect("/manual/en/install", "/manual/de/install");
  const moved = await scanned({ startUrls: [`${BASE}/manual/en/`] });
  expect(moved.files).toEqual(["/manual/en/"]);
  expect(moved.exclusions).toMatchObject({ startUrls: 6 });
});

test("a depth of none reads the start addresses alone, and counts what they link", async () => {
  manual();
  robots(`Sitemap: ${BASE}/map.xml`);
  site.routes.set("/map.xml", sitemapOf([`${BASE}/manual/en/mod/a`]));
  const { files, exclusions } = await scanned({ startUrls: [`${BASE}/manual/en/`], maxDepth: 0 });
  expect(files).toEqual(["/manual/en/"]);
  expect(exclusions).toEqual({ maxDepth: 1, startUrls: 4 });
});

test("a directory's orders and a wiki's forms and versions are counted, never fetched", async () => {
  const orders = ["N", "M", "S", "D"].flatMap((by) => [`?C=${by};O=A`, `?C=${by};O=D`]);
  site.page("/files/", [...orders, "sub/", "a.txt"]);
  site.page("/files/sub/", [...orders, "../", "?sort=size&order=desc"]);
  site.page("/files/a.txt");
  const titled = (title: string, more: string) => `/w/index.php?title=${title}&${more}`;
  const views = (title: string) => [
    titled(title, "action=edit&redlink=1"),
    titled(title, "action=history"),
    titled(title, "oldid=7"),
    `/wiki/${title}?action=edit`,
    `/wiki/Special:WhatLinksHere/${title}`,
    titled(title, "action=view"),
  ];
  const wiki = generator("MediaWiki 1.39.17");
  site.page("/wiki/A", ["/wiki/B", ...views("A"), ...views("C")], wiki);
  site.page("/wiki/B", [...views("B")], wiki);
  site.page("/shop", ["/shop?action=show&id=5", "/shop?oldid=3"]);
  for (const path of ["/shop?action=show&id=5", "/shop?oldid=3"]) site.page(path);
  site.otherwise(({ pathname, search }) => ({ body: htmlPage(`${pathname}${search}`, []) }));
  const startUrls = ["/files/", "/wiki/A", "/shop"].map((path) => BASE + path);
  const { files, exclusions } = await scanned({ startUrls, include: ["/"], maxPages: 12 });
  const expectedPaths = [titled("A", ""), titled("B", ""), titled("C", "")].map(
    (at) => `${at}action=view`,
  );
  const pages = ["/files/", "/files/a.txt", "/files/sub/", "/wiki/A", "/wiki/B"];
  const shop = ["/shop", "/shop?action=show&id=5", "/shop?oldid=3"];
  expect(files).toEqual([...pages, ...expectedPaths, ...shop].toSorted());
  expect(exclusions).toEqual({ views: 2 * orders.length + 1 + 3 * 5 });
  expect(site.requests.filter(({ path }) => /edit|history|Special|C=/.test(path))).toEqual([]);
});

test("a list of Drupal is read without its first part's second address", async () => {
  const drupal = generator("Drupal 11 (https://www.drupal.org)");
  site.page("/news/", ["?page=1", "?page=10", "?page=0", "?page=0%2C0"], drupal);
  for (const part of ["1", "10", "0", "0%2C0"]) site.page(`/news/?page=${part}`);
  const { files, exclusions } = await scanned({ startUrls: [`${BASE}/news/`] });
  expect(files).toEqual(["/news/", "/news/?page=1", "/news/?page=10"]);
  expect(exclusions).toEqual({ views: 2 });
});

test("a folder and its index page are one, whichever of them is linked first", async () => {
  site.page("/", ["index.html", "/both/index.html", "/named/index.htm", "/index.html?page=2"]);
  site.page("/index.html", []);
  site.redirect("/both/", "/both/index.html");
  site.page("/both/index.html", ["/both/"]);
  site.page("/named/index.htm", ["index.htm", "./"]);
  site.page("/index.html?page=2");
  site.page("/led/", []);
  site.page("/other", []);
  site.redirect("/other", "/led/index.html");
  site.page("/led/index.html", []);
  site.routes.set("/map.xml", sitemapOf([`${BASE}/index.html`, `${BASE}/led/`, `${BASE}/other`]));
  const settings = { startUrls: [`${BASE}/`], sitemapUrls: [`${BASE}/map.xml`] };
  const { files, source } = await scanned(settings);
  const all = ["/both/index.html", "/index.html?page=2", "/led/", "/named/index.htm"];
  expect(files).toEqual(["/", ...all].toSorted());
  site.requests.length = 0;
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(files);
  const whole = site.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  expect(whole).toEqual(["/map.xml", "/led/index.html"]);
});

test("a folder that redirects to its index page goes by its own address", async () => {
  site.redirect("/docs/", "/docs/index.html");
  site.page("/docs/index.html", ["a", "index.html"]);
  site.page("/docs/a");
  const { files, source } = await scanned({ startUrls: [`${BASE}/docs/`] });
  expect(files).toEqual(["/docs/", "/docs/a"]);
  site.requests.length = 0;
  await source.scan();
  expect(site.requests.filter(({ status }) => status === 200)).toEqual([]);
  expect(pathsOf(source.files.keys())).toEqual(files);
});

test("a template that names the folder's first page as canonical takes no page away", async () => {
  const canonical = `<link rel="canonical" href="/docs/">`;
  for (const path of ["/docs/", "/docs/a", "/docs/a?sort=up"])
    site.routes.set(path, { body: htmlPage(path, ["/docs/a", "/docs/?sort=up"], canonical) });
  site.routes.set("/docs/?sort=up", { body: htmlPage("sorted", [], canonical) });
  const { files } = await scanned({ startUrls: [`${BASE}/docs/`] });
  expect(files).toEqual(["/docs/", "/docs/a"]);
});

test("where the folder does not answer, its index page is read at its own address", async () => {
  site.page("/", ["/docs/", "/a"]);
  site.page("/a", ["/docs/index.html"]);
  site.page("/docs/index.html");
  const { files } = await scanned({ startUrls: [BASE] });
  expect(files).toEqual(["/", "/a", "/docs/index.html"]);
});

test("escapes in the address of a folder are compared in one form", async () => {
  site.redirect("/", "/%7Euser/%c3%a9/");
  site.otherwise(({ pathname }) => ({ body: htmlPage(pathname, ["a", "/%7Euser/"]) }));
  const { files, exclusions } = await scanned({ startUrls: [`${BASE}/start/../%7euser/x`, BASE] });
  expect(files).toContain("/~user/a");
  expect(exclusions).toEqual({});
  site.routes.set("/only/", { status: 301, headers: { location: "/%7Eown/%c3%a9/" } });
  const moved = await scanned({ startUrls: [`${BASE}/only/`] });
  expect(moved.files).toEqual(["/~own/%C3%A9/", "/~own/%C3%A9/a"]);
});

const ELSEWHERE = "http://maps.example.org/handbook/";

test("a sitemap that robots.txt names is used, on another host too, within the folder", async () => {
  manual();
  robots("User-agent: other", "Disallow: /", `sitemap: ${ELSEWHERE}index.xml`, "Sitemap: /own.xml");
  site.page("/manual/en/orphan");
  site.page("/manual/en/alone", ["/manual/en/behind"]);
  site.page("/manual/en/behind");
  const source = webSource(site.port, { startUrls: [`${BASE}/manual/en/`] });
  const answer = (text: string | Uint8Array | undefined) => () => new Response(String(text));
  source.answers.set(
    new URL("/robots.txt", ELSEWHERE).href,
    () => new Response(null, { status: 404 }),
  );
  source.answers.set(`${ELSEWHERE}index.xml`, answer(sitemapIndexOf(["1.xml"]).body));
  const mapped = [`${BASE}/manual/en/orphan`, `${BASE}/manual/de/`, `${ELSEWHERE}page`];
  source.answers.set(`${ELSEWHERE}1.xml`, answer(sitemapOf(mapped).body));
  site.routes.set("/own.xml", sitemapOf([`${BASE}/manual/en/alone`, `${BASE}/manual/en/lost`]));
  const { leftOut, problems } = await source.scan();
  const extra = ["/manual/en/orphan", "/manual/en/alone", "/manual/en/behind"];
  expect(pathsOf(source.files.keys())).toEqual([...ENGLISH, ...extra].toSorted());
  expect(leftOut).toMatchObject([
    { limit: "startUrls", addresses: 4 },
    { limit: "sitemapUrls", addresses: 1 },
  ]);
  expect(problems).toMatchObject([{ path: `${BASE}/manual/en/lost` }]);
  expect(source.outside.filter((address) => !address.endsWith(".txt"))).toEqual([
    `${ELSEWHERE}index.xml`,
    `${ELSEWHERE}1.xml`,
  ]);
});

test.each([
  ["a sitemap that robots.txt names", "/map.xml", "sitemap: the server answered 503"],
  ["the robots.txt that names a sitemap", "/robots.txt", null],
  ["the start page beside such a sitemap", "/", null],
])("%s takes nothing away where it cannot be read", async (_what, path, problem) => {
  site.page("/", []);
  site.page("/orphan");
  robots(`Sitemap: ${BASE}/map.xml`);
  site.routes.set("/map.xml", sitemapOf([`${BASE}/orphan`]));
  const { source } = await scanned({ startUrls: [BASE] });
  site.routes.set(path, { status: 503 });
  const { problems } = await source.scan();
  expect(problems.map(({ message }) => message)).toEqual(problem === null ? [] : [problem]);
  expect(pathsOf(source.files.keys())).toEqual(["/", "/orphan"]);
});

test("the addresses of a large sitemap are taken in with turns for other work", async () => {
  const crawl = newCrawl([new URL(BASE).host], false);
  const addresses = Array.from({ length: 10_000 }, (_, at) => ({
    address: `${BASE}/${at}`,
    modified: "",
  }));
  const filter = () => true;
  const limits = { maxDepth: 1, maxPages: 20_000, mapDepth: 1 };
  const bounds = { ...limits, isIncluding: false, filter, pushHosts: null, allowPrivate: true };
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  const from = { base: new URL(BASE), depth: 1, found: "sitemap" as const };
  await addMap(crawl, bounds, { kind: "pages", isWhole: true, addresses }, from);
  clearInterval(timer);
  expect(crawl.waiting).toHaveLength(addresses.length);
  expect(turns).toBeGreaterThan(10);
});
