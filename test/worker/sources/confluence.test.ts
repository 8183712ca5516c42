import { expect, test, vi } from "vitest";

import { openSource } from "../../../src/sources/open-source.ts";
import { ConfluenceDouble } from "../../doubles/confluence/confluence-double.ts";
import { World, statement } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";

/** A site of 30 pages and an attachment, and what the service logs of it. */
async function indexedSite() {
  const site = new ConfluenceDouble();
  site.clock = Date.now();
  const space = site.space("HR");
  const pages = Array.from({ length: 30 }, (_, at) =>
    site.page(space, `Rule ${at}`, `<p>The rule numbered ${at}.</p>`),
  );
  site.attach(pages[0] ?? "", "letter.txt", "A letter numbered.");
  vi.spyOn(globalThis, "fetch").mockImplementation(
    async (input, init) =>
      await site.fetch(input instanceof Request ? input.url : String(input), init),
  );
  const world = new World();
  const logged: unknown[] = [];
  const note = (...texts: unknown[]) => void logged.push(texts);
  const log = { info: note, warn: note, error: note, with: () => log };
  world.services.log = log;
  world.services.config = { ...world.services.config, ALLOW_PRIVATE_URLS: true };
  world.services.sourceReaders = async (source) => await openSource(world.services, source);
  const config = { siteUrl: site.baseUrl, email: site.email, apiToken: site.token };
  const { source, rag } = await world.addSourceAndRag("confluence", config);
  await scan(world, source);
  return { site, space, pages, world, source, rag, logged };
}

test("a site is indexed, moves without a download, and a rate limit delays it alone", async () => {
  const { site, space, pages, world, source, rag } = await indexedSite();
  expect(await lastRun(source)).toMatchObject({ added: 32, failed: 0, error: null });
  expect(await world.counters(rag)).toMatchObject({ indexed: 32 });
  expect(await world.texts(rag, "numbered")).toMatchObject({
    "HR/Rule 0/letter.txt": ["A letter numbered."],
  });
  for (const page of pages.slice(1)) site.alter(page, { parent: pages[0] ?? null });
  site.page(space, "New", "<p>New, numbered.</p>");
  site.requests.length = 0;
  site.fail({ path: /blogposts/, status: 429, headers: { "retry-after": "40" } });
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 1, removed: 0, error: null, finished: 1 });
  expect(site.requests.filter((call) => call.includes("body-format"))).toHaveLength(1);
  const paths = Object.keys(await world.texts(rag, "numbered"));
  expect(paths).toContain("HR/Rule 0/Rule 7.md");
  expect(paths).toContain("HR/New.md");
});

test("a token revoked in mid-scan is told, removes nothing, and is not logged", async () => {
  const { site, space, world, source, rag, logged } = await indexedSite();
  const { token } = site;
  site.page(space, "New", "<p>New, numbered.</p>");
  site.alterAnswer = (path) => {
    if (path.endsWith("/pages")) site.token = "another";
  };
  await scan(world, source);
  const { error } = (await lastRun(source)) ?? {};
  expect(error).toBe(
    "Confluence: 401: the API token is expired, revoked or of another account: make a new one",
  );
  expect(await world.counters(rag)).toMatchObject({ indexed: 32, deleted: 0 });
  expect(logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(logged)).not.toContain(token);
  expect(JSON.stringify(logged)).not.toContain(btoa(`${site.email}:${token}`));
  site.alterAnswer = () => undefined;
  await statement(
    "update file_sources set config = json_set(config, '$.apiToken', ?2) where id = ?1",
    source,
    "another",
  ).run();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ error: null, removed: 0 });
  expect(await world.counters(rag)).toMatchObject({ indexed: 33 });
});
