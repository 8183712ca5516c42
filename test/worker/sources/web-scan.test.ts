import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { pushUrls } from "../../../src/ingestion/webhooks/push-urls.ts";
import { World } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";
import { page, serve, type Site } from "../../doubles/web-site/served-site.ts";

const BASE = "https://moss.example.com";

afterEach(() => {
  vi.restoreAllMocks();
});

function mossSite(): Site {
  const site: Site = new Map();
  page(site, `${BASE}/`, "A note of all mosses.", ["/sphagnum", "/peat", "/missing"]);
  page(site, `${BASE}/sphagnum`, "A note on sphagnum.", ["/deep"]);
  page(site, `${BASE}/peat`, "A note on peat.");
  page(site, `${BASE}/deep`, "A note found deep down.");
  return site;
}

test("a site is scanned and searched; unchanged pages cost no download", async () => {
  const site = mossSite();
  const asked = serve(site);
  const world = new World();
  const source = await world.addSource("web", { startUrls: [BASE] });
  const rag = await world.addRag(source);
  await scan(world, source);
  expect(await world.rows(rag)).toMatchObject([
    { path: `${BASE}/`, status: "indexed" },
    { path: `${BASE}/deep`, status: "indexed" },
    { path: `${BASE}/peat`, status: "indexed" },
    { path: `${BASE}/sphagnum`, status: "indexed" },
  ]);
  expect(await lastRun(source)).toMatchObject({
    added: 4,
    changed: 0,
    removed: 0,
    failed: 1,
    error: null,
  });
  expect((await world.shown(rag))[`${BASE}/deep`]?.join()).toContain("found deep down");
  // Each page was fetched once, by the scan: the index job read what it kept.
  expect(asked.filter((address) => address === `${BASE}/peat`).length).toBe(1);

  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ unchanged: 4, added: 0, changed: 0, removed: 0 });
  expect(world.waiting).toEqual([]);

  page(site, `${BASE}/peat`, "A note on peat bogs, revised.");
  site.delete(`${BASE}/sphagnum`);
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ changed: 1, removed: 2, unchanged: 1 });
  const shown = await world.shown(rag);
  expect(Object.keys(shown).sort()).toEqual([`${BASE}/`, `${BASE}/peat`]);
  expect(shown[`${BASE}/peat`]?.join()).toContain("revised");
});

test("a server that errs takes nothing from search and leaves no file of its own", async () => {
  const site = mossSite();
  serve(site);
  const world = new World();
  const source = await world.addSource("web", { startUrls: [BASE] });
  const rag = await world.addRag(source);
  await scan(world, source);
  for (const address of site.keys()) site.set(address, () => new Response("", { status: 502 }));
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ removed: 0, failed: 5 });
  expect(Object.keys(await world.shown(rag)).length).toBe(4);
  expect(await world.counters(rag)).toMatchObject({ indexed: 4, error: 0, deleted: 0 });
});

test("pushed URLs are files at once, and checked by every scan until they are deleted", async () => {
  const site = mossSite();
  page(site, `${BASE}/pushed`, "A note that was pushed.", ["/never-followed"]);
  const asked = serve(site);
  const world = new World();
  const source = await world.addSource("web", { startUrls: [BASE], maxDepth: 0 });
  const rag = await world.addRag(source);
  const secret = `${BASE.replace("//", "//user:secret@")}/pushed`;
  const urls = [`${BASE}/pushed#part`, secret, `${BASE}/lost`, "http://169.254.169.254/latest"];
  await pushUrls(world.services, { sourceId: source, urls });
  expect((await world.rows(rag)).map(({ status }) => status)).toEqual([
    "pending",
    "pending",
    "pending",
  ]);
  await world.deliver();
  expect(await world.rows(rag)).toMatchObject([
    {
      path: "http://169.254.169.254/latest",
      status: "error",
      error: expect.stringContaining("public"),
    },
    { path: `${BASE}/lost`, status: "error", error: expect.stringContaining("404") },
    { path: `${BASE}/pushed`, status: "indexed", error: null },
  ]);
  expect(asked.some((address) => address.includes("169.254"))).toBe(false);
  expect(asked).not.toContain(`${BASE}/never-followed`);
  expect(asked).not.toContain(`${BASE}/`);

  world.now += 60_000;
  await scan(world, source);
  expect(Object.keys(await world.shown(rag)).sort()).toEqual([`${BASE}/`, `${BASE}/pushed`]);
  site.delete(`${BASE}/pushed`);
  await scan(world, source);
  expect(Object.keys(await world.shown(rag))).toEqual([`${BASE}/`]);
});

test("a long crawl goes on over several pages of a listing and leaves nothing behind", async () => {
  const site: Site = new Map();
  const links = Array.from({ length: 150 }, (_, at) => `/note/${at}`);
  page(site, `${BASE}/`, "A note of notes.", links);
  for (const link of links) page(site, `${BASE}${link}`, `A note numbered ${link}.`);
  serve(site);
  const world = new World();
  const source = await world.addSource("web", { startUrls: [BASE] });
  const rag = await world.addRag(source);
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 151, failed: 0, error: null });
  expect(await world.counters(rag)).toMatchObject({ indexed: 151, pending: 0, error: 0 });
  const left = await env.FILES.list({ prefix: `sources/${source}/reader/crawl/` });
  expect(left.objects).toEqual([]);
}, 30_000);
