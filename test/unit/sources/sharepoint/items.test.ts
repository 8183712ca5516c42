import { expect, test } from "vitest";

import type { GraphDouble } from "../../../doubles/microsoft-graph/graph-double.ts";
import { libraryOf } from "../../../doubles/microsoft-graph/scanning.ts";
import { failureOf, fileOf, FOREVER, textOf } from "../../../doubles/source/simulated-scans.ts";

const downloads = ({ asked }: GraphDouble) => asked.filter((each) => each.includes("download"));

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
  const notebook = drive.other(drive.root, "Notebook", "notebook");
  drive.file(notebook, "Section.one", "x");
  drive.other(drive.root, "Elsewhere", "shortcut");
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
  drive.change(file, { malware: true });
  expect(await failureOf(textOf(source, file))).toMatchObject({
    kind: "bad-file",
    message: "SharePoint: Microsoft marks it as malware",
  });
  drive.delete(file);
  expect(await textOf(source, file)).toBe("deleted");
});
