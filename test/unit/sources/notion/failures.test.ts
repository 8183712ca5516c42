import { expect, test } from "vitest";

import { notionConfig } from "../../../../src/sources/notion/manifest.ts";
import { block } from "../../../doubles/notion/entries.ts";
import { notionSource, openNotion } from "../../../doubles/notion/scanning.ts";
import { failureOf, fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

const text = (words: string) => [block("paragraph", words)];
const check = async ({ reader }: ReturnType<typeof notionSource>) =>
  (await reader().check?.(FOREVER)) ?? "";

test.each([
  [401, "unauthorized", {}, { kind: "denied", retryAfterMs: null }],
  [403, "restricted_resource", {}, { kind: "denied", retryAfterMs: null }],
  [429, "rate_limited", { "retry-after": "7" }, { kind: "throttled", retryAfterMs: 7_000 }],
  [529, "service_overload", { "retry-after": "30" }, { kind: "throttled", retryAfterMs: 30_000 }],
  [502, "bad_gateway", {}, { kind: "down", retryAfterMs: null }],
] as const)(
  "%i %s is told by its kind, without the token",
  async (status, code, headers, expected) => {
    const { notion, source } = openNotion();
    notion.page(null, "Page", [block("paragraph", "Text.")]);
    notion.fail({ path: /search$/, status, code, headers });
    const failure = await failureOf(source.scan());
    expect(failure).toMatchObject(expected);
    expect(failure.message).toContain(`Notion: ${status} ${code}`);
    expect(failure.message).not.toContain(notion.token);
  },
);

test("a listing goes on where a rate limit stopped it", async () => {
  const { notion, source } = openNotion();
  const ids = Array.from({ length: 70 }, (_, at) => notion.page(null, `Page ${at}`));
  const first = await source.reader().list(null, FOREVER);
  notion.fail({ path: /children$/, status: 429, code: "rate_limited", times: 1 });
  expect(await failureOf(source.reader().list(first.next, FOREVER))).toMatchObject({
    kind: "throttled",
  });
  const paths = first.files.map(({ path }) => path);
  notion.requests.length = 0;
  for (let { next } = first; next !== null;) {
    const page = await source.reader().list(next, FOREVER);
    paths.push(...page.files.map(({ path }) => path));
    ({ next } = page);
  }
  expect(paths).toHaveLength(ids.length);
  expect(notion.requests.filter((path) => path.endsWith("/children"))).toHaveLength(
    70 - first.files.length,
  );
});

test("pages that fail again and again are told, others are read, and none is removed", async () => {
  const { notion, source } = openNotion();
  const [knownPage, lostPage] = [
    notion.page(null, "Known", text("Old.")),
    notion.page(null, "Lost"),
  ];
  await source.scan();
  notion.now += 60_000;
  notion.change(knownPage, { blocks: text("New.") });
  const added = notion.page(null, "Added", text("Added."));
  for (let at = 0; at < 3; at++) notion.page(null, `Other ${at}`, text("Other."));
  notion.unsearched.add(lostPage);
  const failing = new RegExp(`${knownPage}/children|${added}/children|pages/${lostPage}`);
  notion.fail({ path: failing, status: 502, times: Infinity });
  notion.fail({ path: /children$/, status: 502, times: 2 });
  await source.scan();
  const titles = ["Added", "Known", "Lost", "Other 0", "Other 1", "Other 2"];
  expect(source.paths()).toEqual(titles.map((title) => `${title}.md`));
  const failure = { kind: "down", message: "Notion: 502 failed" };
  expect(fileOf(source, added)).toMatchObject({ version: "", failure });
  expect(notion.requests.filter((path) => path === `blocks/${added}/children`)).toHaveLength(3);
  expect(await textOf(source, knownPage)).toBe("# Known\n\nOld.");
  notion.failures.length = 0;
  await source.scan();
  expect(await textOf(source, knownPage)).toBe("# Known\n\nNew.");
  expect(fileOf(source, added).failure).toBeUndefined();
  expect(await textOf(source, added)).toBe("# Added\n\nAdded.");
});

test("rows that cannot all be read do not keep those of the next data source out", async () => {
  const { notion, source } = openNotion();
  notion.pageSize = 1;
  for (const title of ["First", "Second"]) {
    const [, rows] = notion.database(null, title);
    for (const name of ["a", "b"]) notion.unsearched.add(notion.row(rows, name));
  }
  let queries = 0;
  notion.beforeAnswer = (path) => {
    if (path.endsWith("/query") && ++queries === 2)
      notion.fail({ path: /query$/, status: 502, times: 3 });
  };
  await source.scan();
  expect(source.paths()).toEqual(["First/a.md", "Second/a.md", "Second/b.md"]);
});

test("pages in a page that fails keep their places", async () => {
  const { notion } = openNotion();
  const root = notion.page(null, "Root");
  const failing = notion.page(root, "Failing", text("Text."));
  const inner = notion.page(failing, "Inner", text("Text."));
  const source = notionSource(notion, { rootPages: [root] });
  await source.scan();
  const paths = ["Root.md", "Root/Failing.md", "Root/Failing/Inner.md"];
  expect(source.paths()).toEqual(paths);
  // Nothing leads to them but what is known.
  for (const id of [failing, inner]) notion.unsearched.add(id);
  notion.fail({ path: new RegExp(`pages/${failing}`), status: 502, times: Infinity });
  await source.scan();
  expect(source.paths()).toEqual(paths);
});

test("a page that vanishes between list and read is left out, others are read", async () => {
  const { notion, source } = openNotion();
  const deletedPage = notion.page(null, "Gone");
  notion.page(null, "Kept");
  notion.beforeAnswer = (path) => {
    if (path === `blocks/${deletedPage}/children`) notion.delete(deletedPage);
  };
  await source.scan();
  expect(source.paths()).toEqual(["Kept.md"]);
});

test("a page whose text is lost is read again; one that was deleted keeps its place", async () => {
  const { notion, source } = openNotion();
  const page = notion.page(null, "Page", [block("paragraph", "Text.")]);
  await source.scan();
  source.store.entries.clear();
  expect(await textOf(source, page)).toBe("# Page\n\nText.");
  notion.change(page, { inTrash: true });
  expect(await failureOf(textOf(source, page))).toMatchObject({ kind: "down" });
  expect(fileOf(source, page).path).toBe("Page.md");
});

test("texts of earlier versions and of deleted pages leave the store", async () => {
  const { notion, source } = openNotion();
  const [edited, deleted] = [notion.page(null, "Edited"), notion.page(null, "Deleted")];
  await source.scan();
  notion.now += 60_000;
  notion.change(edited, { blocks: [block("paragraph", "New.")] });
  notion.delete(deleted);
  await source.scan();
  expect(source.store.entries.size).toBe(1);
});

test("settings and rights are tried with advice", async () => {
  const { notion, source } = openNotion();
  expect((await failureOf(check(source))).message).toBe("Notion: the connection sees no page");
  expect(await failureOf(source.scan())).toMatchObject({ kind: "denied" });
  const page = notion.page(null, "Page");
  expect(await check(source)).toBe("Notion: the connection sees 1 pages and databases, or more");
  const rooted = notionSource(notion, { rootPages: [page] });
  expect(await check(rooted)).toContain("sees 1 ");
  notion.hiddenBlocks.add(page);
  notion.page(null, "Other");
  expect((await failureOf(check(rooted))).message).toBe(
    `Notion: ${page} is not shared with the connection`,
  );
  notion.token = "another";
  expect((await failureOf(check(source))).message).toContain(
    "401 unauthorized: enter the connection's token",
  );
});

test("a lost state begins the listing anew", async () => {
  const { notion, source } = openNotion();
  for (let at = 0; at < 70; at++) notion.page(null, `Page ${at}`);
  const { next } = await source.reader().list(null, FOREVER);
  source.store.entries.clear();
  expect(await source.reader().list(next, FOREVER)).toMatchObject({ restarted: true });
});

test("an answer of another form, a redirect and a circle of parents end", async () => {
  const { notion } = openNotion();
  const answers = [Response.json({ results: "?" }), Response.redirect("https://evil.example.com/")];
  for (const answer of answers) {
    const addresses: string[] = [];
    const fetch = async (address: string) => {
      addresses.push(address);
      return await Promise.resolve(answer);
    };
    const source = notionSource(Object.assign(notion, { fetch }));
    expect(await failureOf(source.scan())).toMatchObject({ kind: "down" });
    expect(addresses).toEqual(["https://api.notion.com/v1/search"]);
  }
  const circular = openNotion();
  const [a, b] = [circular.notion.page(null, "A"), circular.notion.page(null, "B")];
  circular.notion.entry(a).parent = b;
  circular.notion.entry(b).parent = a;
  circular.notion.isTrashed = () => false;
  await circular.source.scan();
  expect(circular.source.paths()).toHaveLength(2);
});

test.each(["", "no-id", "1f217cc1225f45808e22cd7eb8db3c5", "https://www.notion.so/Title"])(
  "%j is no root page",
  (root) => {
    expect(notionConfig.safeParse({ token: "t", rootPages: [root] }).success).toBe(false);
  },
);
