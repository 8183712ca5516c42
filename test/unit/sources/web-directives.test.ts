import { afterAll, beforeAll, expect, test } from "vitest";

import { readDirectives } from "../../../src/sources/web/site/robots.ts";
import { BASE, webSource } from "../../doubles/web-site/scanning.ts";
import { htmlPage, startWebSite, type WebSite } from "../../doubles/web-site/web-site.ts";

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
])("%s asks for %s", (text, wanted) => {
  const { noIndex, noFollow } = readDirectives(text);
  const asked = [...(noIndex ? ["noindex"] : []), ...(noFollow ? ["nofollow"] : [])];
  expect(asked.join(" ") || "-").toBe(wanted);
});

let site: WebSite;

beforeAll(async () => {
  site = await startWebSite();
});

afterAll(async () => {
  await site.stop();
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
  const listed = ["/", "/behind-hidden", "/dead-end", "/others", "/plain"];
  expect([...source.files.keys()].sort()).toEqual(listed.map((path) => `${BASE}${path}`));

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
