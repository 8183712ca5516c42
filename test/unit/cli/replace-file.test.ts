import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { replaceFile } from "../../../src/cli/replace-file.ts";

test("who reads a file while it is replaced has the whole of the old one", () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-replace-"));
  const path = join(folder, "index.js");
  writeFileSync(path, "old and whole");
  const reading = openSync(path, "r");
  replaceFile(path, "new");
  expect(readFileSync(reading, "utf8")).toBe("old and whole");
  closeSync(reading);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(readdirSync(folder)).toEqual(["index.js"]);
  rmSync(folder, { recursive: true });
});
