import { gzipSync } from "node:zlib";
import { describe, expect, test, beforeAll } from "vitest";

import { runToEnd } from "../../../src/core/work/cooperative.ts";
import { urlFilter } from "../../../src/sources/web/frontier.ts";
import { decodeHtml, readHtmlPage } from "../../../src/sources/web/pages/html-page.ts";
import { isEndless, normalizeUrl } from "../../../src/sources/web/pages/page-url.ts";
import { readSitemap } from "../../../src/sources/web/site/load-site.ts";
import { parseRobots, robotsAllow, readDirectives } from "../../../src/sources/web/site/robots.ts";
import { BASE, webSource } from "../../doubles/web-site/scanning.ts";
import { htmlPage, startWebSite, type WebSite } from "../../doubles/web-site/web-site.ts";

const at = (path: string) => new URL(path, "https://example.com");
const allows = (robots: string, path: string) =>
  robotsAllow(parseRobots(robots, "quarry"), at(path));

describe("robots.txt", () => {
  test.each<[string, string, boolean]>([
    ["", "/a", true],
    ["User-agent: *\nDisallow: /", "/a", false],
    ["User-agent: *\nDisallow:", "/a", true],
    ["User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["User-agent: *\nAllow: /a\nDisallow: /a", "/a", true],
    ["User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", false],
    ["User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?page=2", true],
    ["User-agent: *\nDisallow: /*?sort=", "/list?sort=up", false],
    ["User-agent: *\nDisallow: /a*b*c$", "/a1b2c3c", false],
    ["User-agent: *\nDisallow: /a*b*c$", "/a1b2d", true],
    ["User-agent: quarry\nDisallow: /q\n\nUser-agent: *\nDisallow: /", "/other", true],
    ["User-agent: QUARRY\nUser-agent: other\nDisallow: /q # for now", "/q/1", false],
    ["User-agent: other\nDisallow: /", "/a", true],
    ["\uFEFFuser-agent:*\r\ndisallow:/a", "/a", false],
    ["User-agent: *\nSitemap: https://example.com/s.xml\nDisallow: /a", "/a", false],
    ["User-agent: *\nDisallow: /%7Ejoe", "/~joe/x", false],
    ["User-agent: *\nDisallow: /müll", "/m%C3%BCll", false],
    ["User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y", "/y", false],
    ["User-agent: Quarry/1.0\nDisallow: /q\n\nUser-agent: *\nDisallow: /a", "/q", false],
    ["User-agent: quarry-news\nDisallow: /q", "/q", true],
    ["<html>not a robots file</html>", "/a", true],
  ])("%j of %s", (robots, path, expected) => {
    expect(allows(robots, path)).toBe(expected);
  });

  test("a crawl delay is read from the group that concerns us", () => {
    const text =
      "User-agent: *\nCrawl-delay: 9\n\nUser-agent: Quarry\nCrawl-delay: 0.5\nDisallow: /a";
    expect(parseRobots(text, "quarry").crawlDelaySeconds).toBe(0.5);
    expect(parseRobots("User-agent: *\nCrawl-delay: soon", "quarry").crawlDelaySeconds).toBe(null);
  });
});

test.each([
  ["https://example.com", "https://example.com/"],
  ["https://EXAMPLE.com:443/a/./b/../c#d", "https://example.com/a/c"],
  ["https://example.com/a?utm_source=x&b=1&gclid=2", "https://example.com/a?b=1"],
  ["https://example.com/a?utm_source=x", "https://example.com/a"],
  ["https://example.com/a?", "https://example.com/a"],
  ["https://example.com/%7euser/%c3%bc", "https://example.com/~user/%C3%BC"],
  ["https://example.com/x;jsessionid=AB12?y=1", "https://example.com/x?y=1"],
  ["https://example.com/a?b=2&a=1", "https://example.com/a?b=2&a=1"],
  [
    "https://example.com/v.php?t=7&sid=0123456789abcdef0123456789ABCDEF",
    "https://example.com/v.php?t=7",
  ],
  ["https://example.com/v.php?sid=7", "https://example.com/v.php?sid=7"],
  ["https://example.com/v?s=ids-of-a-session", "https://example.com/v?s=ids-of-a-session"],
  ["https://example.com/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "https://example.com/a.aspx"],
  ["https://example.com/wiki/(S)/a", "https://example.com/wiki/(S)/a"],
  ["https://example.com/v?CFID=12&CFTOKEN=34&t=1", "https://example.com/v?t=1"],
  ["https://example.com/?/a%20b/c&raw&utm_source=x", "https://example.com/?/a%20b/c&raw"],
])("%s is the page %s", (address, expected) => {
  expect(normalizeUrl(new URL(address)).href).toBe(expected);
});

test("addresses without an end are told", () => {
  expect(isEndless(at("/a/b/a/b/a/b/a/b"))).toBe(true);
  expect(isEndless(at(`/${"x/".repeat(30)}`))).toBe(true);
  expect(isEndless(at(`/?q=${"x".repeat(3_000)}`))).toBe(true);
  expect(isEndless(at("/2026/11/20/11/news"))).toBe(false);
  expect(isEndless(at("/list?page=1&page=2&page=3&page=4"))).toBe(true);
  expect(isEndless(at("/list?tag=a&tag=b&page=2&sort=up"))).toBe(false);
});

test("patterns choose by address, by path, or by a part", () => {
  const passes = (include: string[], exclude: string[], path: string) =>
    urlFilter({ include, exclude })(at(path));
  expect(passes([], [], "/any")).toBe(true);
  expect(passes(["/docs/"], [], "/docs/a")).toBe(true);
  expect(passes(["/docs/"], [], "/other/docs/a")).toBe(false);
  expect(passes(["/docs/*/guide"], [], "/docs/v2/guide")).toBe(true);
  expect(passes(["/docs/*/guide"], [], "/docs/v2/guide/more")).toBe(false);
  expect(passes(["https://example.com/docs/**"], [], "/docs/a/b")).toBe(true);
  expect(passes([], ["*.pdf"], "/a.pdf")).toBe(false);
  expect(passes([], ["?print=1"], "/a?print=1")).toBe(false);
  expect(passes(["/a"], ["/a/b"], "/a/b/c")).toBe(false);
  expect(passes(["/über uns/"], ["?ort=köln"], "/über uns/a?ort=köln")).toBe(false);
  expect(passes(["/über uns/"], ["?ort=köln"], "/über uns/a")).toBe(true);
  expect(passes(["http://Bücher.example:80*/ü*"], [], "http://bücher.example/a/ü")).toBe(true);
  expect(passes(["https://a.example:443*"], [], "https://a.example:4430/")).toBe(false);
  expect(passes(["http://10.0.*"], [], "http://10.0.0.5/")).toBe(true);
  expect(passes(["/a.c"], [], "/abc")).toBe(false);
});

describe("sitemaps", () => {
  const { signal } = new AbortController();
  const parse = async (text: string | Uint8Array) => {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const map = await readSitemap(bytes, signal);
    return map && { kind: map.kind, addresses: map.addresses.map(({ address }) => address) };
  };

  test("of every form are read", async () => {
    const xml = `<?xml version="1.0"?><urlset xmlns:image="i"><url><loc> https://example.com/?a=1&amp;b=2 </loc><image:image><image:loc>https://example.com/i.png</image:loc></image:image></url><url><loc><![CDATA[https://example.com/c]]></loc></url></urlset>`;
    const pages = {
      kind: "pages",
      addresses: ["https://example.com/?a=1&b=2", "https://example.com/c"],
    };
    expect(await parse(xml)).toEqual(pages);
    expect(await parse(gzipSync(xml))).toEqual(pages);
    const index =
      "<sitemapindex><sitemap><loc>https://example.com/1.xml</loc></sitemap></sitemapindex>";
    expect(await parse(index)).toEqual({ kind: "index", addresses: ["https://example.com/1.xml"] });
    expect(await parse("https://example.com/a\r\nhttps://example.com/b\n")).toEqual({
      kind: "pages",
      addresses: ["https://example.com/a", "https://example.com/b"],
    });
    const rss =
      "<rss><channel><link>https://example.com/</link><item><link>https://example.com/n</link></item></channel></rss>";
    expect(await parse(rss)).toEqual({ kind: "pages", addresses: ["https://example.com/n"] });
    const atom = `<feed><link href="https://example.com/self"/><entry><link href="https://example.com/e"/></entry></feed>`;
    expect(await parse(atom)).toEqual({ kind: "pages", addresses: ["https://example.com/e"] });
    const blog = `<feed><entry><link rel="edit" href="/e/edit"/><link rel="replies" href="/e/comments"/><link rel="alternate" href="/e"/><link rel="enclosure" href="/e.mp3"/></entry></feed>`;
    expect(await parse(blog)).toEqual({ kind: "pages", addresses: ["/e"] });
    const rdf = `<rdf:RDF><channel/><item rdf:about="/n"><link>https://example.com/n</link></item></rdf:RDF>`;
    expect(await parse(rdf)).toEqual({ kind: "pages", addresses: ["https://example.com/n"] });
    const document =
      '<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>/ü</loc></url></urlset>';
    const pageOfIt = { kind: "pages", addresses: ["/ü"] };
    expect(await parse(Buffer.from(document, "latin1"))).toEqual(pageOfIt);
    expect(await parse(Buffer.from(`\uFEFF${document}`, "utf16le"))).toEqual(pageOfIt);
  });

  test("that are none, or are damaged, are told", async () => {
    expect(await parse("<!doctype html><html><body>Not found</body></html>")).toBe(null);
    expect(await parse("nothing")).toBe(null);
    const cut = gzipSync("<urlset></urlset>").subarray(0, 15);
    await expect(parse(cut)).rejects.toMatchObject({ kind: "bad-file" });
  });

  test("name at most 50,000 pages", async () => {
    const urls = Array.from(
      { length: 50_010 },
      (_, n) => `<url><loc>https://example.com/${n}</loc></url>`,
    );
    expect((await parse(`<urlset>${urls.join("")}</urlset>`))?.addresses.length).toBe(50_000);
  });
});

describe("pages", () => {
  test("tell their links, title, language, canonical address and wishes", () => {
    const page = runToEnd(
      readHtmlPage(
        `<html lang="de-AT"><head><base href="/base/"><svg><title>nor this</title></svg><title> A
        title &amp; more </title><link rel="alternate" href="/alt"><link rel="CANONICAL" href="/canon"><link rel="prefetch NEXT" href="?page=2">
        <meta name="robots" content="NOINDEX, follow"><meta http-equiv="refresh" content="3; url='/next'"></head>
       <body><a href="one">1</a><a href="#top">top</a><a>none</a><a rel="nofollow" href="/ad">ad</a>
       <map><area href="/area"></map><iframe src="/inner"></iframe><object data="a.pdf"></object><embed src="/view?file=%2Fb.pdf"><iframe src="/view/?file=../c.pdf#page=2"></iframe><svg><title>not this</title></svg></body></html>`,
      ),
    );
    expect(page).toEqual({
      links: [
        ..."?page=2 /next one /area /inner a.pdf /view?file=%2Fb.pdf /b.pdf".split(" "),
        ..."/view/?file=../c.pdf#page=2 /view/../c.pdf".split(" "),
      ],
      base: "/base/",
      canonical: "/canon",
      refresh: null,
      generator: "",
      title: "A title & more",
      language: "de-AT",
      modified: [],
      directives: ["NOINDEX, follow"],
    });
  });

  test("are decoded by mark, header, own word, then UTF-8", () => {
    const decoded = (bytes: Uint8Array, type: string) => runToEnd(decodeHtml(bytes, type));
    const latin = Buffer.from("<p>Übung</p>", "latin1");
    expect(decoded(latin, "text/html; charset=ISO-8859-1")).toContain("Übung");
    const own = Buffer.from('<meta charset="windows-1252"><p>Übung</p>', "latin1");
    expect(decoded(own, "text/html")).toContain("Übung");
    const marked = Buffer.from("\uFEFF<p>Übung</p>", "utf16le");
    expect(decoded(marked, "text/html; charset=utf-8")).toContain("Übung");
    expect(decoded(Buffer.from("<p>Übung</p>"), "text/html; charset=nonsense")).toContain("Übung");
  });
});

test.each([
  ["", "-"],
  ["all", "-"],
  ["noindex", "noindex"],
  ["NoIndex, NoFollow", "noindex nofollow"],
  ["none", "noindex nofollow"],
  ["noarchive, max-snippet:-1, nofollow", "nofollow"],
  ["googlebot: noindex, nofollow", "-"],
  ["googlebot: noindex, quarry: nofollow", "nofollow"],
  ["otherbot: none, *: noindex", "noindex"],
  ["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", "nofollow"],
  ["noindexed, nofollowing", "-"],
])("%s asks for %s", (text, expected) => {
  const { noIndex, noFollow } = readDirectives(text);
  const directives = [...(noIndex ? ["noindex"] : []), ...(noFollow ? ["nofollow"] : [])];
  expect(directives.join(" ") || "-").toBe(expected);
});

let site: WebSite;

beforeAll(async () => {
  site = await startWebSite();
  return () => site.stop();
});

function show(path: string, links: string[], headers: Record<string, string> = {}, head = "") {
  const etag = JSON.stringify(path);
  site.routes.set(path, { headers: { etag, ...headers }, body: htmlPage(path, links, head) });
}

const asking = (tag: string) => ({ "x-robots-tag": tag });

test("what is asked of those who index is done: by header, by element, for any type", async () => {
  show("/", ["/hidden", "/dead-end", "/paper.pdf", "/others", "/plain"]);
  show("/hidden", ["/behind-hidden"], asking("noindex"));
  show("/behind-hidden", []);
  show("/dead-end", ["/never"], asking("nofollow"));
  show("/never", []);
  show("/others", [], asking("googlebot: noindex"));
  show("/plain", []);
  const pdf = { "content-type": "application/pdf", ...asking("none") };
  site.routes.set("/paper.pdf", { headers: pdf, body: "%PDF-1.4" });
  const source = webSource(site.port, { startUrls: [BASE] });
  await source.scan();
  const expectedPaths = ["/", "/behind-hidden", "/dead-end", "/others", "/plain"];
  expect([...source.files.keys()].sort()).toEqual(expectedPaths.map((path) => `${BASE}${path}`));

  // A page that asks for it later goes, although its bytes are the same and the answer is 304.
  show("/plain", [], asking("noindex"));
  const second = await source.scan();
  expect(second.deleted).toEqual([`${BASE}/plain`]);
  expect(source.files.has(`${BASE}/plain`)).toBe(false);
  show("/plain", []);
  await source.scan();
  expect(source.files.has(`${BASE}/plain`)).toBe(true);
});

test("a named page that asks not to be indexed says so, also after a retry", async () => {
  show("/named", [], asking("noindex"));
  const source = webSource(site.port, { startUrls: [`${BASE}/plain`] });
  await source.push(`${BASE}/named`);
  const file = source.files.get(`${BASE}/named`);
  expect(file?.failure).toEqual({ kind: "bad-file", message: "the page asks not to be indexed" });
  await expect(source.textOf(`${BASE}/named`)).rejects.toMatchObject({
    kind: "bad-file",
    message: "the page asks not to be indexed",
  });
});

test("a page's last change is what it says, else its sitemap, else its server", async () => {
  const lastmod = "2026-03-03";
  const mapped = (path: string) =>
    `<url><loc>${BASE}${path}</loc><lastmod>${lastmod}</lastmod></url>`;
  const xml = `<urlset>${["/says", "/linked", "/mapped"].map(mapped).join("")}<url><loc>${BASE}/served</loc></url></urlset>`;
  site.routes.set("/sitemap.xml", { headers: { "content-type": "application/xml" }, body: xml });
  const served = (head: string, body = "1") => {
    const headers = { "last-modified": "Wed, 04 Mar 2026 10:00:00 GMT" };
    return { headers, body: htmlPage(body, [], head) };
  };
  const says = `<meta property="article:modified_time" content="2026-03-01T10:00:00+00:00">`;
  const linked = `<script type="application/ld+json">{"dateModified": "2026-03-02T10:00:00"}</script>`;
  site.routes.set("/says", served(linked + says));
  site.routes.set("/linked", served(linked));
  site.routes.set("/mapped", served(""));
  site.routes.set("/served", served(""));
  const source = webSource(site.port, { sitemapUrls: [`${BASE}/sitemap.xml`] });
  await source.scan();
  const times = () =>
    ["/says", "/linked", "/mapped", "/served"].map((path) => {
      const at = source.files.get(BASE + path)?.modifiedAt ?? null;
      return at === null ? null : new Date(at).toISOString().slice(0, "2026-03-01".length);
    });
  expect(times()).toEqual(["2026-03-01", "2026-03-02", lastmod, "2026-03-04"]);
  // A server that writes each page anew tells another time of equal bytes.
  site.routes.set("/served", {
    ...served(""),
    headers: { "last-modified": new Date().toUTCString() },
  });
  await source.scan();
  expect(source.files.get(`${BASE}/served`)).not.toHaveProperty("modifiedAt");
});
