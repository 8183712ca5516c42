import { beforeEach, expect, test } from "vitest";

import { extractDocument } from "../../../src/documents/extract-document.ts";
import { BASE, pathsOf, webSource } from "../../doubles/web-site/scanning.ts";
import {
  htmlPage,
  sitemapIndexOf,
  sitemapOf,
  startWebSite,
  type WebSite,
} from "../../doubles/web-site/web-site.ts";

const WWW = BASE.replace("//", "//www.");
const ELSEWHERE = "http://login.example.org/sign-in";

let site: WebSite;

beforeEach(async () => {
  site = await startWebSite();
  return () => site.stop();
});

const refreshTo = (url: string, seconds = 0) =>
  `<meta http-equiv="refresh" content="${seconds}; URL='${url}'">`;

/** Returns the text of each file that a scan listed, as the index job gets it. */
async function indexed(source: ReturnType<typeof webSource>) {
  const reads = [...source.files.keys()].map(async (path) => {
    const text = await source.textOf(path).then(
      (download) => (typeof download === "string" ? download : download.text),
      (thrown: Error) => `error: ${thrown.message}`,
    );
    return [path.replace(BASE, ""), text] as const;
  });
  return Object.fromEntries(await Promise.all(reads));
}

test.each([
  ["a server", () => site.redirect("/", ELSEWHERE, 302)],
  ["a page", () => site.page("/", [], refreshTo(ELSEWHERE))],
])("what another site answers is never read where %s redirects to it", async (_who, set) => {
  set();
  const source = webSource(site.port, { startUrls: [BASE] });
  source.answers.set(ELSEWHERE, () => new Response("<p>Please sign in"));
  const { pages } = await source.scan();
  expect(pages).toMatchObject([{ path: `${BASE}/`, failure: { kind: "denied" } }]);
  expect(await indexed(source)).toEqual({ "/": "error: redirects to another host" });
  expect(source.outside).toEqual([]);
});

test("a file whose bytes were not kept is read by the rules of the crawl", async () => {
  const startUrls = ["/left-out", "/moved", "/late"].map((path) => BASE + path);
  for (const path of ["/left-out", "/moved", "/late"]) site.routes.set(path, { status: 500 });
  const source = webSource(site.port, { startUrls, exclude: ["/left-out"] });
  await source.scan();
  site.page("/left-out");
  site.page("/target");
  site.page("/late");
  site.redirect("/moved", "/target", 302);
  expect(await indexed(source)).toEqual({
    "/left-out": "error: left out by the settings",
    "/moved": "error: redirects to another page",
    "/late": htmlPage("/late", []),
  });
});

const TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |";

test.each([
  ["/index.php", "text/html", "<p>Open at <b>ten</b>", "Open at ten"],
  ["/wiki/Node.js", "text/html; charset=utf-8", "<!doctype html><p>A runtime", "A runtime"],
  ["/README.md", "text/html", "<!doctype html><p>Read me", "Read me"],
  ["/list.php", "text/csv", "a,b\n1,2\n", TABLE],
  // A type that any text has leaves it to the name, as servers of plain files need.
  ["/raw/README.md", "text/plain", "# Read me", "# Read me"],
  ["/raw/main.py", "text/plain", "print(1)", "```python\nprint(1)\n```"],
  ["/raw/list.csv", "application/octet-stream", "a,b\n1,2\n", TABLE],
])("%s as %s is read as what the server says", async (path, type, body, text) => {
  site.routes.set(path, { headers: { "content-type": type }, body });
  const source = webSource(site.port, { startUrls: [BASE + path] });
  await source.scan();
  const file = source.files.get(BASE + path);
  const {
    mimeType,
    name = file?.name ?? "",
    ...download
  } = await source.reader.open(file ?? expect.fail("not listed"), new AbortController().signal);
  const bytes = new Uint8Array(await new Response(download.body).arrayBuffer());
  expect((await extractDocument({ name, mimeType, bytes })).markdown).toBe(text);
});

test("a sitemap moves within the site, names it with and without www, and relatively", async () => {
  site.redirect("/sitemap.xml", `${WWW}/maps/index.xml`, 302);
  site.routes.set("/maps/index.xml", sitemapIndexOf(["one.xml", "/maps/two.xml"]));
  site.routes.set("/maps/one.xml", sitemapOf([`${WWW}/a`, `${BASE}/b`]));
  site.routes.set("/maps/two.xml", sitemapOf([`${WWW}/c`, "/d"]));
  for (const path of ["/a", "/b", "/c", "/d"]) site.page(path);
  const source = webSource(site.port, { sitemapUrls: [`${BASE}/sitemap.xml`] });
  const { leftOut } = await source.scan();
  expect(pathsOf(source.files.keys()).map((path) => path.replace(WWW, "www"))).toEqual(
    ["/b", "www/a", "www/c", "www/d"].sort(),
  );
  expect(leftOut).toEqual([]);
});

test("a sitemap that cannot be read is an error, and its XML no document", async () => {
  const sitemap = { ...sitemapOf([`${BASE}/a`]), status: 500 };
  site.routes.set("/sitemap.xml", sitemap);
  const source = webSource(site.port, { sitemapUrls: [`${BASE}/sitemap.xml`] });
  await source.scan();
  site.routes.set("/sitemap.xml", { ...sitemap, status: 200 });
  expect(await indexed(source)).toEqual({
    "/sitemap.xml": "error: sitemap: the server answered 500",
  });
});

test("what a sitemap names elsewhere is counted", async () => {
  const otherAddresses = Array.from({ length: 7 }, (_, at) => `http://other.example.org/${at}`);
  site.routes.set("/sitemap.xml", sitemapOf([...otherAddresses, `${BASE}/a`]));
  site.page("/a");
  const source = webSource(site.port, { sitemapUrls: [`${BASE}/sitemap.xml`] });
  const { leftOut } = await source.scan();
  expect(leftOut).toMatchObject([{ limit: "sitemapUrls", addresses: 7, isAtLeast: false }]);
});

test("a page that only sends its readers on is the page to which it sends them", async () => {
  site.page("/", ["/old", "/slow", "/script", "/round"]);
  site.page("/old", [], refreshTo("new/?a=1"));
  site.page("/new/?a=1", [], refreshTo("/newest"));
  site.page("/newest");
  site.page("/slow", [], refreshTo("/newest", 300));
  site.page("/script", [], `<noscript>${refreshTo("/plain")}</noscript>`);
  site.page("/plain");
  site.page("/round", [], refreshTo("/round#top"));
  const source = webSource(site.port, { startUrls: [BASE, `${BASE}/start`] });
  site.page("/start", ["/behind"], refreshTo(" /started"));
  site.page("/started", ["/behind"]);
  site.page("/behind");
  const all = ["/", "/behind", "/newest", "/plain", "/round", "/script", "/slow", "/started"];
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(all);
  site.requests.length = 0;
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(all);
  const whole = site.requests.filter(({ status }) => status === 200).map(({ path }) => path);
  expect(new Set(whole)).toEqual(new Set(["/old", "/new/?a=1", "/start"]));
});

test.each(["", "javascript:void(0)", "mailto:a@b.test"])(
  "a page that sends its readers to %j is read, and leads to none",
  async (url) => {
    for (const seconds of [0, 300]) {
      site.page("/", [], refreshTo(url, seconds));
      const { pages, skipped } = await webSource(site.port, { startUrls: [BASE] }).scan();
      expect(pages.map(({ path, failure }) => [path, failure])).toEqual([[`${BASE}/`, undefined]]);
      expect(skipped).toBe(0);
    }
  },
);

test("a pushed address that sends its readers on has what they find, each time", async () => {
  site.page("/pushed", [], refreshTo("/target"));
  site.page("/target");
  const source = webSource(site.port, {});
  await source.push(`${BASE}/pushed`);
  expect(source.files.get(`${BASE}/pushed`)?.url).toBe(`${BASE}/target`);
  const lastModified = { "last-modified": "Wed, 04 Mar 2026 10:00:00 GMT" };
  site.routes.set("/target", { headers: lastModified, body: htmlPage("Another", []) });
  await source.scan();
  expect((await indexed(source))["/pushed"]).toBe(htmlPage("Another", []));
});

test("a form to sign in takes no page's place, and is read once", async () => {
  site.page("/", ["/a?x=1", "/b", "/c", "/sign-in?next=/", "/sign-in"]);
  site.page("/c", ["/sign-in?returnTo=%2Fc", "/moved", "/search?next=5", "/cat?back=/cats"]);
  site.redirect("/moved", "/new?from=/moved", 302);
  for (const path of ["/new?from=/moved", "/search?next=5", "/a?x=1", "/b", "/cat?back=/cats"])
    site.page(path);
  // Each form has a token of its own.
  let forms = 0;
  site.routes.set("/sign-in", () => ({ body: `<p>Sign in</p> ${forms++}` }));
  const source = webSource(site.port, { startUrls: [BASE] });
  await source.scan();
  const all = [
    "/",
    "/a?x=1",
    "/b",
    "/c",
    "/cat?back=/cats",
    "/new?from=/moved",
    "/search?next=5",
    "/sign-in",
  ];
  expect(pathsOf(source.files.keys())).toEqual(all);
  site.redirect("/a?x=1", "/sign-in?next=%2Fa%3Fx%3D1", 302);
  site.redirect("/b", `/sign-in?continue=${BASE}/b`, 302);
  const { pages, leftOut } = await source.scan();
  // Files that were read before stay.
  expect(pathsOf(source.files.keys())).toEqual(all);
  const failed = pages.filter(({ failure }) => failure !== undefined);
  expect(failed).toMatchObject([
    { path: `${BASE}/a?x=1`, failure: { message: "redirects to a form, as to sign in" } },
    { path: `${BASE}/b`, failure: { kind: "denied" } },
  ]);
  expect(leftOut).toMatchObject([{ limit: "views", addresses: 2 }]);
});

test("a form may lead back to a page with an umlaut; a list from the root is none", async () => {
  site.page("/", ["/b%C3%B6iler", "/list?next=/page/"]);
  for (const path of ["/b%C3%B6iler", "/list?next=/page/", "/sign-in?next=/b%C3%B6iler"])
    site.page(path);
  const source = webSource(site.port, { startUrls: [BASE] });
  await source.scan();
  const all = ["/", "/b%C3%B6iler", "/list?next=/page/"];
  expect(pathsOf(source.files.keys())).toEqual(all);
  site.redirect("/b%C3%B6iler", "/sign-in?next=/b%C3%B6iler", 302);
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(all);
});

test("equal pages are read once, and a page for all that is missing ends", async () => {
  site.page("/", ["/docs/", "/licence", "/v2/licence"]);
  for (const path of ["/licence", "/v2/licence"])
    site.routes.set(path, { headers: { "content-type": "text/plain" }, body: "MIT" });
  site.otherwise(({ pathname }) =>
    pathname.startsWith("/docs/")
      ? { body: `<title>Oops</title><a href="x/">x</a><a href="y/">y</a>` }
      : null,
  );
  const source = webSource(site.port, { startUrls: [BASE], maxDepth: 20 });
  for (const scan of [1, 2]) {
    site.requests.length = 0;
    const { leftOut } = await source.scan();
    const all = ["/", "/docs/", "/licence", "/v2/licence"];
    expect(pathsOf(source.files.keys())).toEqual(all);
    expect(leftOut, `scan ${scan}`).toMatchObject([{ limit: "copies" }]);
    expect(site.requests.length).toBeLessThan(40);
  }
});

test("of equal pages the one that is a file stays one, in any order of links", async () => {
  site.page("/", ["/a", "/b"]);
  for (const path of ["/a", "/b"]) site.routes.set(path, { body: htmlPage("Equal", []) });
  const source = webSource(site.port, { startUrls: [BASE] });
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/", "/a"]);
  site.routes.set("/", { body: htmlPage("Turned", ["/b", "/a"]) });
  await source.scan();
  expect([...source.files.keys()]).toContain(`${BASE}/a`);
  const before = pathsOf(source.files.keys());
  site.routes.set("/", { body: htmlPage("Turned again", ["/a", "/b"]) });
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(before);
});

test("a pushed page stays where a redirecting link finds an equal page first", async () => {
  site.page("/", ["/a", "/old"]);
  site.redirect("/old", "/pushed", 302);
  const source = webSource(site.port, { startUrls: [BASE] });
  site.page("/pushed");
  await source.push(`${BASE}/pushed`);
  for (const path of ["/a", "/pushed"]) site.routes.set(path, { body: htmlPage("Equal", []) });
  await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/", "/a", "/pushed"]);
});

test("a header Refresh, 203, a pause and a 304 to a first request lose no page", async () => {
  site.page("/", ["/old", "/short", "/proxied", "/busy", "/not-modified"]);
  site.routes.set("/old", { headers: { refresh: "0; url=/new" }, body: "" });
  site.page("/short", [], `<meta http-equiv="refresh" content="0; '/newer'">`);
  site.routes.set("/proxied", { status: 203, body: htmlPage("Proxied", []) });
  let busy = 2;
  site.routes.set("/busy", () =>
    --busy > 0 ? { status: 429, headers: { "retry-after": "3" } } : { body: htmlPage("Free", []) },
  );
  site.routes.set("/not-modified", { status: 304 });
  for (const path of ["/new", "/newer"]) site.page(path);
  const source = webSource(site.port, { startUrls: [BASE] });
  const { problems } = await source.scan();
  expect(pathsOf(source.files.keys())).toEqual(["/", "/busy", "/new", "/newer", "/proxied"]);
  expect(source.waits).toEqual([3_000]);
  const message = "the server answered 304 to a first request";
  expect(problems).toEqual([{ path: `${BASE}/not-modified`, message }]);
});

test.each([
  [600_000, ["/", "/open"]],
  [5_000_000, []],
])("a robots.txt of %i bytes is obeyed", async (bytes, paths) => {
  const rules = "User-agent: *\nDisallow: /secret\n";
  site.routes.set("/robots.txt", { body: rules.padEnd(bytes, "# a line of no rule\n") });
  site.page("/", ["/secret/a", "/open"]);
  for (const path of ["/secret/a", "/open"]) site.page(path);
  const source = webSource(site.port, { startUrls: [BASE] });
  const { pages, partial } = await source.scan();
  const files = pages.filter(({ failure }) => failure === undefined);
  expect(pathsOf(files.map(({ path }) => path))).toEqual(paths);
  // Nothing that was read before is taken away.
  expect(partial).toBe(paths.length === 0);
});
