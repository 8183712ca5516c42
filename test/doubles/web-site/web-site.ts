import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";

import { listen } from "../listen.ts";

/** A page's answer; functions see how often it was asked. */
export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Sends the beginning of a body and then nothing more. */
  drips?: boolean;
};
type Route = Answer | ((url: URL, request: IncomingMessage) => Answer);

/** A server on loopback whose pages a test defines and counts. */
export async function startWebSite() {
  const routes = new Map<string, Route>();
  const requests: { path: string; status: number }[] = [];
  let fallback: (url: URL) => Answer | null = () => null;

  const answerTo = (url: URL, request: IncomingMessage): Answer => {
    const route = routes.get(`${url.pathname}${url.search}`) ?? routes.get(url.pathname);
    const answer = typeof route === "function" ? route(url, request) : route;
    return answer ?? fallback(url) ?? { status: 404, body: "not here" };
  };

  const { port, stop } = await listen((request, response) => {
    const url = new URL(request.url ?? "/", "http://site.invalid");
    const answer = answerTo(url, request);
    const tag = answer.headers?.["etag"];
    const same = tag !== undefined && request.headers["if-none-match"] === tag;
    const status = same ? 304 : (answer.status ?? 200);
    requests.push({ path: `${url.pathname}${url.search}`, status });
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...answer.headers });
    if (answer.drips === true) response.write("<p>slow");
    else response.end(same ? undefined : answer.body);
  });
  return {
    port,
    routes,
    requests,
    /** Adds a page with links. */
    page(path: string, links: string[] = [], head = "") {
      routes.set(path, { headers: { etag: `"${path}"` }, body: htmlPage(path, links, head) });
    },
    redirect(path: string, location: string, status = 301) {
      routes.set(path, { status, headers: { location } });
    },
    /** Answers every path without a route; null: 404. */
    otherwise(answer: (url: URL) => Answer | null) {
      fallback = answer;
    },
    stop,
  };
}

export type WebSite = Awaited<ReturnType<typeof startWebSite>>;

/** A server that must never be reached: it counts every connection. */
export async function startCanary() {
  let connections = 0;
  const { server, port, stop } = await listen((_request, response) => response.end("secret"));
  server.on("connection", () => {
    connections += 1;
  });
  return {
    port,
    connections: () => connections,
    stop,
  };
}

export function htmlPage(title: string, links: string[], head = "", text = ""): string {
  const anchors = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join("");
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><nav><ul>${anchors}</ul></nav><main><h1>${title}</h1><p>Text of ${title}. ${text}</p></main></body></html>`;
}

export function sitemapOf(addresses: string[], gzip = false): Answer {
  const urls = addresses.map((each) => `<url><loc>${each.replaceAll("&", "&amp;")}</loc></url>`);
  const xml = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`;
  const headers = { "content-type": gzip ? "application/gzip" : "application/xml" };
  return { headers, body: gzip ? gzipSync(xml) : xml };
}

export function sitemapIndexOf(addresses: string[]): Answer {
  const maps = addresses.map((each) => `<sitemap><loc>${each}</loc></sitemap>`);
  return {
    headers: { "content-type": "application/xml" },
    body: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${maps.join("")}</sitemapindex>`,
  };
}
