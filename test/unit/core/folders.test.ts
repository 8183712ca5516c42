import { expect, test } from "vitest";

import { folderOf, trailOf, withAncestors } from "../../../src/core/folders.ts";

test("a file's folder, and those above it", () => {
  expect([folderOf("a/b/c.md"), folderOf("c.md"), folderOf("a")]).toEqual(["a/b", "", ""]);
  expect(withAncestors("a/b/c")).toEqual(["a", "a/b", "a/b/c"]);
  expect(withAncestors("")).toEqual([]);
});

test("the folders above one, those of a web site below its host", () => {
  expect(trailOf("a/b/")).toEqual(["a/", "a/b/"]);
  expect(trailOf("https://x.org/b/")).toEqual(["https://x.org/", "https://x.org/b/"]);
  expect(trailOf("")).toEqual([]);
});
