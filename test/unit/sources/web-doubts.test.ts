import { beforeEach, expect, test } from "vitest";

import { DAY_MS } from "../../../src/core/time.ts";
import { readSitemap } from "../../../src/sources/web/site/load-site.ts";
import type { WebConfig } from "../../../src/sources/web/web-config.ts";
import { BASE, pathsOf, webSource } from "../../doubles/web-site/scanning.ts";
import {
  htmlPage,
  sitemapOf,
  startWebSite,
  type WebSite,
} from "../../doubles/web-site/web-site.ts";

/* Known pages are asked for themselves where something fails that may lead to them. */

let site: WebSite;

beforeEach(async () => {
  site = await startWebSite();
  return () => site.stop();
});

async function scanned(settings: Partial<WebConfig>) {
  const source = webSource(site.port, settings);
  await source.scan();
  return { source, files: pathsOf(source.files.keys()) };
}

test.each([
  ["an address that redirects to a page", "/doc"],
  ["a page to which another address redirects", "/doc/"],
  ["a page that is not to be indexed, and leads on", "/hub"],
  ["a sitemap of the settings that is missing", "/map.xml"],
  ["a start page that is empty", "/"],
])("%s, and fails once, takes nothing away", async (_what, path) => {
  site.page("/", ["/doc", "/hub"]);
  site.redirect("/doc", "/doc/");
  site.page("/doc/", ["/doc/a"]);
  site.page("/doc/a");
  site.page("/hub", ["/beyond"], `<meta name="robots" content="noindex">`);
  site.page("/beyond");
  site.page("/mapped");
  site.routes.set("/map.xml", sitemapOf([`${BASE}/mapped`]));
  const settings = { startUrls: [BASE], sitemapUrls: [`${BASE}/map.xml`] };
  const { source, files } = await scanned(settings);
  const whole = ["/", "/beyond", "/doc/", "/doc/a", "/mapped"];
  expect(files).toEqual(whole);
  const statuses: Record<string, number> = { "/": 200, "/map.xml": 404 };
  site.routes.set(path, { status: statuses[path] ?? 503, body: "" });
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(expect.arrayContaining(whole));
  site.page("/", []);
  site.routes.delete("/doc/a");
  await source.scan();
  expect(pathsOf(source.files.keys())).not.toContain("/doc/a");
});

test.each([
  ["is HTML", { body: htmlPage("Gone", []) }],
  ["is forbidden", { status: 403, body: "" }],
  ["fails", { status: 500, body: "" }],
])("a sitemap that %s for months keeps the pages that are there", async (_what, answer) => {
  site.page("/a");
  site.page("/b");
  site.routes.set("/map.xml", sitemapOf([`${BASE}/a`, `${BASE}/b`]));
  const { source } = await scanned({ sitemapUrls: [`${BASE}/map.xml`] });
  site.routes.set("/map.xml", answer);
  await source.scan();
  source.pass(60 * DAY_MS);
  site.routes.delete("/b");
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/a", "/map.xml"]);
});

test.each([
  ["the settings name", { sitemapUrls: [`${BASE}/map.xml`] }],
  ["robots.txt names", { startUrls: [BASE] }],
])("a sitemap that %s, and that breaks off, takes nothing away", async (_who, settings) => {
  site.page("/");
  site.routes.set("/robots.txt", { body: `Sitemap: ${BASE}/map.xml` });
  const paths = ["/a", "/b", "/c"];
  for (const path of paths) site.page(path);
  const map = sitemapOf(paths.map((path) => BASE + path));
  site.routes.set("/map.xml", map);
  const { source, files } = await scanned(settings);
  expect(files).toEqual(expect.arrayContaining(paths));
  // https://github.com/ethereum/ethereum-org-website/issues/18854
  site.routes.set("/map.xml", { ...map, body: String(map.body).split("/b<")[0] ?? "" });
  site.routes.delete("/c");
  const { problems, pages } = await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(expect.arrayContaining(["/a", "/b"]));
  expect(pathsOf(source.files.keys())).not.toContain("/c");
  const failures = [...problems, ...pages.flatMap(({ failure }) => failure ?? [])];
  expect(failures.map(({ message }) => message)).toContain("sitemap: the sitemap breaks off");
});

test.each([
  ["<urlset/>", [], true],
  ["<urlset><url><loc>/a</loc></urlset><div>", ["/a"], true],
  ["<urlset><url><loc>/a</loc></url><url><loc>/b", ["/a"], false],
])("the sitemap %s has the pages %j; whether it is whole: %j", async (xml, pages, isWhole) => {
  const map = await readSitemap(new TextEncoder().encode(xml), new AbortController().signal);
  expect(map?.addresses.map(({ address }) => address)).toEqual(pages);
  expect(map?.isWhole).toBe(isWhole);
});

test("where a link fails, a new link of a page beyond it is not too deep", async () => {
  site.page("/", ["/hub"]);
  site.page("/hub", ["/beyond"], `<meta name="robots" content="noindex">`);
  site.page("/beyond");
  const { source } = await scanned({ startUrls: [BASE], maxDepth: 9 });
  site.routes.set("/hub", { status: 503 });
  site.routes.set("/beyond", { body: htmlPage("new", ["/new"]) });
  expect((await source.scan()).leftOut).toEqual([]);
  expect(pathsOf(source.files.keys())).toEqual(["/", "/beyond"]);
});

test("a link that never answers keeps a page that nothing links for a month only", async () => {
  site.page("/", ["/hub", "/old", "/linked", "/failing"]);
  for (const path of ["/old", "/linked", "/failing"]) site.page(path);
  const { source } = await scanned({ startUrls: [BASE] });
  site.routes.set("/", { body: htmlPage("new", ["/broken", "/linked"]) });
  for (const path of ["/broken", "/failing"]) site.routes.set(path, { status: 500 });
  source.pass(DAY_MS);
  await source.scan();
  source.pass(20 * DAY_MS);
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/", "/failing", "/linked", "/old"]);
  source.pass(20 * DAY_MS);
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/", "/linked"]);
});

test("a start that is a plain file keeps no page to which nothing leads", async () => {
  site.page("/docs/", ["/docs/a"]);
  site.page("/docs/a");
  site.routes.set("/docs/b.txt", { headers: { "content-type": "text/plain" }, body: "b" });
  const { source } = await scanned({ startUrls: [`${BASE}/docs/`, `${BASE}/docs/b.txt`] });
  site.routes.set("/docs/", { body: htmlPage("new", []) });
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/docs/", "/docs/b.txt"]);
});

test("a start that leads to another folder, and fails once, takes nothing away", async () => {
  site.redirect("/latest/", "/v2/");
  site.page("/v2/", ["/v2/a"]);
  site.page("/v2/a");
  const { source } = await scanned({ startUrls: [`${BASE}/latest/`] });
  site.routes.set("/latest/", { status: 503 });
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/latest/", "/v2/", "/v2/a"]);
});

test("a download has the name and the format that its server gives it", async () => {
  const download = (type: string, disposition: string, body: string) => ({
    headers: { "content-type": type, "content-disposition": disposition },
    body,
  });
  const disposition = `attachment; filename="Plan.csv"; filename*=UTF-8''Pl%C3%A4ne%5C2026.csv`;
  site.page("/", ["/get?id=5", "/get?id=6", "/get.csv"]);
  site.routes.set("/get?id=5", download("application/octet-stream", disposition, "a,b"));
  site.routes.set("/get?id=6", download("application/force-download", "attachment", "text"));
  site.routes.set("/get.csv", download("application/octet-stream", "inline; filename=List", "a,b"));
  const source = webSource(site.port, { startUrls: [BASE] });
  await source.scan();
  const names = [...source.files.values()].slice(1).map(({ name, mimeType }) => [name, mimeType]);
  expect(names).toEqual([
    ["2026.csv", "text/csv"],
    ["get", "application/force-download"],
    ["List", "text/csv"],
  ]);
});
