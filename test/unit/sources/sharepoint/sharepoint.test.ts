import { expect, test } from "vitest";

import type { DriveDouble } from "../../../doubles/microsoft-graph/drive-double.ts";
import { GraphDouble } from "../../../doubles/microsoft-graph/graph-double.ts";
import { graphSource, libraryOf } from "../../../doubles/microsoft-graph/scanning.ts";
import { failureOf, fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

type Source = ReturnType<typeof graphSource>;

const HR = "https://contoso.sharepoint.example/sites/hr";

test("lists a library with folders, type, owner, address and time", async () => {
  const { graph, drive, source } = libraryOf();
  const legal = drive.folder(drive.root, "Legal");
  const contract = drive.file(legal, "Contract.txt", "signed");
  const notes = drive.file(drive.root, "notes.md", "# Notes", {
    mimeType: "application/octet-stream",
  });
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["Legal/Contract.txt", "notes.md"]);
  expect(fileOf(source, contract)).toMatchObject({
    externalId: contract,
    url: `https://contoso.sharepoint.example/Contract.txt?id=${contract}`,
    size: 6,
    mimeType: "text/plain",
    modifiedAt: Date.parse(drive.item(contract).modified),
    metadata: {
      owner: ["ann@contoso.example"],
      mimeType: "text/plain",
      webUrl: `https://contoso.sharepoint.example/Contract.txt?id=${contract}`,
      modifiedTime: drive.item(contract).modified,
      ancestors: [drive.root, legal],
    },
  });
  expect(fileOf(source, notes)).toMatchObject({ mimeType: "text/markdown" });
  expect(await textOf(source, contract)).toBe("signed");
  expect(graph.leakedTokens).toBe(0);
});

test("a site as a whole has its libraries as first folders, also those that come", async () => {
  const graph = new GraphDouble();
  const site = graph.site("hr");
  const first = site.library.file(site.library.root, "a.txt", "a");
  const archive = graph.library(site, "Archive");
  archive.file(archive.folder(archive.root, "2020"), "b.txt", "b");
  const source = graphSource(graph, { siteId: HR });
  await source.scan();
  expect(source.paths()).toEqual(["Archive/2020/b.txt", "Documents/a.txt"]);
  expect(fileOf(source, first).metadata["ancestors"]).toEqual([site.library.id, site.library.root]);
  const added = graph.library(site, "Policies");
  const policy = added.file(added.root, "c.txt", "c");
  archive.file(archive.root, "d.txt", "d");
  expect(await source.scan()).toBe("follow");
  expect(source.paths()).toContain("Policies/c.txt");
  expect(source.paths()).toContain("Archive/d.txt");
  expect(await textOf(source, policy)).toBe("c");
  graph.removeLibrary(site, archive);
  added.name = "Rules";
  expect(await source.scan()).toBe("full");
  expect(source.paths()).toEqual(["Documents/a.txt", "Rules/c.txt"]);
});

test("one library of a site by its name, a site by its id, a folder of a library", async () => {
  const graph = new GraphDouble();
  const site = graph.site("hr");
  const archive = graph.library(site, "Archive");
  const inside = archive.folder(archive.root, "Inside");
  archive.file(inside, "a.txt", "a");
  archive.file(archive.root, "b.txt", "b");
  const archiveSource = graphSource(graph, { siteId: site.id, library: "archive" });
  await archiveSource.scan();
  expect(archiveSource.paths()).toEqual(["Inside/a.txt", "b.txt"]);
  const beneath = graphSource(graph, { driveId: archive.id, rootFolderId: inside });
  await beneath.scan();
  expect(beneath.paths()).toEqual(["a.txt"]);
  const before = graph.requests.length;
  archive.file(archive.root, "outside.txt", "o");
  await beneath.scan();
  expect(beneath.paths()).toEqual(["a.txt"]);
  // The feed alone: what lies above the folder is known.
  expect(graph.requests.slice(before)).toHaveLength(2);
});

test("a deleted root folder is an error that names it, and nothing is removed", async () => {
  const { graph, drive } = libraryOf();
  const root = drive.folder(drive.root, "Root");
  drive.file(root, "a.txt", "a");
  const source = graphSource(graph, { driveId: drive.id, rootFolderId: root });
  await source.scan();
  drive.delete(root);
  expect(await failureOf(source.scan())).toMatchObject({
    kind: "denied",
    message: `SharePoint: the library ${drive.id} has no folder ${root}`,
  });
  expect(source.paths()).toEqual(["a.txt"]);
});

test("a listing whose links expire half way begins anew", async () => {
  const { drive, source } = libraryOf();
  drive.pageSize = 2;
  const files = ["a", "b", "c", "d", "e"].map((name) =>
    drive.file(drive.root, `${name}.txt`, name),
  );
  const first = await source.reader().list(null, FOREVER);
  drive.delete(files[0] ?? "");
  drive.expireLinks();
  const secondPage = await source.reader().list(first.next, FOREVER);
  expect(secondPage).toMatchObject({ restarted: true });
  expect(secondPage.files.map(({ path }) => path)).not.toContain("a.txt");
});

test("a folder that is told of after its files, or renamed meanwhile, ends up right", async () => {
  const { drive, source } = libraryOf();
  const folder = drive.folder(drive.root, "Early");
  for (const name of ["a", "b", "c"]) drive.file(folder, `${name}.txt`, name);
  // Its last change comes after those of its files.
  drive.change(folder, {});
  drive.pageSize = 2;
  await source.scan();
  expect(source.paths()).toEqual(["Early/a.txt", "Early/b.txt", "Early/c.txt"]);
  await renamedMeanwhile(source, drive, folder);
});

async function renamedMeanwhile(source: Source, drive: DriveDouble, folder: string) {
  drive.expireLinks();
  const first = await source.reader().list(null, FOREVER);
  drive.change(folder, { name: "Late" });
  let page = await source.reader().list(first.next, FOREVER);
  while (page.next !== null) page = await source.reader().list(page.next, FOREVER);
  // Paths listed before may be old: without a cursor the next scan lists everything.
  expect(page.changeCursor).toBeUndefined();
}

test("a link to another host is not followed with the token", async () => {
  const { graph, drive, source } = libraryOf();
  drive.file(drive.root, "a.txt", "a");
  await source.scan();
  const state = new TextDecoder().decode(source.store.entries.get("drives.json"));
  const elsewhere = state.replace("https://graph.example/", "https://graph.example.evil.test/");
  source.store.entries.set("drives.json", new TextEncoder().encode(elsewhere));
  graph.requests.length = 0;
  expect(await failureOf(source.scan())).toMatchObject({ kind: "down" });
  expect(graph.requests).toEqual([]);
});

test("a page of changes without a link is no end, and nothing is removed", async () => {
  const { graph, drive, source } = libraryOf();
  drive.file(drive.root, "a.txt", "a");
  await source.scan();
  const { fetch } = graph;
  const cut: typeof fetch = async (address, request) => {
    const reply = await fetch(address, request);
    return address.includes("delta") ? Response.json({ value: [] }) : reply;
  };
  Object.assign(graph, { fetch: cut });
  drive.expireLinks();
  expect(await failureOf(source.scan())).toMatchObject({ kind: "down" });
  expect(source.paths()).toEqual(["a.txt"]);
});

const downloads = ({ requests }: GraphDouble) =>
  requests.filter((each) => each.includes("download"));

test("an unchanged file keeps its version, whatever Graph leaves out", async () => {
  const { drive, source } = libraryOf();
  const hashless = drive.file(drive.root, "old.docx", "old", { hashed: false });
  const plain = drive.file(drive.root, "plain.txt", "plain");
  await source.scan();
  const versions = [fileOf(source, hashless).version, fileOf(source, plain).version];
  // Downloaded, it has a hash; the feed tells of it when everything is listed again.
  await textOf(source, hashless);
  drive.expireLinks();
  expect(await source.scan()).toBe("full");
  drive.change(plain, {});
  await source.scan();
  expect([fileOf(source, hashless).version, fileOf(source, plain).version]).toEqual(versions);
});

test("notebooks, what lies in them, and shortcuts are left out and named", async () => {
  const { drive, source } = libraryOf();
  const notebook = drive.addOther(drive.root, "Notebook", "notebook");
  drive.file(notebook, "Section.one", "x");
  drive.addOther(drive.root, "Elsewhere", "shortcut");
  drive.file(drive.root, "a.txt", "a");
  const page = await source.reader().list(null, FOREVER);
  expect(page.files.map(({ path }) => path)).toEqual(["a.txt"]);
  expect(page.skipped).toBe(2);
  expect(page.problems).toEqual([
    { path: "Notebook", message: "notebooks (OneNote) and other packages cannot be read" },
    { path: "Elsewhere", message: "shortcuts to other libraries are not followed" },
  ]);
});

test("10 changes of 500 files cost 10 downloads", async () => {
  const { graph, drive, source } = libraryOf();
  const ids = Array.from({ length: 500 }, (_, at) => drive.file(drive.root, `${at}.txt`, "x"));
  await source.scan();
  const versions = new Map([...source.files].map(([id, { version }]) => [id, version]));
  for (const id of ids.slice(0, 10)) drive.change(id, { content: `changed ${id}` });
  drive.expireLinks();
  await source.scan();
  const changed = ids.filter((id) => fileOf(source, id).version !== versions.get(id));
  for (const id of changed) await textOf(source, id);
  expect(downloads(graph)).toHaveLength(10);
});

test("a download's address that expired is asked for anew, once", async () => {
  const { graph, drive, source } = libraryOf();
  const file = drive.file(drive.root, "a.txt", "a");
  await source.scan();
  graph.fail({ path: /download/, status: 401 });
  expect(await textOf(source, file)).toBe("a");
  graph.fail({ path: /download/, status: 401, times: 2 });
  const failure = await failureOf(textOf(source, file));
  expect(failure).toMatchObject({ kind: "down", message: "SharePoint: 401 for the download" });
  graph.fail({ path: /download/, status: 429, headers: { "retry-after": "3" } });
  const throttled = await failureOf(textOf(source, file));
  expect(throttled).toMatchObject({ kind: "throttled", retryAfterMs: 3_000 });
  drive.change(file, { mimeType: "text/html" });
  const page = await failureOf(textOf(source, file));
  expect(page).toMatchObject({ kind: "down", message: "a web page answers in place of the file" });
  drive.change(file, { malware: true });
  expect(await failureOf(textOf(source, file))).toMatchObject({
    kind: "bad-file",
    message: "SharePoint: Microsoft marks it as malware",
  });
  drive.delete(file);
  expect(await failureOf(textOf(source, file))).toMatchObject({ kind: "down" });
});
