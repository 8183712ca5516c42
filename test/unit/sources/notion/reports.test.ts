import { expect, test } from "vitest";

import { block } from "../../../doubles/notion/entries.ts";
import { openNotion } from "../../../doubles/notion/scanning.ts";
import { fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

/* Situations in which connectors of others stopped or left pages out, by their public reports. */

test("a linked database that is not given stops nothing", async () => {
  const { notion, source } = openNotion();
  const linked = block("child_database", { title: "A view" });
  const page = notion.page(null, "Page", [linked, block("paragraph", "After.")]);
  await source.scan();
  expect(await textOf(source, page)).toMatch(/^# Page\n\n\[A view\]\(https:\S+\)\n\nAfter\.$/);
  const [, table] = notion.database(page, "Table");
  notion.row(table, "Row");
  notion.fail({ path: /query$/, status: 400, code: "validation_error", times: 9 });
  await source.scan();
  expect(source.paths()).toEqual(["Page.md"]);
});

test("pages beneath what is not shared lie at the top", async () => {
  const { notion, source } = openNotion();
  const secret = notion.page(null, "Secret");
  const shared = notion.page(secret, "Shared");
  notion.page(shared, "Child");
  const [database, table] = notion.database(secret, "Table");
  notion.row(table, "Row");
  notion.hiddenBlocks.add(secret).add(database);
  await source.scan();
  expect(source.paths()).toEqual(["Shared.md", "Shared/Child.md", "Table/Row.md"]);
});

test("all data sources of a database are read, those that are in a wiki, too", async () => {
  const { notion, source } = openNotion();
  const [wiki, pages] = notion.database(null, "Wiki");
  const second = notion.source(wiki, "People");
  notion.row(pages, "Rules");
  notion.row(second, "Ann");
  const [, inner] = notion.database(pages, "Inner");
  notion.row(inner, "Deep");
  await source.scan();
  expect(source.paths()).toEqual(["People/Ann.md", "Wiki/Inner/Deep.md", "Wiki/Rules.md"]);
});

test("rows that search does not name are read by their database", async () => {
  const { notion, source } = openNotion();
  const [, table] = notion.database(null, "Table");
  const rows = Array.from({ length: 250 }, (_, at) => notion.row(table, `Row ${at}`));
  for (const row of rows) notion.unsearched.add(row);
  await source.scan();
  expect(source.paths()).toHaveLength(250);
  expect(notion.requests.filter((path) => path.endsWith("/query")).length).toBeLessThan(6);
});

test("what a limit of Notion cuts off is told, and known pages stay", async () => {
  const { notion, source } = openNotion();
  const ids = ["One", "Two", "Three"].map((title) => notion.page(null, title));
  await source.scan();
  notion.resultLimit = 2;
  notion.page(null, "Four");
  const page = await source.reader().list(null, FOREVER);
  expect(page.problems).toEqual([{ path: "search", message: "Notion names 10,000 pages at most" }]);
  await source.scan();
  expect(ids.map((id) => fileOf(source, id).path)).toEqual(["One.md", "Two.md", "Three.md"]);
});

test("a block that is deleted while its page is read costs no page", async () => {
  const { notion, source } = openNotion();
  const blocks = Array.from({ length: 101 }, (_, at) => block("paragraph", `Text ${at}.`));
  const page = notion.page(null, "Page", blocks);
  await source.scan();
  notion.now += 60_000;
  notion.change(page, { title: "Pages" });
  notion.beforeAnswer = (path) => {
    if (!path.endsWith("/children") || notion.requests.at(-2) !== path) return;
    notion.now += 60_000;
    notion.change(page, { blocks: blocks.slice(0, 100) });
  };
  const { problems } = await source.reader().list(null, FOREVER);
  expect(problems).toEqual([
    { path: "Pages.md", message: "not given by Notion: the end of a list" },
  ]);
  notion.change(page, { blocks });
  await source.scan();
  expect(fileOf(source, page).path).toBe("Pages.md");
  notion.beforeAnswer = () => undefined;
  await source.scan();
  expect(await textOf(source, page)).toMatch(/Text 99\.$/);
});

test("rows that search names stay, though their database is not named or told in part", async () => {
  const { notion, source } = openNotion();
  const [, table] = notion.database(null, "Table");
  const rows = ["One", "Two", "Three"].map((title) => notion.row(table, title));
  await source.scan();
  const paths = source.paths();
  notion.unsearched.add(table);
  await source.scan();
  expect(source.paths()).toEqual(paths);
  notion.unsearched.clear();
  notion.resultLimit = 2;
  await source.scan();
  expect(source.paths()).toEqual(paths);
  notion.change(rows[0] ?? "", { inTrash: true });
  await source.scan();
  expect(source.paths()).toHaveLength(2);
});

test("unwanted rows are not read where search does not name their database", async () => {
  const { notion, source } = openNotion({ databases: false });
  const page = notion.page(null, "Page");
  const [, table] = notion.database(page, "Table");
  notion.row(table, "Row");
  notion.unsearched.add(table);
  await source.scan();
  expect(source.paths()).toEqual(["Page.md"]);
});

test("a page that is read slowly ends in time, and others are read after it", async () => {
  const { notion, source } = openNotion();
  const toggles = Array.from({ length: 50 }, (_, at) =>
    block("toggle", `${at}`, [block("paragraph", "in")]),
  );
  notion.page(null, "Slow", toggles);
  notion.page(null, "Next");
  let time = notion.now;
  source.setTime(time);
  notion.beforeAnswer = () => source.setTime((time += 3_000));
  const first = await source.reader().list(null, FOREVER);
  expect(time - notion.now).toBeLessThan(75_000);
  expect(first.problems).toEqual([
    { path: "Slow.md", message: "not given by Notion: what is beyond a minute" },
  ]);
  await source.scan();
  expect(source.paths()).toEqual(["Next.md", "Slow.md"]);
});

test("synced blocks that hold copies of each other are read once", async () => {
  const { notion, source } = openNotion();
  const copyOf = (id: string) => ({
    ...block("synced_block", { synced_from: { type: "block_id", block_id: id } }),
    hasMore: true,
  });
  const [first, second] = ["One.", "Two."].map((words) =>
    block("synced_block", { synced_from: null }, [block("paragraph", words)]),
  );
  if (first === undefined || second === undefined) throw new Error("two blocks");
  first.children.push(copyOf(second.id));
  second.children.push(copyOf(first.id));
  const page = notion.page(null, "Page", [first, second]);
  await source.scan();
  expect(await textOf(source, page)).toBe("# Page\n\nOne.\n\nTwo.\n\nTwo.\n\nOne.");
});
