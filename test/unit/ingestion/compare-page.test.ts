import { expect, test } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import type { KnownRow } from "../../../src/db/scans/listing-store.ts";
import { comparePage } from "../../../src/ingestion/scanning/compare-page.ts";
import type { ListedFile } from "../../../src/ports/source-reader.ts";

const listedFile = (path: string, change: Partial<ListedFile> = {}): ListedFile => ({
  path,
  externalId: null,
  url: null,
  name: path,
  size: 1,
  mimeType: "text/plain",
  version: "1",
  metadata: {},
  sourceState: null,
  ...change,
});

const knownRow = (id: string, path: string, change: Partial<KnownRow> = {}): KnownRow => ({
  ...listedFile(path),
  id: id as FileId,
  deletedAt: null,
  modifiedAt: 0,
  audience: null,
  readersRevision: 0,
  ...change,
});

const compare = (files: ListedFile[], rows: KnownRow[]) => {
  let counter = 0;
  return comparePage(files, rows, () => `new${counter++}` as FileId);
};

test("a new version, metadata or path is a change; a new reader state is not", () => {
  const rows = ["a", "b", "c"].map((path) => knownRow(path, path, { externalId: path }));
  const { writes, counts } = compare(
    [
      listedFile("a", { externalId: "a", version: "2" }),
      listedFile("b", { externalId: "b", metadata: { labels: ["x"] } }),
      listedFile("d", { externalId: "c" }),
    ],
    rows,
  );
  expect(writes.writes.map(({ id, path }) => [id, path])).toEqual([
    ["a", "a"],
    ["b", "b"],
    ["c", "d"],
  ]);
  expect(writes.moved).toEqual(["c"]);
  expect(counts).toMatchObject({ changed: 3, downloadsSaved: 2 });

  const state = compare([listedFile("a", { sourceState: { etag: "x" } })], [knownRow("1", "a")]);
  expect(state.writes).toMatchObject({ writes: [], states: [{ id: "1" }] });
  expect(state.counts).toMatchObject({ unchanged: 1 });
});

test("a file that was deleted and is listed again is added under its old id", () => {
  const { counts, seen } = compare([listedFile("a")], [knownRow("1", "a", { deletedAt: 5 })]);
  expect(counts).toMatchObject({ added: 1, unchanged: 0 });
  expect(seen).toEqual(["1"]);
});

test("a failing file stays as it was read, or becomes an error when it never was", () => {
  const failure = { kind: "down" as const, message: "web: 503" };
  const result = compare([listedFile("a", { failure })], [knownRow("1", "a")]);
  expect(result.writes.writes).toEqual([]);
  expect(result.counts).toMatchObject({ failed: 1, unchanged: 0 });
  expect(result.writes.states).toEqual([]);
  const sourceState = { unmetSince: 1 };
  const withState = compare([listedFile("a", { failure, sourceState })], [knownRow("1", "a")]);
  expect(withState.writes.states).toEqual([{ id: "1", sourceState }]);
  expect(result.seen).toEqual(["1"]);
  const unread = compare([listedFile("b", { failure, version: "" })], []);
  expect(unread.writes.failures).toEqual([{ id: "new0", message: "web: 503", outside: true }]);
  expect(unread.counts).toMatchObject({ failed: 1, added: 0 });
});

test("a path that is listed twice is one file", () => {
  const { seen, counts } = compare([listedFile("a"), listedFile("a", { version: "2" })], []);
  expect(seen).toEqual(["new0"]);
  expect(counts).toMatchObject({ added: 1 });
});
