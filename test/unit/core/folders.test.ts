import { expect, test } from "vitest";

import { coarserFolders, folderOf, withAncestors } from "../../../src/core/folders.ts";

test("a file's folder, and those above it", () => {
  expect([folderOf("a/b/c.md"), folderOf("c.md"), folderOf("a")]).toEqual(["a/b", "", ""]);
  expect(withAncestors("a/b/c")).toEqual(["a", "a/b", "a/b/c"]);
  expect(withAncestors("")).toEqual([]);
});

test("too many folders give way to those above, the deepest first, and none is lost", () => {
  expect(coarserFolders(["x/1", "x/2", "y", "x/1/a"], 10)).toEqual(["x/1", "x/2", "y"]);
  expect(coarserFolders(["x/1", "x/2", "y", "z/3/a"], 3)).toEqual(["x", "y", "z"]);
  expect(coarserFolders(["x", "y", "z"], 2)).toEqual([""]);
  expect(coarserFolders(["", "x"], 2)).toEqual([""]);
  const many = Array.from({ length: 10_000 }, (_, at) => `old/${at % 300}/${at}`);
  expect(coarserFolders(many, 100)).toEqual(["old"]);
});
