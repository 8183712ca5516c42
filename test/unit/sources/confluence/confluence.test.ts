import { expect, test } from "vitest";

import { ConfluenceDouble } from "../../../doubles/confluence/confluence-double.ts";
import { confluenceSource } from "../../../doubles/confluence/scanning.ts";
import { failureOf, fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

const DAY_MS = 86_400_000;

/** A site with one space of a guide, a page below it and its attachment. */
function guideSite() {
  const site = new ConfluenceDouble();
  const space = site.space("ENG");
  const guide = site.page(space, "Guide", "<p>Read me</p>");
  const deep = site.page(space, "Deep / dive", "<p>Deep</p>", guide);
  const file = site.attach(deep, "plan.txt", "The plan.");
  return { site, space, guide, deep, file, source: confluenceSource(site) };
}

test("files lie below their ancestors without the home page, with address and labels", async () => {
  const { site, space, guide, deep, file, source } = guideSite();
  const folder = site.add({ type: "folder", space: space.id, title: "Old", parent: guide });
  const inner = site.add({ type: "folder", space: space.id, title: "Older", parent: folder });
  site.page(space, "Kept", "<p>Kept</p>", inner);
  const post = site.add({ type: "blogpost", space: space.id, title: "Guide", body: "<p>New</p>" });
  const second = site.space("~712020ann");
  site.page(second, "Mine", "<p>Mine</p>");
  site.alter(deep, { labels: ["plan", "draft"] });
  await source.scan();
  expect(source.paths()).toEqual([
    "ENG/ENG home.md",
    `ENG/Guide (${post}).md`,
    "ENG/Guide.md",
    "ENG/Guide/Deep _ dive.md",
    "ENG/Guide/Deep _ dive/plan.txt",
    "ENG/Guide/Old/Older/Kept.md",
    "~712020ann/Mine.md",
    "~712020ann/~712020ann home.md",
  ]);
  expect(fileOf(source, deep)).toMatchObject({
    externalId: deep,
    version: "1",
    url: `https://acme.example/wiki/spaces/ENG/pages/${deep}/Deep%20%2F%20dive`,
    metadata: { space: "ENG", labels: ["draft", "plan"], ancestors: [space.id, guide] },
  });
  expect(fileOf(source, file).metadata).toMatchObject({ ancestors: [space.id, guide, deep] });
  expect(await textOf(source, deep)).toBe("# Deep / dive\n\nDeep");
  expect(await textOf(source, file)).toBe("The plan.");
  expect(site.leakedCredentials).toBe(0);
});

test("spaces and kinds can be chosen; what was archived or trashed leaves", async () => {
  const { site, deep, guide } = guideSite();
  site.page(site.space("HR"), "Leave", "<p>Leave</p>");
  const partial = confluenceSource(site, { spaces: ["HR"], include: ["pages", "blogposts"] });
  await partial.scan();
  expect(partial.paths()).toEqual(["HR/HR home.md", "HR/Leave.md"]);
  const all = confluenceSource(site, { spaces: ["ENG"] });
  await all.scan();
  site.remove(deep, "archived");
  site.remove(guide, "trashed");
  site.clock += 2 * DAY_MS;
  // A search does not tell of it; a listing does.
  expect(await all.scan()).toBe("follow");
  await all.reader().list(null, FOREVER);
  const engineering = confluenceSource(site, { spaces: ["ENG"] });
  await engineering.scan();
  expect(engineering.paths()).toEqual(["ENG/ENG home.md"]);
  const missing = confluenceSource(site, { spaces: ["ENG", "NONE"] });
  expect(await failureOf(missing.scan())).toMatchObject({
    kind: "denied",
    message: "Confluence: quarry@example.com sees no space NONE",
  });
});

test("a search finds new versions, in any time zone; anything else is listed", async () => {
  const { site, guide, deep, file, source, space } = guideSite();
  await source.scan();
  site.edit(guide, { body: "<p>Read this</p>" });
  site.edit(file, { body: "The new plan." });
  expect(await source.scan()).toBe("follow");
  expect(fileOf(source, guide)).toMatchObject({ version: "2", path: "ENG/Guide.md" });
  expect(await textOf(source, guide)).toBe("# Guide\n\nRead this");
  expect(await textOf(source, file)).toBe("The new plan.");
  site.edit(guide, { title: "Handbook" });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toContain("ENG/Handbook/Deep _ dive/plan.txt");
  site.edit(deep, { parent: space.homepageId });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toContain("ENG/Deep _ dive/plan.txt");
  site.page(space, "New", "<p>New</p>");
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toContain("ENG/New.md");
});

test("a token that is revoked while a site with visitors is listed removes nothing", async () => {
  const { site, guide, source } = guideSite();
  await source.scan();
  const before = source.paths();
  site.allowsVisitors = true;
  site.edit(guide, { title: "Handbook" });
  site.alterAnswer = (path) => {
    if (path.endsWith("/blogposts")) site.token = "another";
  };
  expect(await failureOf(source.scan())).toMatchObject({ kind: "denied" });
  expect(source.files.size).toBe(before.length);
});

test("attachments that search does not show for a moment stay; deleted ones leave", async () => {
  const { site, deep, file } = guideSite();
  const binned = site.attach(deep, "old.txt", "Old.");
  for (let at = 0; at < 250; at++) site.attach(deep, `more ${at}.txt`, "more");
  // With permissions, each scan lists everything.
  const source = confluenceSource(site, {}, true);
  await source.scan();
  const before = fileOf(source, file);
  const paths = source.paths();
  for (const { id } of site.childrenOf(deep)) site.unindexed.add(id);
  await source.scan();
  expect(source.paths()).toEqual(paths);
  expect(fileOf(source, file)).toEqual(before);
  site.remove(binned, "trashed");
  await source.scan();
  expect(source.paths()).toHaveLength(paths.length - 1);
});

test("a step makes few hundred calls, however much a search does not show", async () => {
  const { site, deep, source } = guideSite();
  for (let at = 0; at < 450; at++) site.attach(deep, `more ${at}.txt`, "more");
  await source.scan();
  for (const { id } of site.childrenOf(deep)) site.unindexed.add(id);
  const calls: number[] = [];
  let files = 0;
  for (let cursor: string | null | undefined; cursor !== null;) {
    site.requests.length = 0;
    const page = await source.reader().list(cursor ?? null, FOREVER);
    calls.push(site.requests.length);
    [files, cursor] = [files + page.files.length, page.next];
  }
  expect(Math.max(...calls)).toBe(200);
  expect(files).toBe(source.files.size);
});

test("2,000 pages take 22 calls, and unchanged 2", async () => {
  const site = new ConfluenceDouble();
  const space = site.space("BIG");
  for (let at = 1; at < 2_000; at++) site.page(space, `Page ${at}`, "<p>A page</p>");
  const source = confluenceSource(site);
  site.clock += 2 * DAY_MS;
  await source.scan();
  expect(source.files.size).toBe(2_000);
  // The account, spaces, 8 times pages, posts, 10 times labels, the account.
  expect(site.requests).toHaveLength(22);
  site.requests.length = 0;
  expect(await source.scan()).toBe("follow");
  expect(site.requests).toHaveLength(2);
});

/** Bytes that a listing of so many pages stores and reads, and its accesses of the store. */
async function storageOf(pages: number) {
  const site = new ConfluenceDouble();
  site.pageSize = 25;
  const space = site.space("BIG");
  const folder = site.add({ type: "folder", space: space.id, title: "Folder" });
  for (let at = 1; at < pages; at++)
    site.page(space, `Page ${at}`, "<p>A page</p>", at % 2 === 0 ? folder : undefined);
  const source = confluenceSource(site, {}, true);
  const store = { ...source.store };
  const sizes: number[] = [];
  source.store.read = async (key) => {
    const bytes = await store.read(key);
    sizes.push(bytes?.length ?? 0);
    return bytes;
  };
  source.store.write = async (key, bytes) => {
    sizes.push(bytes.length);
    await store.write(key, bytes);
  };
  await source.scan();
  expect(source.files.size).toBe(pages);
  return { accesses: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

test("twice the pages store twice as much", async () => {
  const [half, whole] = [await storageOf(300), await storageOf(600)];
  expect(whole.bytes / half.bytes).toBeLessThan(2.2);
  expect(whole.accesses / half.accesses).toBeLessThan(2.2);
});

test("parts of a listing that are lost begin it anew", async () => {
  const { site, source } = guideSite();
  await source.scan();
  const paths = source.paths();
  for (const lostKey of [/\/0\/1$/, /files-0$/]) {
    site.page(site.space(`S${lostKey.source.length}`), "New", "<p>New</p>");
    const store = { ...source.store };
    let isLost = false;
    source.store.write = async (key, bytes) => {
      if (isLost || !lostKey.test(key)) await store.write(key, bytes);
      else isLost = true;
    };
    expect(await source.scan()).toBe("full");
    expect(isLost).toBe(true);
    Object.assign(source.store, store);
  }
  expect(source.paths()).toHaveLength(paths.length + 4);
});

test("a listing that the version before began is begun anew", async () => {
  const { source } = guideSite();
  const { next } = await source.reader().list(null, FOREVER);
  const { parts: _parts, ...before } = JSON.parse(String(next)) as { parts: number };
  const page = source.reader().list(JSON.stringify(before), FOREVER);
  await expect(page).resolves.toMatchObject({ restarted: true });
});

test("a cursor is taken from a link, whichever host it names", async () => {
  const { site, source } = guideSite();
  site.pageSize = 1;
  site.alterAnswer = (_path, body) => {
    const links = body["_links"] as { next?: string } | undefined;
    if (links?.next !== undefined)
      links.next = links.next.replace(/^[^?]*/, "https://evil.example/x");
  };
  await source.scan();
  expect(source.paths()).toHaveLength(4);
  expect(site.requests.every((call) => call.includes("/wiki/"))).toBe(true);
  expect(site.leakedCredentials).toBe(0);
});

test.each<[string, (site: ConfluenceDouble) => void, object]>([
  [
    "a wrong token",
    (site) => (site.token = "other"),
    { kind: "denied", message: expect.stringContaining("make a new one") },
  ],
  [
    "a wrong token of a site that visitors may see",
    (site) => Object.assign(site, { token: "other", allowsVisitors: true }),
    { kind: "denied", message: expect.stringContaining("make a new one") },
  ],
  [
    "a missing right",
    (site) => site.fail({ path: /pages$/, status: 403 }),
    { kind: "denied", message: expect.stringContaining("lacks a scope") },
  ],
  [
    "a wrong site",
    (site) => site.fail({ path: /current$/, status: 404 }),
    { kind: "denied", message: expect.stringContaining("siteUrl is wrong") },
  ],
  [
    "a rate limit",
    (site) => site.fail({ path: /blogposts/, status: 429, headers: { "retry-after": "9" } }),
    { kind: "throttled", retryAfterMs: 9_000 },
  ],
  ["a broken site", (site) => site.fail({ path: /search/, status: 503 }), { kind: "down" }],
  [
    "a link to a next page without a cursor",
    (site) => (site.alterAnswer = (_path, body) => (body["_links"] = { next: "/wiki/more" })),
    { kind: "down", message: "Confluence: an answer in an unknown form" },
  ],
])("%s is told without the token, and removes nothing", async (_what, spoil, failure) => {
  const { site, file, source } = guideSite();
  await source.scan();
  const before = source.paths();
  const { token } = site;
  site.edit(file, { title: "moved.txt" });
  spoil(site);
  const thrown = await failureOf(source.scan());
  expect(thrown).toMatchObject(failure);
  expect(thrown.message).not.toContain(token);
  expect(source.paths()).toEqual(before);
});

test("what vanishes between list and read may come back; what is no text says why", async () => {
  const { site, space, guide, deep, file, source } = guideSite();
  const broken = site.page(space, "Broken", "<div>".repeat(2_000));
  await source.scan();
  for (const id of [deep, file]) site.alter(id, { isSeen: false });
  for (const id of [deep, file])
    expect(await failureOf(textOf(source, id))).toMatchObject({ kind: "down" });
  expect(await failureOf(textOf(source, broken))).toMatchObject({ kind: "bad-file" });
  site.fail({ path: new RegExp(`pages/${guide}`), status: 429, headers: { "retry-after": "3" } });
  expect(await failureOf(textOf(source, guide))).toMatchObject({ retryAfterMs: 3_000 });
});

test("an attachment's redirect is followed without credentials, not into a network", async () => {
  const { site, file, source } = guideSite();
  await source.scan();
  site.mediaUrl = "https://evil.example";
  expect(await textOf(source, file)).toBe("The plan.");
  expect(site.leakedCredentials).toBe(0);
  site.mediaUrl = "http://169.254.169.254";
  expect(await failureOf(textOf(source, file))).toMatchObject({ kind: "denied" });
});

test("the check says what the account sees", async () => {
  const { source } = guideSite();
  expect(await source.reader().check(FOREVER)).toBe("Confluence: the account sees the spaces ENG");
});
