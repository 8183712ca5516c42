import { expect, test } from "vitest";

import { block, type Block } from "../../../doubles/notion/entries.ts";
import { richText } from "../../../doubles/notion/rich-text.ts";
import { openNotion } from "../../../doubles/notion/scanning.ts";
import { fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

/** The text of a page of these blocks, without its title. */
async function textOfBlocks(...blocks: Block[]): Promise<string> {
  const { notion, source } = openNotion();
  const page = notion.page(null, "Page", blocks);
  await source.scan();
  return (await textOf(source, page))
    .replace(/^# Page\n\n/, "")
    .replaceAll(page.replaceAll("-", ""), "PAGE");
}

const styled = (text: string, style: string) => richText(text, { annotations: { [style]: true } });
const row = (...cells: string[]) =>
  block("table_row", { cells: cells.map((cell) => [richText(cell)]) });
const external = (url: string, more = {}) => ({
  type: "external",
  external: { url },
  caption: [],
  ...more,
});

test.each<[string, Block[], string]>([
  [
    "headings below the title, quotes and callouts",
    [
      block("heading_1", "One"),
      block("heading_4", "Four"),
      block("quote", "Said"),
      block("callout", "Mind"),
    ],
    "## One\n\n##### Four\n\n> Said\n\n> Mind",
  ],
  [
    "lists in lists, numbered from one again after a paragraph",
    [
      block("bulleted_list_item", "a", [
        block("numbered_list_item", "b", [block("paragraph", "c")]),
      ]),
      block("numbered_list_item", "d"),
      block("numbered_list_item", "e"),
      block("paragraph", "f"),
      block("numbered_list_item", "g"),
    ],
    "- a\n   1. b\n\n      c\n1. d\n2. e\n\nf\n\n1. g",
  ],
  [
    "to-dos and toggles with what they hide",
    [
      block("to_do", { rich_text: [richText("Done")], checked: true }),
      block("to_do", { rich_text: [richText("Open")], checked: false }),
      block("toggle", "More", [block("paragraph", "Hidden")]),
      block("heading_2", "Toggled", [block("paragraph", "Beneath")]),
    ],
    "- [x] Done\n- [ ] Open\n- More\n\n   Hidden\n\n### Toggled\n\nBeneath",
  ],
  [
    "code and equations",
    [
      block("code", { rich_text: [richText("a = 1\n\nb = 2")], language: "python", caption: [] }),
      block("code", { rich_text: [richText("plain")], language: "plain text" }),
      block("equation", { expression: "e = mc^2" }),
    ],
    "```python\na = 1\n\nb = 2\n```\n\n```\nplain\n```\n\n$e = mc^2$",
  ],
  [
    "styles, links, mentions and inline equations",
    [
      block("paragraph", {
        rich_text: [
          richText("See "),
          richText("the rules", { href: "https://example.com/rules" }),
          richText(" by "),
          richText("@Ann", {
            type: "mention",
            mention: { type: "user", user: { object: "user", id: "1" } },
          }),
          richText(", "),
          styled("run()", "code"),
          richText(", "),
          styled("old", "strikethrough"),
          richText(", "),
          { type: "equation", equation: { expression: "x^2" }, plain_text: "x^2", href: null },
        ],
      }),
    ],
    "See [the rules](https://example.com/rules) by @Ann, `run()`, ~~old~~, $x^2$",
  ],
  [
    "tables",
    [
      block("table", { table_width: 2, has_column_header: true }, [
        row("Name", "Days"),
        row("Ann | Bob", "3"),
      ]),
      block("table", { table_width: 2, has_column_header: false }, [row("a", "b")]),
    ],
    "| Name | Days |\n| --- | --- |\n| Ann \\| Bob | 3 |\n\n|  |  |\n| --- | --- |\n| a | b |",
  ],
  [
    "columns, tabs and synced blocks",
    [
      block("column_list", {}, [
        block("column", {}, [block("paragraph", "Left")]),
        block("column", {}, [block("paragraph", "Right")]),
      ]),
      block("synced_block", { synced_from: null }, [block("paragraph", "Original")]),
    ],
    "Left\n\nRight\n\nOriginal",
  ],
  [
    "files and bookmarks as links",
    [
      block("image", external("https://example.com/a.png", { caption: [richText("A moss")] })),
      block("file", external("https://example.com/a.zip", { name: "a.zip" })),
      {
        ...block("pdf", { type: "file", file: { url: "https://s3/x?X-Amz=1" }, caption: [] }),
        id: "f1-l3",
      },
      block("bookmark", { url: "https://example.com/", caption: [] }),
      block("divider", {}),
    ],
    "[A moss](https://example.com/a.png)\n\n[a.zip](https://example.com/a.zip)\n\n" +
      "[pdf](https://www.notion.so/PAGE#f1l3)\n\n[bookmark](https://example.com/)",
  ],
  [
    "text that would be a heading or a fence stays text",
    [block("paragraph", "# no heading\n```")],
    "\\# no heading\n\\```",
  ],
])("%s", async (_what, blocks, expected) => {
  expect(await textOfBlocks(...blocks)).toBe(expected);
});

test("the copy of a synced block shows its original, or what it gives itself", async () => {
  const { notion, source } = openNotion();
  const original = block("synced_block", { synced_from: null }, [block("paragraph", "Same.")]);
  notion.page(null, "Original", [original]);
  const copyOf = (id: string, children: Block[] = []) => ({
    ...block("synced_block", { synced_from: { type: "block_id", block_id: id } }, children),
    hasMore: true,
  });
  const copy = notion.page(null, "Copy", [copyOf(original.id)]);
  const page = notion.page(null, "Lost", [copyOf("no-such-block"), block("paragraph", "After.")]);
  const own = { ...copyOf("no-such-block", [block("paragraph", "Own.")]), hasMore: false };
  const otherPage = notion.page(null, "Other", [own]);
  await source.scan();
  expect(await textOf(source, copy)).toBe("# Copy\n\nSame.");
  expect(await textOf(source, page)).toBe("# Lost\n\nAfter.");
  expect(await textOf(source, otherPage)).toBe("# Other\n\nOwn.");
});

test("meeting notes are read by their parts", async () => {
  const { notion, source } = openNotion();
  const [summary, notes] = [
    block("paragraph", "", [block("paragraph", "Sum.")]),
    block("paragraph", "", [block("paragraph", "Said.")]),
  ];
  notion.page(null, "Parts", [summary, notes]);
  const children = { summary_block_id: summary.id, notes_block_id: notes.id };
  const page = notion.page(null, "Meeting", [
    block("meeting_notes", { title: [richText("Weekly")], children }),
  ]);
  await source.scan();
  expect(await textOf(source, page)).toBe("# Meeting\n\nWeekly\n\nSum.\n\nSaid.");
});

test("what Notion does not give is named, and the rest is read", async () => {
  const { notion, source } = openNotion();
  const unsupported = { ...block("external_object_instance_page", {}), hasMore: true };
  notion.page(null, "Page", [
    { ...block("unsupported", { block_type: "ai_block" }), hasMore: true },
    unsupported,
    block("paragraph", "After."),
  ]);
  notion.page(
    null,
    "Huge",
    Array.from({ length: 150 }, (_, at) => block("toggle", `${at}`, [block("paragraph", "in")])),
  );
  const pages = [await source.reader().list(null, FOREVER)];
  for (let next = pages[0]?.next ?? null; next !== null; next = pages.at(-1)?.next ?? null)
    pages.push(await source.reader().list(next, FOREVER));
  expect(pages.flatMap(({ problems = [] }) => problems)).toEqual([
    { path: "Page.md", message: "not given by Notion: ai_block, external_object_instance_page" },
    { path: "Huge.md", message: "not given by Notion: what is beyond 100 calls or 5 MB" },
  ]);
  expect(pages.flatMap(({ files }) => files).map(({ path }) => path)).toEqual([
    "Page.md",
    "Huge.md",
  ]);
});

const PROPERTIES = {
  Status: { type: "status", status: { id: "1", name: "Open", color: "red" } },
  Tags: { type: "multi_select", multi_select: [{ id: "1", name: "moss", color: "red" }] },
  Count: { type: "number", number: 0 },
  Done: { type: "checkbox", checkbox: false },
  Due: { type: "date", date: { start: "2026-11-01", end: "2026-11-03", time_zone: null } },
  Owners: {
    type: "people",
    people: [
      {
        object: "user",
        id: "u1",
        name: "Ann",
        type: "person",
        person: { email: "ann@example.com" },
      },
      { object: "user", id: "u2" },
    ],
  },
  Files: {
    type: "files",
    files: [{ name: "a.pdf", type: "file", file: { url: "https://s3/?sig=1" } }],
  },
  Text: { type: "rich_text", rich_text: [richText("Two "), richText("parts")] },
  Number: { type: "unique_id", unique_id: { prefix: "TASK", number: 7 } },
  Formula: { type: "formula", formula: { type: "string", string: "computed" } },
  Rollup: {
    type: "rollup",
    rollup: {
      type: "array",
      function: "show_original",
      array: [
        { type: "number", number: 1 },
        { type: "title", title: [richText("t")] },
      ],
    },
  },
  Sum: { type: "rollup", rollup: { type: "number", number: 12, function: "sum" } },
  Site: { type: "url", url: "https://example.com" },
  Empty: { type: "select", select: null },
  Nothing: { type: "rich_text", rich_text: [] },
  Button: { type: "button", button: {} },
  Author: { type: "created_by", created_by: { object: "user", id: "u3" } },
  Verified: {
    type: "verification",
    verification: { state: "verified", verified_by: null, date: null },
  },
};

test("a row's properties are its metadata and part of its text", async () => {
  const { notion, source } = openNotion();
  const project = notion.page(null, "Moss");
  const [, table] = notion.database(null, "Tasks");
  const relation = {
    type: "relation",
    relation: [{ id: project }, { id: "unknown" }],
    has_more: false,
  };
  const id = notion.row(table, "Water", { ...PROPERTIES, Project: relation });
  await source.scan();
  const { ancestors: _ancestors, ...metadata } = fileOf(source, id).metadata;
  expect(metadata).toEqual({
    Count: 0,
    Done: false,
    Due: "2026-11-01 – 2026-11-03",
    Files: ["a.pdf"],
    Formula: "computed",
    Number: "TASK-7",
    Owners: ["Ann"],
    Project: ["Moss"],
    Rollup: [1, "t"],
    Site: "https://example.com",
    Status: "Open",
    Sum: 12,
    Tags: ["moss"],
    Text: "Two parts",
    Verified: "verified",
  });
  const lines = (await textOf(source, id)).split("\n");
  expect(lines[0]).toBe("# Water");
  expect(lines).toContain("- Owners: Ann");
  expect(lines).toContain("- Rollup: 1, t");
  expect(lines).toHaveLength(Object.keys(metadata).length + 2);
});

test("a property changes metadata without its page being read again", async () => {
  const { notion, source } = openNotion();
  const [, table] = notion.database(null, "Tasks");
  const id = notion.row(table, "Water", { Sum: { type: "number", number: 1 } });
  await source.scan();
  notion.entry(id).properties = { Sum: { type: "number", number: 2 } };
  notion.requests.length = 0;
  await source.scan();
  expect(fileOf(source, id).metadata["Sum"]).toBe(2);
  expect(notion.requests.filter((path) => path.endsWith("/children"))).toEqual([]);
});
