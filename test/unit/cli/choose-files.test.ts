import { expect, test } from "vitest";

import { chooser } from "../../../src/cli/push/choose-files.ts";

test("a pattern without a slash is meant at every depth", () => {
  const choose = chooser({ include: ["*.md"], exclude: [] });
  expect(choose.file("a.md")).toBe(true);
  expect(choose.file("deep/er/a.md")).toBe(true);
  expect(choose.file("a.txt")).toBe(false);
});

test("what is excluded is left out also when it is included", () => {
  const choose = chooser({ include: ["docs/**"], exclude: ["drafts"] });
  expect(choose.file("docs/plan.md")).toBe(true);
  expect(choose.file("docs/drafts/plan.md")).toBe(false);
  expect(choose.file("other/plan.md")).toBe(false);
});

test("an excluded folder is not read at all", () => {
  const choose = chooser({ include: [], exclude: ["node_modules", "/build/"] });
  expect(choose.folder("web/node_modules")).toBe(false);
  expect(choose.folder("build")).toBe(false);
  expect(choose.folder("web/build")).toBe(true);
});

test("hidden files and all beneath hidden folders are never chosen", () => {
  const choose = chooser({ include: ["**"], exclude: [] });
  expect(choose.file(".env")).toBe(false);
  expect(choose.file("a/.git/config")).toBe(false);
});
