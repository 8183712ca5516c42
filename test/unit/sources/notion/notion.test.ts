import { expect, test } from "vitest";

import { block } from "../../../doubles/notion/entries.ts";
import { notionSource, openNotion } from "../../../doubles/notion/scanning.ts";
import { fileOf, textOf } from "../../../doubles/source/simulated-scans.ts";

const MINUTE_MS = 60_000;
const text = (words: string) => [block("paragraph", words)];

test("lists pages beneath their parents and rows beneath their database", async () => {
  const { notion, source } = openNotion();
  const column = block("column", {});
  const columns = block("column_list", {}, [column]);
  const handbook = notion.page(null, "Handbook", text("Welcome."));
  const leave = notion.page(handbook, "Leave/Rest", [columns]);
  const inside = notion.page(column.id, "In a column", text("Deep."));
  const [database, tasks] = notion.database(handbook, "Tasks");
  const row = notion.row(tasks, "Water the moss", {}, text("Daily."));
  notion.page(row, "Notes", text("Of a row."));
  await source.scan();
  expect(source.paths()).toEqual([
    "Handbook.md",
    "Handbook/Leave_Rest.md",
    "Handbook/Leave_Rest/In a column.md",
    "Handbook/Tasks/Water the moss.md",
    "Handbook/Tasks/Water the moss/Notes.md",
  ]);
  expect(fileOf(source, inside)).toMatchObject({
    externalId: inside,
    name: "In a column.md",
    mimeType: "text/markdown",
    url: `https://www.notion.so/${inside.replaceAll("-", "")}`,
    modifiedAt: notion.now,
    metadata: { ancestors: [handbook, leave, columns.id, column.id] },
  });
  const { metadata, size } = fileOf(source, row);
  expect(metadata["ancestors"]).toEqual([handbook, database, tasks]);
  const words = await textOf(source, row);
  expect(words).toMatch(/^# Water the moss\n\nDaily\.\n\n\[Notes\]\(https:/);
  expect(size).toBe(words.length);
});

test("2,000 documents cost a call each, and 20 again as long as none is edited", async () => {
  const { notion, source } = openNotion();
  const top = notion.page(null, "Top");
  for (let at = 1; at < 2_000; at++) notion.page(null, `Page ${at}`, text(`Text ${at}.`));
  await source.scan();
  expect(source.paths()).toHaveLength(2_000);
  const { requests } = notion;
  expect(requests.filter((path) => path.endsWith("/children"))).toHaveLength(2_000);
  expect(requests).toHaveLength(2_020);
  // All but the first of 30 calls in a row wait for the third of a second.
  expect(source.waits.length).toBeGreaterThan(1_900);
  requests.length = 0;
  await source.scan();
  expect(requests).toEqual(Array.from({ length: 20 }, () => "search"));
  notion.now += MINUTE_MS;
  notion.change(top, { title: "Top of all" });
  requests.length = 0;
  await source.scan();
  expect(requests).toHaveLength(21);
  expect(fileOf(source, top).path).toBe("Top of all.md");
});

test("what leaves is gone at the next scan, with all beneath it", async () => {
  const { notion, source } = openNotion();
  const names = ["Kept", "Binned", "Archived", "Hidden", "Deleted"];
  const tops = names.map((name) => notion.page(null, name, text(name)));
  for (const top of tops) notion.page(top, "Child", text("A child."));
  const [, table] = notion.database(null, "Table");
  const row = notion.row(table, "Row");
  await source.scan();
  expect(source.paths()).toHaveLength(11);
  const [, binned = "", archived = "", hiddenPage = "", deleted = ""] = tops;
  notion.change(binned, { inTrash: true });
  notion.change(archived, { isArchived: true });
  notion.change(row, { inTrash: true });
  for (const id of [hiddenPage, deleted]) {
    const [child = ""] = [...notion.entries.values()].flatMap((each) =>
      each.parent === id ? each.id : [],
    );
    notion.hiddenBlocks.add(child).add(id);
  }
  notion.delete(deleted);
  await source.scan();
  expect(source.paths()).toEqual(["Kept.md", "Kept/Child.md"]);
  notion.change(binned, { inTrash: false });
  await source.scan();
  expect(source.paths()).toEqual(["Binned.md", "Binned/Child.md", "Kept.md", "Kept/Child.md"]);
});

test("a moved or renamed page takes all beneath along, and costs no text", async () => {
  const { notion, source } = openNotion();
  const [from, to] = [notion.page(null, "From"), notion.page(null, "To")];
  const deep = notion.page(notion.page(from, "Middle"), "Deep", text("Deep."));
  await source.scan();
  const { version } = fileOf(source, deep);
  notion.now += MINUTE_MS;
  notion.change(from, { title: "Former", parent: to });
  notion.requests.length = 0;
  await source.scan();
  expect(source.paths()).toEqual([
    "To.md",
    "To/Former.md",
    "To/Former/Middle.md",
    "To/Former/Middle/Deep.md",
  ]);
  expect(fileOf(source, deep)).toMatchObject({
    version,
    metadata: { ancestors: [to, from, expect.any(String)] },
  });
  expect(notion.requests.filter((path) => path.endsWith("/children"))).toHaveLength(2);
  // The page was listed at another path.
  expect(await textOf(source, deep)).toBe("# Deep\n\nDeep.");
});

test("pages that search does not know are found in pages, and stay", async () => {
  const { notion, source } = openNotion();
  const top = notion.page(null, "Top", text("Top."));
  const toggle = block("toggle", "More", []);
  notion.change(top, { blocks: [toggle, ...notion.entry(top).blocks] });
  const unseen = notion.page(toggle.id, "Unseen", text("Unseen."));
  const deeper = notion.page(unseen, "Deeper", text("Deeper."));
  const [, table] = notion.database(unseen, "Table");
  const row = notion.row(table, "Row");
  const orphan = notion.page(notion.page(null, "Parent"), "Orphan");
  for (const id of [unseen, deeper, table, row, notion.entry(orphan).parent ?? ""])
    notion.unsearched.add(id);
  const expected = [
    "Parent.md",
    "Parent/Orphan.md",
    "Top.md",
    "Top/Unseen.md",
    "Top/Unseen/Deeper.md",
    "Top/Unseen/Table/Row.md",
  ];
  await source.scan();
  expect(source.paths()).toEqual(expected);
  await source.scan();
  expect(source.paths()).toEqual(expected);
  notion.now += MINUTE_MS;
  notion.change(deeper, { blocks: text("Deeper still.") });
  notion.change(row, { inTrash: true });
  await source.scan();
  expect(await textOf(source, deeper)).toBe("# Deeper\n\nDeeper still.");
  expect(source.paths()).toEqual(expected.slice(0, -1));
});

test("root pages limit the documents to those beneath them", async () => {
  const { notion } = openNotion();
  const above = notion.page(null, "Above");
  const root = notion.page(above, "Root", text("Root."));
  notion.page(notion.page(root, "Child"), "Grandchild");
  const [database, table] = notion.database(above, "Table");
  notion.row(table, "Row");
  notion.page(null, "Elsewhere");
  notion.unsearched.add(root);
  const address = `https://www.notion.so/acme/A-root-${root.replaceAll("-", "")}?pvs=4`;
  const source = notionSource(notion, {
    rootPages: [address, database.replaceAll("-", "").toUpperCase()],
  });
  await source.scan();
  expect(source.paths()).toEqual([
    "Root.md",
    "Root/Child.md",
    "Root/Child/Grandchild.md",
    "Table/Row.md",
  ]);
  const without = notionSource(notion, { rootPages: [root], databases: false });
  const [, inner] = notion.database(root, "Inner");
  notion.page(notion.row(inner, "Row"), "Of a row");
  await without.scan();
  expect(without.paths()).toEqual(["Root.md", "Root/Child.md", "Root/Child/Grandchild.md"]);
});

test("an edit in the minute in which a page was read is found", async () => {
  const { notion, source } = openNotion();
  const page = notion.page(null, "Page", text("First."));
  source.setTime(notion.now + 20_000);
  await source.scan();
  const { version } = fileOf(source, page);
  notion.entry(page).blocks = text("Second.");
  source.setTime(notion.now + 40_000);
  await source.scan();
  expect(fileOf(source, page).version).not.toBe(version);
  expect(await textOf(source, page)).toBe("# Page\n\nSecond.");
  source.setTime(notion.now + 3 * MINUTE_MS);
  const children = () => notion.requests.filter((path) => path.endsWith("/children")).length;
  const before = children();
  await source.scan();
  await source.scan();
  expect(children()).toBe(before + 1);
});

test("pages of one title keep paths of their own", async () => {
  const { notion, source } = openNotion();
  const [former, latter] = [notion.page(null, "Minutes"), notion.page(null, "Minutes")];
  const long = notion.page(null, `${"long ".repeat(100)}\n title`);
  const untitled = notion.page(null, "");
  await source.scan();
  expect([fileOf(source, former).path, fileOf(source, latter).path]).toEqual([
    "Minutes.md",
    `Minutes (${latter}).md`,
  ]);
  expect(fileOf(source, long).path).toHaveLength(122);
  expect(fileOf(source, untitled).path).toBe("_.md");
  notion.delete(former);
  await source.scan();
  expect(fileOf(source, latter).path).toBe(`Minutes (${latter}).md`);
});
