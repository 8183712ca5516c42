import { afterEach, beforeEach, expect, test } from "vitest";

import { guardedFetch, openResponse, readBytes } from "../../../src/sources/guarded-fetch.ts";
import { INSIDE } from "../../doubles/web-site/inside-addresses.ts";
import { BASE, HOST, webSource } from "../../doubles/web-site/scanning.ts";
import {
  htmlPage,
  sitemapIndexOf,
  sitemapOf,
  startCanary,
  startWebSite,
  type WebSite,
} from "../../doubles/web-site/web-site.ts";

let site: WebSite;
let canary: Awaited<ReturnType<typeof startCanary>>;
/** The addresses that lead inside, with the port at which someone listens. */
let inside: string[];

beforeEach(async () => {
  site = await startWebSite();
  canary = await startCanary();
  inside = INSIDE.map((address) => {
    const [, host = "", rest = ""] = /^http:\/\/([^/]*)(.*)$/.exec(address) ?? [];
    return /:\d+$/.test(host) ? address : `http://${host}:${canary.port}${rest}`;
  });
});

afterEach(async () => {
  await site.stop();
  await canary.stop();
});

test("links, redirects, sitemaps, canonical links and pushes reach nothing private", async () => {
  const redirects = inside.map((_, at) => `/go/${at}`);
  for (const [at, location] of inside.entries()) {
    site.routes.set(`/go/${at}`, { status: 302, headers: { location: encodeURI(location) } });
  }
  const canonicals = inside.map((_, at) => `/canonical/${at}`);
  for (const [at, address] of inside.entries()) {
    const head = `<link rel="canonical" href="${address}"><meta http-equiv="refresh" content="9;url=${address}">`;
    site.routes.set(`/canonical/${at}`, { body: htmlPage("C", [], head) });
    const refresh = `<meta http-equiv="refresh" content="0;url=${address}">`;
    site.routes.set(`/refresh/${at}`, { body: htmlPage("R", [], refresh) });
  }
  const refreshes = inside.map((_, at) => `/refresh/${at}`);
  const links = [...inside, ...redirects, ...canonicals, ...refreshes];
  site.routes.set("/", { body: htmlPage("Start", links) });
  site.routes.set("/map.xml", sitemapOf([...inside, `${BASE}/go/0`, `${BASE}/mapped`]));
  site.routes.set("/index.xml", sitemapIndexOf([...inside, `${BASE}/map.xml`]));
  site.routes.set("/mapped", { body: htmlPage("Mapped", inside, `<base href="${inside[0]}">`) });
  const source = webSource(site.port, {
    startUrls: [BASE],
    sitemapUrls: [`${BASE}/index.xml`],
    maxPages: 2_000,
  });
  const { pages, skipped } = await source.scan();
  const readPaths = pages.filter((file) => file.failure === undefined).map((file) => file.path);
  // One of the addresses is none: that page sends nobody anywhere.
  expect(readPaths.length).toBe(2 + canonicals.length + 1);
  expect(skipped).toBeGreaterThanOrEqual(redirects.length + refreshes.length - 1);

  const pushed = await source.push(...inside, ...redirects.map((path) => BASE + path));
  const failures = (pushed?.files ?? []).map((file) => file.failure?.kind);
  expect(failures.length).toBeGreaterThanOrEqual(inside.length);
  expect(new Set(failures)).toEqual(new Set(["denied"]));

  expect(source.outside).toEqual([]);
  expect(canary.connections()).toBe(0);
});

test("start URLs and sitemaps inside are refused as well", async () => {
  const source = webSource(site.port, {
    startUrls: [`http://127.0.0.1:${canary.port}/`],
    sitemapUrls: [`http://localhost:${canary.port}/sitemap.xml`],
  });
  const { pages } = await source.scan();
  expect(pages.map((file) => file.failure?.kind)).toEqual(["denied"]);
  expect(source.outside).toEqual([]);
  expect(canary.connections()).toBe(0);
});

test("with the switch for tests the same addresses are fetched: the canary does sing", async () => {
  const outgoing = { fetch, allowPrivate: true };
  const signal = new AbortController().signal;
  const address = `http://127.0.0.1:${canary.port}/`;
  const { response } = await guardedFetch(outgoing, address, { signal });
  expect(await response.text()).toBe("secret");
  expect(canary.connections()).toBe(1);
});

test("redirects are bounded, and a body may not be larger than allowed once unpacked", async () => {
  for (let at = 0; at < 8; at += 1) {
    site.routes.set(`/hop/${at}`, { status: 307, headers: { location: `/hop/${at + 1}` } });
  }
  const source = webSource(site.port, {
    startUrls: [`${BASE}/hop/0`, `${BASE}/hop/4`],
    sitemapUrls: [`${BASE}/bomb.xml.gz`],
  });
  site.routes.set("/hop/8", { body: htmlPage("There", []) });
  const bomb = sitemapOf([`${BASE}/${"a".repeat(20 * 1_024 * 1_024)}`], true);
  site.routes.set("/bomb.xml.gz", bomb);
  const { pages } = await source.scan();
  expect(pages.map((file) => [file.path, file.failure?.message])).toEqual([
    [`${BASE}/bomb.xml.gz`, "sitemap: larger than 16 MiB"],
    [`${BASE}/hop/0`, "more than 5 redirects"],
    [`${BASE}/hop/8`, undefined],
  ]);
});

test("a redirect that asks for its cookie gets it back, no other host does", async () => {
  const cookies: (string | undefined)[] = [];
  site.routes.set("/", (_url, { headers }) => {
    cookies.push(headers.cookie);
    if (headers.cookie === "seen=1") return { body: htmlPage("There", []) };
    return { status: 302, headers: { location: "/", "set-cookie": "seen=1; Path=/" } };
  });
  const source = webSource(site.port, { startUrls: [BASE] });
  const { pages } = await source.scan();
  expect(pages.map((file) => file.failure)).toEqual([undefined]);
  expect(cookies).toEqual([undefined, "seen=1"]);
  cookies.length = 0;
  site.routes.set("/moved", {
    status: 302,
    headers: { location: `http://www.${HOST}/`, "set-cookie": "seen=1" },
  });
  await webSource(site.port, { startUrls: [`${BASE}/moved`] }).scan();
  expect(cookies).toEqual([undefined, "seen=1"]);
});

test("a cookie of https is not sent over http", async () => {
  const cookies: (string | null)[] = [];
  const hops = [`https://${HOST}/2`, `${BASE}/3`];
  const follow = (_address: string, { headers = {} }: RequestInit = {}) => {
    const location = hops[cookies.push(new Headers(headers).get("cookie")) - 1];
    const answer = { "set-cookie": "seen=1; Secure", ...(location && { location }) };
    return Promise.resolve(new Response("", { status: location ? 302 : 200, headers: answer }));
  };
  const outgoing = { fetch: follow, allowPrivate: false };
  await guardedFetch(outgoing, `https://${HOST}/`, { signal: new AbortController().signal });
  expect(cookies).toEqual([null, "seen=1", null]);
});

test("a start URL may move to its www name, and to no other host", async () => {
  site.routes.set("/", { status: 301, headers: { location: `http://www.${HOST}/` } });
  const source = webSource(site.port, { startUrls: [BASE] });
  await source.scan().catch(() => undefined);
  expect(source.outside.every((address) => address.startsWith(`http://www.${HOST}/`))).toBe(true);
  site.routes.set("/", { status: 301, headers: { location: "http://evil.example.net/" } });
  const otherSource = webSource(site.port, { startUrls: [BASE] });
  const { pages } = await otherSource.scan();
  expect(pages.map((file) => file.failure?.message)).toEqual(["redirects to another host"]);
  expect(otherSource.outside).toEqual([]);
});

const CODED = "Open at ten";

test.each([
  ["deflate", "deflate", CODED],
  ["deflate", "deflate-raw", CODED],
  ["X-GZIP", "gzip", CODED],
  ["GZIP", "gzip", CODED],
  ["utf-8, gzip", "gzip", CODED],
  ["x-gzip", null, CODED],
  ["zstd", "gzip", "compressed in a way that is not read: zstd"],
  ["gzip, gzip", "gzip", "compressed in a way that is not read: gzip, gzip"],
] as const)("a body of coding %s is decoded from %s, or it is said", async (coding, form, text) => {
  const plain = new Response(CODED).body;
  const body = form === null ? plain : plain?.pipeThrough(new CompressionStream(form));
  const answer = new Response(body, { headers: { "content-encoding": coding } });
  const outgoing = { fetch: () => Promise.resolve(answer), allowPrivate: true };
  const reading = guardedFetch(outgoing, BASE, { signal: new AbortController().signal })
    .then(async (got) => new TextDecoder().decode(await readBytes(got)))
    .catch((thrown: Error) => thrown.message);
  expect(await reading).toBe(text);
});

test.each(["zstd", "deflate", "x-gzip"])("an answer of coding %s has a status", async (coding) => {
  let isCancelled = false;
  const silent = new ReadableStream({
    cancel: () => void (isCancelled = true),
  });
  const answer = new Response(silent, { headers: { "content-encoding": coding } });
  const outgoing = { fetch: () => Promise.resolve(answer), allowPrivate: true };
  const { response } = await guardedFetch(outgoing, BASE, { signal: AbortSignal.timeout(500) });
  expect(response.status).toBe(200);
  await response.body?.cancel();
  expect(isCancelled).toBe(true);
});

test.each([
  ["deflate", "the connection failed"],
  ["x-gzip", "the connection failed"],
  ["gzip", "its bytes are not compressed as Content-Encoding says"],
])("a body of coding %s that cannot be read is said", async (coding, reason) => {
  const broken = new ReadableStream({ pull: (body) => body.error(new TypeError("reset")) });
  const answer = new Response(broken, { headers: { "content-encoding": coding } });
  const outgoing = { fetch: () => Promise.resolve(answer), allowPrivate: true };
  const reading = guardedFetch(outgoing, BASE, { signal: new AbortController().signal });
  await expect(reading.then(async (got) => await readBytes(got))).rejects.toThrow(reason);
});

test("a page that answers in place of a file is not left half read", async () => {
  let isCancelled = false;
  const endless = new ReadableStream({
    cancel: () => void (isCancelled = true),
  });
  const answer = new Response(endless, { headers: { "content-type": "text/html" } });
  const outgoing = { fetch: () => Promise.resolve(answer), allowPrivate: false };
  const got = await guardedFetch(outgoing, BASE, { signal: new AbortController().signal });
  await expect(openResponse(got, "application/pdf")).rejects.toMatchObject({ kind: "down" });
  expect(isCancelled).toBe(true);
});
