import { expect, test } from "vitest";

import { ConfluenceDouble } from "../../doubles/confluence/confluence-double.ts";
import { confluenceSource } from "../../doubles/confluence/scanning.ts";
import { GoogleDriveDouble } from "../../doubles/google-drive/google-drive-double.ts";
import { driveSource } from "../../doubles/google-drive/scanning.ts";
import { damage, listAll } from "../../support/damaged-items.ts";

/** An item that holds others and cannot be read keeps these, and no others. */

test("a folder of Drive that cannot be read holds back no removal, and moves nothing", async () => {
  const drive = await GoogleDriveDouble.open();
  const bad = drive.folder(drive.root, "bad");
  const good = drive.folder(drive.root, "good");
  const inner = drive.folder(bad, "inner");
  const deletedIds = [drive.file(good, "lost.md", ""), drive.file(bad, "lost.md", "")];
  const moving = drive.file(good, "moving.md", "");
  for (const folder of [bad, inner, good]) drive.file(folder, "a.md", "");
  const fields: { name?: number } = {};
  damage(drive, bad, fields);
  const source = driveSource(drive);
  await source.scan();
  fields.name = 7;
  for (const id of deletedIds) drive.delete(id);
  drive.change(moving, { parents: [inner] });
  drive.file(inner, "new.md", "");
  drive.change(bad, {});
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["bad/a.md", "bad/inner/a.md", "good/a.md", "good/moving.md"]);
  drive.file(good, "new.md", "");
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toContain("good/new.md");
  delete fields.name;
  await source.scan();
  const inside = ["a", "moving", "new"].map((name) => `bad/inner/${name}.md`);
  expect(source.paths()).toEqual(["bad/a.md", ...inside, "good/a.md", "good/new.md"]);
  expect(await source.scan()).toBe("follow");
});

test("nobody reads a file of a folder of Drive that cannot be read", async () => {
  const drive = await GoogleDriveDouble.open();
  const folder = drive.folder(drive.root, "folder");
  const id = drive.file(folder, "a.md", "");
  drive.file(drive.root, "b.md", "");
  const source = driveSource(drive, {}, true);
  await source.scan();
  damage(drive, folder, { name: 7 });
  const { files, failing } = await listAll(source.reader());
  expect(files).toEqual(["b.md", "a.md"]);
  const readers = { unreadable: "a folder that it lies in could not be read" };
  expect(failing).toMatchObject([{ externalId: id, path: "folder/a.md", readers }]);
});

test.each(["page", "blogpost"] as const)(
  "a %s of Confluence that cannot be read holds back no removal, and moves nothing",
  async (type) => {
    const site = new ConfluenceDouble();
    const space = site.space("ENG");
    const bad = site.add({ type, space: space.id, title: "bad", parent: space.homepageId });
    const good = site.page(space, "good", "");
    if (type === "page") site.page(space, "beneath", "", bad);
    for (const page of [bad, good]) site.attach(page, "a.txt", "");
    const deletedIds = [site.page(space, "lost", ""), site.attach(bad, "lost.txt", "")];
    const moving = site.attach(good, "moving.txt", "");
    const fields: { version?: null } = {};
    damage(site, bad, fields);
    const source = confluenceSource(site);
    await source.scan();
    const before = source.paths();
    fields.version = null;
    for (const id of deletedIds) site.remove(id, "trashed");
    site.alter(moving, { parent: bad });
    site.page(space, "new", "");
    expect(await source.scan()).toBe("full");
    const after = [...before, "ENG/new.md"]
      .filter((path) => !path.includes("lost"))
      .map((path) => path.replace("good/moving", "bad/moving"));
    expect(after.length).toBe(before.length - 1);
    expect(source.paths()).toEqual(after.toSorted());
  },
);

test("where a page of Confluence cannot be read, only its attachments have readers", async () => {
  const site = new ConfluenceDouble();
  const page = site.page(site.space("ENG"), "page", "");
  site.attach(page, "a.txt", "");
  const fields: { version?: null } = {};
  damage(site, page, fields);
  const source = confluenceSource(site, {}, true);
  await source.scan();
  fields.version = null;
  const { files, failing } = await listAll(source.reader());
  expect(files).toContain("a.txt");
  expect(failing).toMatchObject([
    { externalId: page, readers: { unreadable: expect.any(String) } },
  ]);
});

test("a space of Confluence that cannot be read keeps its pages, and stops no other", async () => {
  const site = new ConfluenceDouble();
  const [bad, good] = [site.space("BAD"), site.space("GOOD")] as const;
  for (const space of [bad, good]) site.page(space, "page", "");
  const fields: { key?: number } = {};
  damage(site, bad.id, fields);
  const source = confluenceSource(site, { spaces: ["BAD", "GOOD"] });
  await source.scan();
  fields.key = 7;
  site.page(good, "new", "");
  expect(await source.scan()).toBe("full");
  const pages = ["BAD/BAD home", "BAD/page", "GOOD/GOOD home", "GOOD/new", "GOOD/page"];
  expect(source.paths()).toEqual(pages.map((page) => `${page}.md`));
  const { unread } = await listAll(source.reader());
  expect(unread).toEqual([{ id: null, path: expect.any(String), message: expect.any(String) }]);
});
