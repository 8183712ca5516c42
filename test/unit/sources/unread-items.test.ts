import { expect, test } from "vitest";

import type { SourceReader } from "../../../src/ports/source-reader.ts";
import { drivePermission } from "../../../src/sources/google-drive/drive-permission.ts";
import {
  graphPermission,
  readPermissions,
} from "../../../src/sources/sharepoint/graph-permission.ts";
import { ConfluenceDouble } from "../../doubles/confluence/confluence-double.ts";
import { confluenceSource } from "../../doubles/confluence/scanning.ts";
import { GithubDouble } from "../../doubles/github/github-double.ts";
import { githubSource, openRepository } from "../../doubles/github/scanning.ts";
import { GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../doubles/google-drive/scanning.ts";
import { GraphDouble } from "../../doubles/microsoft-graph/graph-double.ts";
import { graphSource } from "../../doubles/microsoft-graph/scanning.ts";
import { NotionDouble } from "../../doubles/notion/notion-double.ts";
import { notionSource } from "../../doubles/notion/scanning.ts";
import { FOREVER } from "../../doubles/source/simulated-scans.ts";
import { damage, listAll } from "../../support/damaged-items.ts";

/** An item that cannot be read is left out and named; the other items of its page are listed. */

type World = (fields: object) => Promise<{ id: string; reader: SourceReader }>;
const worlds: Record<string, World> = {
  async SharePoint(fields) {
    const graph = new GraphDouble();
    const drive = graph.drive("Documents");
    const id = drive.file(drive.root, "bad.md", "");
    const folder = drive.folder(drive.root, "folder");
    drive.file(folder, "good.md", "");
    damage(graph, id, fields);
    damage(graph, folder, { size: "large" });
    return { id, reader: graphSource(graph, { driveId: drive.id }).reader() };
  },
  async Drive(fields) {
    const drive = await GoogleDriveDouble.open();
    const id = drive.file(drive.root, "bad.md", "");
    drive.file(drive.root, "good.md", "");
    damage(drive, id, fields);
    return { id, reader: driveSource(drive).reader() };
  },
  async GitHub(fields) {
    const double = new GithubDouble();
    const own = double.repository("handbook");
    own.change((entries) => {
      for (const name of ["bad.md", "good.md"]) entries.set(name, { content: "", mode: "100644" });
    });
    damage(double, "bad.md", fields);
    return { id: `${own.id}:bad.md`, reader: githubSource(double).reader() };
  },
  async Confluence(fields) {
    const site = new ConfluenceDouble();
    const page = site.page(site.space("ENG"), "page", "");
    const id = site.attach(page, "bad.md", "");
    site.attach(page, "good.md", "");
    damage(site, id, fields);
    return { id, reader: confluenceSource(site).reader() };
  },
  async Notion(fields) {
    const notion = new NotionDouble();
    const id = notion.page(null, "bad", []);
    notion.page(null, "good", []);
    damage(notion, id, fields);
    return { id, reader: notionSource(notion).reader() };
  },
};

test.each<[string, object]>([
  ["SharePoint", { size: "large" }],
  ["SharePoint", { parentReference: null }],
  ["SharePoint", { file: undefined }],
  ["Drive", { mimeType: null }],
  ["GitHub", { sha: null }],
  ["GitHub", { path: 7 }],
  ["Confluence", { version: null }],
  ["Confluence", { id: "" }],
  ["Notion", { in_trash: "no" }],
])("an item of %s with %j is left out", async (provider, fields) => {
  const world = worlds[provider];
  if (world === undefined) throw new Error(provider);
  const { id, reader } = await world(fields);
  const { files, unread } = await listAll(reader);
  expect(files).toContain("good.md");
  expect(files).not.toContain("bad.md");
  const expected = "id" in fields || "path" in fields ? null : id;
  const item = { path: expect.any(String), message: expect.any(String) };
  expect(unread).toContainEqual({ ...item, id: expected });
});

test("where readers count, nobody reads a file whose item cannot be read", async () => {
  const graph = new GraphDouble();
  const library = graph.drive("Documents");
  const drive = await GoogleDriveDouble.open();
  const cases = [
    [graph, library, graphSource(graph, { driveId: library.id }, true)],
    [drive, drive, driveSource(drive, {}, true)],
  ] as const;
  for (const [server, holder, source] of cases) {
    const id = holder.file(holder.root, "bad.md", "");
    await source.scan();
    damage(server, id, { size: "large" });
    const { failing, unread } = await listAll(source.reader());
    const readers = { unreadable: expect.stringContaining("an unknown form (size)") };
    expect(failing).toMatchObject([{ externalId: id, readers }]);
    expect(unread).toEqual([]);
  }
  const double = new GithubDouble();
  const own = double.repository("handbook");
  own.change((entries) => entries.set("bad.md", { content: "", mode: "100644" }));
  const repositories = githubSource(double, {}, true);
  await repositories.scan();
  damage(double, "bad.md", { sha: null });
  const site = new ConfluenceDouble();
  const attachment = site.attach(site.page(site.space("ENG"), "page", ""), "bad.md", "");
  const fields: { version?: null } = {};
  damage(site, attachment, fields);
  const space = confluenceSource(site, {}, true);
  await space.scan();
  fields.version = null;
  for (const source of [repositories, space]) {
    const { failing } = await listAll(source.reader());
    expect(failing).toMatchObject([
      { name: "bad.md", readers: { unreadable: expect.any(String) } },
    ]);
  }
});

test("a page of Confluence whose title cannot be read stops no other", async () => {
  const site = new ConfluenceDouble();
  const space = site.space("ENG");
  const page = site.page(space, "page", "");
  const beneath = site.page(space, "beneath", "", page);
  damage(site, page, { title: 7 });
  const source = confluenceSource(site, {}, true);
  await source.scan();
  const chain = [beneath, page, space.homepageId];
  expect(source.files.get(beneath)?.sourceState).toMatchObject({ chain });
});

test("a page of Confluence that only search shows in another form keeps its labels", async () => {
  const site = new ConfluenceDouble();
  const page = site.page(site.space("ENG"), "page", "");
  site.alter(page, { labels: ["red"] });
  const source = confluenceSource(site);
  await source.scan();
  const { fetch } = site;
  damage(site, page, { ancestors: "none" });
  const { fetch: damaged } = site;
  const altered: typeof fetch = async (address, request) =>
    await (address.includes("/search") ? damaged : fetch)(address, request);
  Object.assign(site, { fetch: altered });
  const later = confluenceSource(site);
  for (const [id, file] of source.files) later.files.set(id, file);
  await later.scan();
  expect(later.files.get(page)?.metadata["labels"]).toEqual(["red"]);
});

test("a file whose entry cannot be read after a push stays, and others follow", async () => {
  const { double, own, source } = openRepository();
  const push = (content: string) =>
    own.change((entries) => {
      for (const name of ["bad.md", "good.md"]) entries.set(name, { content, mode: "100644" });
    });
  push("1");
  await source.scan();
  push("2");
  damage(double, "bad.md", { sha: null });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["handbook/bad.md", "handbook/good.md"]);
  expect(new Set([...source.files.values()].map(({ version }) => version)).size).toBe(2);
});

test("a library with a folder that cannot be read stays, and stops no other", async () => {
  const graph = new GraphDouble();
  const { library, ...site } = graph.site("hr");
  const board = graph.library(site, "Board");
  const folder = board.folder(board.root, "folder");
  board.file(folder, "a.md", "");
  const source = graphSource(graph, { siteId: site.address });
  await source.scan();
  damage(graph, folder, { name: 7 });
  library.expireLinks();
  library.file(library.root, "b.md", "");
  await source.scan();
  expect(source.paths()).toEqual(["Board/folder/a.md", "Documents/b.md"]);
});

test("a page without any item that can be read fails, and lists nothing", async () => {
  const graph = new GraphDouble();
  const drive = graph.drive("Documents");
  damage(graph, drive.root, { id: 7 });
  for (let n = 0; n < 9; n++) damage(graph, drive.file(drive.root, `${n}.md`, ""), { id: 7 });
  const { reader } = graphSource(graph, { driveId: drive.id });
  await expect(reader().list(null, FOREVER)).rejects.toThrow("an answer in an unknown form");
});

test("a permission that cannot be read lets nobody in, and others do", () => {
  const grantedToV2 = { user: { email: "ann@contoso.example" } };
  const broken = { roles: "read", grantedToV2: { user: { email: "bob@contoso.example" } } };
  const permissions = [broken, { roles: ["read"], grantedToV2 }].map((each) =>
    graphPermission.parse(each),
  );
  const context = { now: 0, driveId: "d", domains: [], from: "file" };
  expect(readPermissions(permissions, context).readers.principals).toEqual([
    { principal: "user:ann@contoso.example", from: "file" },
  ]);
  expect(drivePermission.parse({ type: "anyone", view: 1 })).toEqual({ type: "" });
});
