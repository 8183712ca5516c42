import { expect, test } from "vitest";

import { isHidden } from "../../../src/core/folders.ts";
import { pathInFolder, uploadInWords } from "../../../src/panel/browser/uploads.ts";

test.each([
  [[0, 0, 0, 0], "There are no files in it."],
  [[50, 20, 0, 1], "Uploading: 21 of 50 files done"],
  [[50, 49, 0, 1], "50 files: 49 uploaded, 1 failed"],
  [[1, 1, 0, 0], "1 file: 1 uploaded"],
  [[52, 48, 2, 2], "52 files: 48 uploaded, 2 failed, 2 skipped (hidden)"],
  [[1, 0, 1, 0], "1 file: 0 uploaded, 1 skipped (hidden)"],
])("of %s files chosen, uploaded, skipped and failed it says %s", (numbers, words) => {
  const [chosen = 0, uploaded = 0, skipped = 0, failures = 0] = numbers;
  const failed = Array.from({ length: failures }, (_, at) => `${at}.md: the connection failed`);
  expect(uploadInWords({ chosen, uploaded, skipped, failed })).toBe(words);
});

test("a folder that is uploaded has the paths that a push of it has", () => {
  expect(["documents/a.md", "documents/b/c.md"].map(pathInFolder)).toEqual(["a.md", "b/c.md"]);
  expect(pathInFolder("alone.md")).toBe("alone.md");
  const paths = ["a.md", ".env", ".git/config", "a/.b/c.md", "a.b/c.md", "~$a.docx", "b/Thumbs.db"];
  expect(paths.filter((path) => !isHidden(path))).toEqual(["a.md", "a.b/c.md"]);
});
