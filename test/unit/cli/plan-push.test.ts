import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";

import { chooser, listFolder } from "../../../src/cli/push/list-folder.ts";
import { localReaders } from "../../../src/cli/push/local-readers.ts";
import { planPush } from "../../../src/cli/push/plan-push.ts";
import { testFolder } from "../../support/test-folder.ts";

const ALL = chooser({ include: [], exclude: [], ignore: true });
const UNTOLD = { choose: ALL, readersOf: () => null };
let folder = "";

beforeEach(() => {
  folder = testFolder();
});

function write(path: string, text: string) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function manifestEntry(path: string, text: string) {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return [path, { path, size: Buffer.byteLength(text), sha256, readers: null }] as const;
}

test("only new or changed files are uploaded, and deleted ones removed", async () => {
  write("same.md", "the same");
  write("sub/changed.md", "after!");
  write("sub/new.md", "new");
  const manifest = new Map([
    manifestEntry("same.md", "the same"),
    manifestEntry("sub/changed.md", "before"),
    manifestEntry("gone.md", "gone"),
  ]);
  const plan = await planPush(await listFolder(folder, ALL), manifest, UNTOLD);
  expect(plan.upload.map(({ path, isNew }) => [path, isNew])).toEqual([
    ["sub/changed.md", false],
    ["sub/new.md", true],
  ]);
  expect(plan.remove).toEqual(["gone.md"]);
  expect(plan.unchanged).toBe(1);
});

test("a file under another path is moved, once for each that has left", async () => {
  for (const path of ["new/a.md", "new/twin.md", "new/third.md", "new/b.txt"]) write(path, "same");
  write("new/c.md", "more");
  const deletedPaths = ["old/a.md", "old/twin.md", "old/b.md", "old/c.md"];
  const manifest = new Map(deletedPaths.slice(0, 2).map((path) => manifestEntry(path, "same")));
  manifest.set(...manifestEntry("old/c.md", "less"));
  const readersOf = (path: string) => (path === "new/a.md" ? ["user:ann@a.b"] : null);
  const plan = await planPush(await listFolder(folder, ALL), manifest, { choose: ALL, readersOf });
  expect(new Set(plan.move.map(({ from }) => from))).toEqual(new Set(deletedPaths.slice(0, 2)));
  expect(plan.move.map(({ to }) => to)).toEqual(["new/a.md", "new/third.md"]);
  expect(plan.upload.map(({ path }) => path)).toEqual(["new/b.txt", "new/c.md", "new/twin.md"]);
  expect(plan.remove).toEqual(["old/c.md"]);
  expect(plan.readers).toEqual([{ path: "new/a.md", readers: ["user:ann@a.b"] }]);
});

test("links and hidden files are left out and told", async () => {
  write("a.md", "a");
  write(".secret", "s");
  write(".git/config", "c");
  write("~$a.docx", "Ann");
  write("Thumbs.db", "t");
  symlinkSync(join(folder, "a.md"), join(folder, "link.md"));
  symlinkSync(folder, join(folder, "circle"));
  const listing = await listFolder(folder, ALL);
  expect(listing.files.map(({ path }) => path)).toEqual(["a.md"]);
  expect(listing.hidden.sort()).toEqual([".git", ".secret", "Thumbs.db", "~$a.docx"]);
  expect(listing.links.sort()).toEqual(["circle", "link.md"]);
});

test("what a checkout's ignore files name is left out, counted, and removed", async () => {
  const rules = {
    ".git/info/exclude": "own.txt\nkept.log\n",
    ".gitignore": "node_modules/\n*.log\n/secret.txt\nÜbung*\n",
    "docs/.gitignore": "!kept.log\n/drafts\n",
    "docs/.ignore": "notes.md\n!drafts\n",
    "docs/deep/.gitignore": "kept.log\nnotes.md\n!notes.md\n",
  };
  const own = ["docs/own.txt", "secret.txt", "U\u0308bung 1.md"];
  const ignored = ["a.log", "docs/deep/kept.log", "docs/notes.md", ...own];
  const paths = ["docs/deep/notes.md", "docs/drafts/a.md", "docs/kept.log", "docs/secret.txt"];
  for (const [path, text] of Object.entries(rules)) write(path, text);
  for (const path of [...ignored, ...paths, "node_modules/x/readme.md"]) write(path, path);
  const listing = await listFolder(folder, ALL);
  expect(listing.files.map(({ path }) => path)).toEqual(paths);
  expect(listing.ignored.map((path) => path.normalize("NFC")).sort()).toEqual(
    [...ignored, "node_modules/"].map((path) => path.normalize("NFC")).sort(),
  );
  const manifest = new Map([manifestEntry("secret.txt", "secret.txt")]);
  expect((await planPush(listing, manifest, UNTOLD)).remove).toEqual(["secret.txt"]);
  const all = chooser({ include: [], exclude: [], ignore: false });
  expect((await listFolder(folder, all)).files).toHaveLength(ignored.length + paths.length + 1);
});

test("an ignore file with a byte order mark counts; an unreadable one stops the push", async () => {
  write(".gitignore", "\uFEFFsecret.txt\n");
  for (const path of ["a.md", "secret.txt", "closed/b.md"]) write(path, path);
  symlinkSync(".gitignore", join(folder, "closed/.gitignore"));
  const { files, unreadable } = await listFolder(folder, ALL);
  expect(files.map(({ path }) => path)).toEqual(["a.md"]);
  expect(unreadable).toEqual([{ path: "closed", reason: "its .gitignore cannot be read" }]);
});

test("a folder of a checkout has its rules, unless it is itself ignored", async () => {
  write("repo/.git/HEAD", "ref");
  write("repo/.gitignore", "*.log\n/docs/x.md\n/site/\n!keep.log\n");
  write(".gitignore", "*.md\n");
  for (const path of ["docs/a.log", "docs/keep.log", "docs/x.md", "docs/a.md", "site/b.log"])
    write(`repo/${path}`, path);
  const paths = async (name: string) =>
    (await listFolder(join(folder, name), ALL)).files.map(({ path }) => path);
  expect(await paths("repo/docs")).toEqual(["a.md", "keep.log"]);
  expect(await paths("repo/site")).toEqual(["b.log"]);
});

test.runIf(process.platform === "linux")("a name that is no UTF-8 is told as such", async () => {
  write("a.md", "a");
  const latin = Buffer.from("\u00fcbersicht", "latin1");
  const inside = (name: string | Buffer) =>
    Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
  writeFileSync(Buffer.concat([inside(latin), Buffer.from(".md")]), "text");
  mkdirSync(inside(latin));
  const { files, unreadable } = await listFolder(folder, ALL);
  expect(files.map(({ path }) => path)).toEqual(["a.md"]);
  const reason = "its name is not UTF-8: rename it";
  expect(unreadable.map((entry) => entry.reason)).toEqual([reason, reason]);
});

test("paths are in Unicode NFC, and two names that become one are told", async () => {
  write("Mu\u0308ll.md", "decomposed");
  write("M\u00fcll.md", "composed");
  const listing = await listFolder(folder, ALL);
  expect(listing.files.map(({ path }) => path)).toEqual(["M\u00fcll.md"]);
  expect(listing.unreadable).toEqual([
    { path: "M\u00fcll.md", reason: "another file has the same name" },
  ]);
});

test("files that could not be listed are not deleted", async () => {
  write("open.md", "o");
  const listing = await listFolder(folder, ALL);
  listing.unreadable.push({ path: "locked", reason: "no permission to read it" });
  const manifest = new Map([
    manifestEntry("locked/inner.md", "i"),
    manifestEntry("lockedout.md", "g"),
  ]);
  const plan = await planPush(listing, manifest, UNTOLD);
  expect(plan.remove).toEqual(["lockedout.md"]);
  expect(plan.failed).toEqual([{ path: "locked", reason: "no permission to read it" }]);
});

test("what the choice leaves out stays in the source", async () => {
  write("a.md", "a");
  const choose = chooser({ include: ["*.md"], exclude: [], ignore: true });
  const manifest = new Map([manifestEntry("old.md", "o"), manifestEntry("old.txt", "o")]);
  const plan = await planPush(await listFolder(folder, choose), manifest, { ...UNTOLD, choose });
  expect(plan.remove).toEqual(["old.md"]);
});

test("a file over 25 MiB is told, and what the source has of it stays", async () => {
  const listing = await listFolder(folder, ALL);
  listing.files.push({
    path: "big.pdf",
    absolutePath: "",
    size: 25 * 1024 * 1024 + 1,
    modifiedAt: 0,
  });
  const plan = await planPush(listing, new Map([manifestEntry("big.pdf", "small once")]), UNTOLD);
  expect(plan.upload).toEqual([]);
  expect(plan.remove).toEqual([]);
  expect(plan.failed).toEqual([{ path: "big.pdf", reason: "larger than 25 MiB" }]);
});

test("a missing folder is an error that names it", async () => {
  await expect(listFolder(join(folder, "nowhere"), ALL)).rejects.toThrow(
    /There is no folder .*nowhere/,
  );
});

test("the nearest readers file above a document with a pattern that fits decides", async () => {
  write(".quarry-readers.json", '{ "*": ["group:Staff@example.com"], "*.key": [] }');
  write("hr/.quarry-readers.json", '{ "pay/": ["user:ann@example.com"] }');
  const paths = ["a.md", "hr/rules.md", "hr/pay/2026.md", "hr/pay/deep/x.md", "b/c.key"];
  for (const path of paths) write(path, path);
  const readersOf = await localReaders(folder, paths);
  const staff = ["group:staff@example.com"];
  const ann = ["user:ann@example.com"];
  expect(paths.map(readersOf)).toEqual([staff, staff, ann, ann, []]);
  const [path, entry] = manifestEntry("hr/pay/2026.md", "hr/pay/2026.md");
  const listing = await listFolder(folder, ALL);
  const planned = async (readers: string[] | null) =>
    await planPush(listing, new Map([[path, { ...entry, readers }]]), { choose: ALL, readersOf });
  expect((await planned(staff)).readers).toEqual([{ path, readers: ann }]);
  expect((await planned(ann)).readers).toEqual([]);
  const { upload } = await planned(ann);
  expect(upload.find((file) => file.path === "a.md")?.readers).toEqual(staff);
  write("hr/.quarry-readers.json", '{ "pay/": ["ann"] }');
  await expect(localReaders(folder, paths)).rejects.toThrow(/pay\/: "ann"; .*everyone/);
});
