import { expect, test } from "vitest";

import { chooser } from "../../../src/cli/push/list-folder.ts";

test.each<[what: string, include: string[], exclude: string[], yes: string[], no: string[]]>([
  ["no slash means every depth", ["*.md"], [], ["a.md", "deep/er/a.md"], ["a.txt"]],
  [
    "what is excluded is left out also when it is included",
    ["docs/**"],
    ["drafts"],
    ["docs/plan.md"],
    ["docs/drafts/plan.md", "other/plan.md"],
  ],
  ["hidden files and folders are never chosen", ["**"], [], ["a/b"], [".env", "a/.git/config"]],
])("%s", (_what, include, exclude, included, excluded) => {
  const choose = chooser({ include, exclude, ignore: false });
  expect([...included, ...excluded].filter(choose.file)).toEqual(included);
});

test("an excluded folder is not read at all", () => {
  const choose = chooser({
    include: [],
    exclude: ["node_modules", "/build/"],
    ignore: false,
  });
  expect(["web/node_modules", "build", "web/build"].filter(choose.folder)).toEqual(["web/build"]);
});
