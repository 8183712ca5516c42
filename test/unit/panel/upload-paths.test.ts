import { expect, test } from "vitest";

import { isHidden as isHiddenInPush } from "../../../src/cli/push/choose-files.ts";
import { isHidden, pathInFolder } from "../../../src/panel/browser/upload-paths.ts";

test("a folder that is uploaded has the paths that a push of it has", () => {
  expect(["documents/a.md", "documents/b/c.md"].map(pathInFolder)).toEqual(["a.md", "b/c.md"]);
  expect(pathInFolder("alone.md")).toBe("alone.md");
  for (const path of ["a.md", ".env", ".git/config", "a/.b/c.md", "a.b/c.md"]) {
    expect({ path, hidden: isHidden(path) }).toEqual({ path, hidden: isHiddenInPush(path) });
  }
});
