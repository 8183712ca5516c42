import { expect, test } from "vitest";

import { folderOf, withAncestors } from "../../../src/core/folders.ts";

test("a file's folder, and those above it", () => {
  expect([folderOf("a/b/c.md"), folderOf("c.md"), folderOf("a")]).toEqual(["a/b", "", ""]);
  expect(withAncestors("a/b/c")).toEqual(["a", "a/b", "a/b/c"]);
  expect(withAncestors("")).toEqual([]);
});
