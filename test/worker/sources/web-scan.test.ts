import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { FileSourceId } from "../../../src/core/ids.ts";
import { findSourceRow } from "../../../src/db/catalog/source-store.ts";
import { readRunPage } from "../../../src/db/catalog/source-store.ts";
import { readNeeds } from "../../../src/db/maintenance/overview-store.ts";
import { pushUrls } from "../../../src/ingestion/webhooks/push-urls.ts";
import { needsOf } from "../../../src/panel/pages/overview/needs.tsx";
import { page, serve, type Site } from "../../doubles/web-site/served-site.ts";
import { World, ragWorld, statement } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";

const BASE = "https://moss.example.com";

function mossSite(): Site {
  const site: Site = new Map();
  page(site, `${BASE}/`, "A note of all mosses.", ["/sphagnum", "/peat", "/missing"]);
  page(site, `${BASE}/sphagnum`, "A note on sphagnum.", ["/deep.php"]);
  page(site, `${BASE}/peat`, "A note on peat.");
  page(site, `${BASE}/deep.php`, "A note found deep down.");
  return site;
}

/** Addresses that a program pushes into a source, and a source that is set up anew. */
async function pushInto({ services }: World, sourceId: FileSourceId, urls: string[], limits = {}) {
  return await pushUrls(services, { sourceId, urls, limits: { maxPushedUrls: 100, ...limits } });
}
const configure = async (source: FileSourceId, config: object) =>
  await statement(
    "update file_sources set config = ? where id = ?",
    JSON.stringify(config),
    source,
  ).run();

test("a site is scanned and searched; unchanged pages cost no download", async () => {
  const site = mossSite();
  const addresses = serve(site);
  const { world, source, rag } = await ragWorld("web", { startUrls: [BASE] });
  await scan(world, source);
  expect(await world.rows(rag)).toMatchObject([
    { path: `${BASE}/`, status: "indexed" },
    { path: `${BASE}/deep.php`, status: "indexed" },
    { path: `${BASE}/peat`, status: "indexed" },
    { path: `${BASE}/sphagnum`, status: "indexed" },
  ]);
  const first = { added: 4, changed: 0, removed: 0, failed: 1, error: null };
  expect(await lastRun(source)).toMatchObject(first);
  // The server says that it is a page: its address does not make it a program.
  expect((await world.texts(rag))[`${BASE}/deep.php`]?.join()).toMatch(
    /^[^<]*found deep down[^<]*$/,
  );
  // Each page was fetched once, by the scan: the index job read what it kept.
  expect(addresses.filter((address) => address === `${BASE}/peat`).length).toBe(1);

  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ unchanged: 4, added: 0, changed: 0, removed: 0 });
  expect(world.waiting).toEqual([]);

  page(site, `${BASE}/peat`, "A note on peat bogs, revised.", ["/bog"]);
  page(site, `${BASE}/bog`, "A note on a bog that is new.");
  site.delete(`${BASE}/sphagnum`);
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 1, changed: 1, removed: 2, unchanged: 1 });
  const texts = await world.texts(rag);
  expect(Object.keys(texts).sort()).toEqual([`${BASE}/`, `${BASE}/bog`, `${BASE}/peat`]);
  expect(texts[`${BASE}/peat`]?.join()).toContain("revised");
});

test("what a limit leaves out is told in the run, at the source and in the overview", async () => {
  const site = mossSite();
  page(site, `${BASE}/`, "A note.", ["/sphagnum", "/peat", "/missing", "/?C=N;O=D"]);
  serve(site);
  const world = new World();
  const source = await world.addSource("web", { startUrls: [BASE], maxPages: 2 });
  await scan(world, source);
  const exclusion = { limit: "maxPages", addresses: 3, isAtLeast: false };
  const { db } = world.services;
  const { data: runs } = await readRunPage(db, source, { limit: 10, after: null, before: null });
  // Notices that need no action are shown in the run alone.
  const views = {
    limit: "views",
    about: expect.stringContaining("orders") as unknown,
    addresses: 1,
  };
  expect(runs).toMatchObject([{ added: 2, leftOut: [exclusion, views] }]);
  // Looking at a pushed address does not end what the last crawl left out.
  await pushInto(world, source, [`${BASE}/peat`]);
  await world.deliver();
  const look = { now: world.now, limit: 1_000, mayReadAll: true, problem: null };
  const needs = await readNeeds(db, look);
  const need = needsOf(needs).find(({ href }) => href === `/panel/sources/${source}/settings`);
  expect(need?.why).toBe("3 addresses are left out by “Pages at most” (2).");
  expect((await findSourceRow(db, source))?.source.leftOut).toEqual([exclusion]);
  await configure(source, { startUrls: [BASE], maxPages: 9 });
  await scan(world, source);
  const after = needsOf(await readNeeds(db, look));
  expect(after.filter(({ href }) => href.includes(source))).toEqual([]);
});

test("a site in no RAG tells which addresses were not read, and why", async () => {
  const site = mossSite();
  serve(site);
  const more = Array.from({ length: 30 }, (_, at) => `/lost-${at}`);
  page(site, `${BASE}/peat`, "A note on peat.", more);
  site.set(`${BASE}/closed`, () => new Response("", { status: 401 }));
  const world = new World();
  const startUrls = [BASE, `${BASE}/closed`];
  const source = await world.addSource("web", { startUrls });
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 4, failed: 32 });
  const run = await statement(
    "select problems from scan_runs where file_source_id = ?",
    source,
  ).first<{ problems: string }>();
  const problems = JSON.parse(run?.problems ?? "") as { path: string; message: string }[];
  expect(problems).toHaveLength(20);
  expect(problems).toEqual(
    expect.arrayContaining([
      { path: `${BASE}/closed`, message: expect.stringContaining("401") },
      { path: `${BASE}/missing`, message: "the page does not exist (404)" },
    ]),
  );
});

test("pushed URLs are files at once, and checked by every scan until they are deleted", async () => {
  const site = mossSite();
  page(site, `${BASE}/pushed`, "A note that was pushed.", ["/never-followed"]);
  const addresses = serve(site);
  const { world, source, rag } = await ragWorld("web", { startUrls: [BASE], maxDepth: 0 });
  const secret = `${BASE.replace("//", "//user:secret@")}/pushed`;
  const urls = [`${BASE}/pushed#part`, secret, `${BASE}/lost`, "http://169.254.169.254/latest"];
  await pushInto(world, source, urls);
  const pending = (await world.rows(rag)).map(({ status }) => status);
  expect(pending).toEqual(Array(3).fill("pending"));
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
  expect(addresses.some((address) => address.includes("169.254"))).toBe(false);
  expect(addresses).not.toContain(`${BASE}/never-followed`);
  expect(addresses).not.toContain(`${BASE}/`);

  // Pushed again and unchanged, it stays as it is.
  await pushInto(world, source, [`${BASE}/pushed`]);
  const status = async () =>
    (await world.rows(rag)).find(({ path }) => path === `${BASE}/pushed`)?.status;
  expect(await status()).toBe("indexed");
  await world.deliver();
  expect(await status()).toBe("indexed");

  world.now += 60_000;
  await scan(world, source);
  expect(Object.keys(await world.texts(rag)).sort()).toEqual([`${BASE}/`, `${BASE}/pushed`]);
  // A push looks at what it names alone.
  site.delete(`${BASE}/pushed`);
  await pushInto(world, source, [`${BASE}/pushed`]);
  await world.deliver();
  expect(Object.keys(await world.texts(rag))).toEqual([`${BASE}/`]);
  site.delete(`${BASE}/`);
  await scan(world, source);
  expect(await world.texts(rag)).toEqual({});
});

const pushesOf = async (source: string) =>
  await statement(
    `select pushed_files as files, pushes_refused as refused, pushes_refused_at as refusedAt,
       (select count(*) from files where file_source_id = s.id) as rows
     from file_sources s where id = ?`,
    source,
  ).first();

test("pushed URLs beyond the source's cap never become files, however many push", async () => {
  const { world, source, rag } = await ragWorld("web");
  const push = async (urls: string[]) =>
    await pushInto(world, source, urls, { maxPushedUrls: 500 });
  const urlsOf = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${BASE}/${name}/${at}`);
  await Promise.all(["a", "b", "c", "d"].map(async (name) => await push(urlsOf(name, 250))));
  const expected = { files: 500, refused: 500, refusedAt: world.now, rows: 500 };
  expect(await pushesOf(source)).toEqual(expected);
  expect((await world.rows(rag)).length).toBe(500);
  const messages = world.waiting.flatMap(({ body }) => (body as { urls: string[] }).urls);
  expect(new Set(messages)).toEqual(new Set((await world.rows(rag)).map(({ path }) => path)));
  // Known files are visited again, whatever the cap; new addresses are not.
  world.waiting = [];
  expect(await push([messages[0] ?? "", `${BASE}/more`])).toBe(true);
  expect(world.waiting.map(({ body }) => body)).toMatchObject([{ urls: [messages[0]] }]);
  world.waiting = [];
  expect(await push([`${BASE}/more`])).toBe(false);
  expect(world.waiting).toEqual([]);
  expect(await pushesOf(source)).toMatchObject({ files: 500, refused: 502, rows: 500 });
});

test("pushed URLs of other hosts are refused, and leave with the next scan", async () => {
  const site = mossSite();
  page(site, `${BASE}/pushed`, "A note that was pushed.", []);
  serve(site);
  const { world, source, rag } = await ragWorld("web", { startUrls: [BASE], maxDepth: 0 });
  const { hostname } = new URL(BASE);
  const urls = [`${BASE}/pushed`, "http://203.0.113.9/a"];
  const push = async (pushHosts?: string[]) => await pushInto(world, source, urls, { pushHosts });
  await push([hostname]);
  expect(await pushesOf(source)).toMatchObject({ files: 1, refused: 1, rows: 1 });
  await push();
  await world.deliver();
  expect(await pushesOf(source)).toMatchObject({ files: 2, refused: 1 });
  await configure(source, { startUrls: [BASE], maxDepth: 0, pushHosts: [hostname] });
  await scan(world, source);
  expect(await world.rows(rag)).toMatchObject([
    { path: "http://203.0.113.9/a", status: "deleted" },
    { path: `${BASE}/`, status: "indexed" },
    { path: `${BASE}/pushed`, status: "indexed" },
  ]);
  // A deleted file makes room once it is forgotten.
  expect(await pushesOf(source)).toMatchObject({ files: 2 });
  await env.DB.prepare("delete from files where path like 'http://203%'").run();
  await scan(world, source);
  expect(await pushesOf(source)).toMatchObject({ files: 1 });
});
