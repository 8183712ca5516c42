import { expect, test, vi } from "vitest";

import { openSource } from "../../../src/sources/open-source.ts";
import { block } from "../../doubles/notion/entries.ts";
import { BASE, NotionDouble } from "../../doubles/notion/notion-double.ts";
import { World, statement } from "../../support/ingestion-world.ts";
import { lastRun, scan } from "./scanning.ts";

/** A workspace of some pages and rows, a source of it and a RAG. */
async function workspace(permissions = "off") {
  const notion = new NotionDouble();
  vi.spyOn(globalThis, "fetch").mockImplementation(
    async (input, init) =>
      await notion.fetch(input instanceof Request ? input.url : String(input), init),
  );
  const world = new World();
  const logged: unknown[] = [];
  const note = (...words: unknown[]) => void logged.push(words);
  const log = { info: note, warn: note, error: note, with: () => log };
  world.services.log = log;
  // A second passes between calls: no test waits for the third of one.
  let clock = world.now;
  const now = () => (clock += 1_000);
  world.services.sourceReaders = async (source) =>
    await openSource({ ...world.services, now }, source);
  const config = { token: notion.token, apiBaseUrl: BASE };
  const { source, rag } = await world.addSourceAndRag("notion", config);
  await statement(
    "update file_sources set permissions = ?, default_readers = ?",
    permissions,
    JSON.stringify(["user:ann@example.com"]),
  ).run();
  const handbook = notion.page(null, "Handbook", [block("paragraph", "A note of moss.")]);
  const [, tasks] = notion.database(handbook, "Tasks");
  const status = { type: "status", status: { name: "Open" } };
  notion.row(tasks, "Water", { Status: status }, [block("paragraph", "A note of ferns.")]);
  return { notion, world, source, rag, handbook, logged };
}

test("Notion is indexed, an edited page again, and a binned one leaves", async () => {
  const { notion, world, source, rag, handbook } = await workspace();
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 2, failed: 0, error: null });
  expect(Object.keys(await world.texts(rag, "note")).sort()).toEqual([
    "Handbook.md",
    "Handbook/Tasks/Water.md",
  ]);
  expect(await world.texts(rag, "open")).toHaveProperty(["Handbook/Tasks/Water.md"]);
  notion.now += 60_000;
  notion.change(handbook, { title: "Garden", blocks: [block("paragraph", "A note of stone.")] });
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ changed: 2, removed: 0, error: null });
  expect(await world.texts(rag, "stone")).toHaveProperty(["Garden.md"]);
  expect(await world.texts(rag, "moss")).toEqual({});
  notion.page(null, "Other");
  notion.change(handbook, { inTrash: true });
  await scan(world, source);
  expect(Object.keys(await world.texts(rag, "note")).sort()).toEqual([]);
});

test("a run waits for a rate limit and goes on by itself; no token is logged", async () => {
  const { notion, world, source, rag, logged } = await workspace();
  for (let at = 0; at < 3; at++)
    notion.page(null, `Page ${at}`, [block("paragraph", `A note, ${at}.`)]);
  const headers = { "retry-after": "40" };
  notion.fail({ path: /children/, status: 429, code: "rate_limited", headers });
  notion.fail({ path: /query/, status: 529, code: "service_overload", headers });
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ added: 5, failed: 0, error: null });
  expect(await world.counters(rag)).toMatchObject({ indexed: 5 });
  expect(JSON.stringify(logged)).toContain("429 rate_limited");
  expect(JSON.stringify(logged)).not.toContain(notion.token);
  notion.token = "renewed";
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({
    error: "Notion: 401 unauthorized: enter the connection's token, and allow it to read content",
    removed: 0,
  });
  expect(await world.counters(rag)).toMatchObject({ indexed: 5, deleted: 0 });
});

test("with permissions on, files have the source's default readers", async () => {
  const { world, source } = await workspace("on");
  await scan(world, source);
  const { results } = await statement(
    "select distinct a.readers from files f join audiences a on a.id = f.audience where f.file_source_id = ?",
    source,
  ).all();
  expect(results).toEqual([{ readers: expect.stringContaining("default") }]);
});
