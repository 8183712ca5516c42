import { beforeEach, expect, test } from "vitest";

import type { WebConfig } from "../../../src/sources/web/web-config.ts";
import { BASE, webSource } from "../../doubles/web-site/scanning.ts";
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

const page = (path: string, links: string[] = [], head = "") =>
  site.routes.set(path, { headers: { etag: `"${path}"` }, body: htmlPage(path, links, head) });
const redirect = (path: string, location: string) =>
  site.routes.set(path, { status: 301, headers: { location } });
const paths = (files: Iterable<string>) => [...files].map((path) => path.replace(BASE, "")).sort();

async function scanned(settings: Partial<WebConfig>) {
  const source = webSource(site.port, settings);
  await source.scan();
  return { source, files: paths(source.files.keys()) };
}

test.each([
  ["an address that redirects to a page", "/doc"],
  ["a page to which another address redirects", "/doc/"],
  ["a page that is not to be indexed, and leads on", "/hub"],
  ["a sitemap of the settings that is missing", "/map.xml"],
  ["a start page that is empty", "/"],
])("%s, and fails once, takes nothing away", async (_what, path) => {
  page("/", ["/doc", "/hub"]);
  redirect("/doc", "/doc/");
  page("/doc/", ["/doc/a"]);
  page("/doc/a");
  page("/hub", ["/beyond"], `<meta name="robots" content="noindex">`);
  page("/beyond");
  page("/mapped");
  site.routes.set("/map.xml", sitemapOf([`${BASE}/mapped`]));
  const settings = { startUrls: [BASE], sitemapUrls: [`${BASE}/map.xml`] };
  const { source, files } = await scanned(settings);
  const whole = ["/", "/beyond", "/doc/", "/doc/a", "/mapped"];
  expect(files).toEqual(whole);
  const statuses: Record<string, number> = { "/": 200, "/map.xml": 404 };
  site.routes.set(path, { status: statuses[path] ?? 503, body: "" });
  await source.scan();
  expect(paths(source.files.keys())).toEqual(expect.arrayContaining(whole));
  page("/", []);
  site.routes.delete("/doc/a");
  await source.scan();
  expect(paths(source.files.keys())).not.toContain("/doc/a");
});

test("where a link fails, a new link of a page beyond it is not too deep", async () => {
  page("/", ["/hub"]);
  page("/hub", ["/beyond"], `<meta name="robots" content="noindex">`);
  page("/beyond");
  const { source } = await scanned({ startUrls: [BASE], maxDepth: 9 });
  site.routes.set("/hub", { status: 503 });
  site.routes.set("/beyond", { body: htmlPage("new", ["/new"]) });
  expect((await source.scan()).leftOut).toEqual([]);
  expect(paths(source.files.keys())).toEqual(["/", "/beyond"]);
});

test("a start that is a plain file keeps no page to which nothing leads", async () => {
  page("/docs/", ["/docs/a"]);
  page("/docs/a");
  site.routes.set("/docs/b.txt", { headers: { "content-type": "text/plain" }, body: "b" });
  const { source } = await scanned({ startUrls: [`${BASE}/docs/`, `${BASE}/docs/b.txt`] });
  site.routes.set("/docs/", { body: htmlPage("new", []) });
  await source.scan();
  expect(paths(source.files.keys())).toEqual(["/docs/", "/docs/b.txt"]);
});

test("a start that leads to another folder, and fails once, takes nothing away", async () => {
  redirect("/latest/", "/v2/");
  page("/v2/", ["/v2/a"]);
  page("/v2/a");
  const { source } = await scanned({ startUrls: [`${BASE}/latest/`] });
  site.routes.set("/latest/", { status: 503 });
  await source.scan();
  expect(paths(source.files.keys())).toEqual(["/latest/", "/v2/", "/v2/a"]);
});
