import { expect, test } from "vitest";

import { filePathOf } from "../../../src/panel/api/request/sent-file.ts";

const pathIn = (rest: string) =>
  filePathOf(`http://q.test/panel/api/file-sources/docs/files/${rest}`);

test.each([
  ["a/b.md", "a/b.md"],
  ["a%2Fb.md", "a/b.md"],
  ["with%20space/%C3%A4%E6%9D%B1.md", "with space/ä東.md"],
  ["100%25.md", "100%.md"],
  ["a%2520b.md", "a%20b.md"],
  ["what%3F%23.md?x=1", "what?#.md"],
  ["files/files/x", "files/files/x"],
  ["a+b.md", "a+b.md"],
  ["..%2Fsecret", "../secret"],
])("%s is the file %s", (rest, path) => {
  expect(pathIn(rest)).toBe(path);
});

test("broken percent-encoding is refused", () => {
  expect(() => pathIn("a%zz")).toThrow("path is not valid percent-encoded UTF-8");
  expect(() => pathIn("%ff")).toThrow("path is not valid percent-encoded UTF-8");
});
