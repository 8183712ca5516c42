import { htmlPage, sitemapIndexOf, sitemapOf, type WebSite } from "./web-site.ts";

const SECTIONS = 10;
const PAGES_A_SECTION = 30;
const DAY = 86_400_000;

/**
 * A site of more than 300 good pages among every trap that we know. Returns the paths that a
 * crawl from `/` with the sitemap `/sitemap.xml` must list, in no order.
 */
export function buildHandbookSite(site: WebSite, base: string): string[] {
  const good = ["/", "/about", "/orphan/one", "/orphan/two", "/manual.pdf", "/end"];
  const page = (path: string, links: string[], head = "") => {
    const etag = `"${path}-1"`;
    site.routes.set(path, { headers: { etag }, body: htmlPage(`Page ${path}`, links, head) });
  };
  const sections = Array.from({ length: SECTIONS }, (_, at) => `/section/${at}`);
  page("/", [...sections, "/about", "/traps", "/about#team", "/About/../about", "/manual.pdf"]);
  for (const section of sections) {
    const pages = Array.from({ length: PAGES_A_SECTION }, (_, at) => `${section}/page-${at}.html`);
    page(section, pages);
    for (const [at, path] of pages.entries()) {
      page(path, ["/", section, pages[at + 1] ?? "/end", `${path}?utm_source=nav`]);
    }
    good.push(section, ...pages);
  }
  page("/about", ["mailto:a@b.example", "javascript:void(0)", "https://elsewhere.example/"]);
  page("/end", []);
  page("/orphan/one", ["/orphan/two"]);
  page("/orphan/two", []);
  site.routes.set("/manual.pdf", {
    headers: { "content-type": "application/pdf", etag: '"pdf"' },
    body: "%PDF-1.4",
  });
  setTraps(site, page);
  site.routes.set("/robots.txt", {
    headers: { "content-type": "text/plain" },
    body: "User-agent: *\nDisallow: /private/\nDisallow: /*.cgi$\nAllow: /private/open\n",
  });
  site.routes.set("/sitemap.xml", sitemapIndexOf([`${base}/maps/1.xml.gz`]));
  site.routes.set("/maps/1.xml.gz", sitemapOf([`${base}/orphan/one`], true));
  return [
    ...good,
    "/private/open",
    "/canonical",
    "/old-target",
    "/latin",
    "/wrong-charset",
    "/q?a=1&b=2",
  ];
}

/** Adds links that must neither become files nor stop the crawl. */
function setTraps(site: WebSite, page: (path: string, links: string[], head?: string) => void) {
  const traps = [
    "/loop/a",
    "/loop/self",
    "/hops/0",
    "/moved",
    "/away",
    "/inside",
    "/drip",
    "/gone",
    "/missing",
    "/broken",
    "/forbidden",
    "/private/secret",
    "/private/open",
    "/run.cgi",
    "/copy?session=9",
    "/canonical",
    "/logo",
    "/photo.png",
    "/huge",
    "/latin",
    "/wrong-charset",
    "/noindex",
    "/q?a=1&b=2&utm_medium=x",
    "http://[bad/",
    "//",
    "/calendar?day=2026-01-01",
    "/deep/x/x/x/x/x",
  ];
  page("/traps", traps, '<meta name="robots" content="noindex">');
  const redirect = (path: string, location: string) =>
    site.routes.set(path, { status: 302, headers: { location } });
  redirect("/loop/a", "/loop/b");
  redirect("/loop/b", "/loop/a");
  redirect("/loop/self", "/loop/self");
  for (let at = 0; at < 12; at += 1) redirect(`/hops/${at}`, `/hops/${at + 1}`);
  redirect("/moved", "/old-target");
  page("/old-target", []);
  redirect("/away", "https://elsewhere.example/landing");
  redirect("/inside", "http://169.254.169.254/latest/meta-data/");
  site.routes.set("/drip", { drips: true });
  site.routes.set("/gone", { status: 410 });
  site.routes.set("/broken", { status: 500 });
  site.routes.set("/forbidden", { status: 403 });
  site.routes.set("/logo", { headers: { "content-type": "image/png" }, body: "png" });
  site.routes.set("/huge", { headers: { "content-length": String(30 * 1_024 * 1_024) } });
  page("/private/open", []);
  page("/private/secret", []);
  page("/run.cgi", []);
  page("/canonical", []);
  const canonical = '<link rel="canonical" href="/canonical">';
  page("/copy?session=9", [], canonical);
  page("/noindex", [], '<meta name="robots" content="noindex, nofollow">');
  page("/q?a=1&b=2", []);
  site.routes.set("/latin", {
    headers: { "content-type": "text/html; charset=iso-8859-1", etag: '"latin"' },
    body: Buffer.from(htmlPage("Übersicht", []), "latin1"),
  });
  site.routes.set("/wrong-charset", {
    headers: { "content-type": "text/html; charset=klingon-8", etag: '"wrong"' },
    body: htmlPage("Wrong", []),
  });
  site.otherwise((url) => {
    if (url.pathname === "/calendar") {
      const day = Date.parse(url.searchParams.get("day") ?? "");
      const at = (days: number) => new Date(day + days * DAY).toISOString().slice(0, 10);
      const links = [`/calendar?day=${at(1)}`, `/calendar?day=${at(-1)}`];
      return { body: htmlPage(`Calendar ${url.search}`, links) };
    }
    const item = /^\/item\/(?<number>\d+)$/.exec(url.pathname)?.groups?.["number"];
    if (item !== undefined) {
      const next = Array.from({ length: 10 }, (_, at) => `/item/${Number(item) + at + 1}`);
      return { body: htmlPage(`Item ${item}`, next) };
    }
    if (url.pathname.startsWith("/deep/")) return { body: htmlPage("Deep", [`${url.pathname}/x`]) };
    return null;
  });
}
