import { expect, test } from "vitest";

import { contentTypeOf } from "../../../../src/cli/push/upload-files.ts";
import {
  mayBeCompressed,
  mediaTypeByName,
} from "../../../../src/documents/media-type/media-types.ts";

const UNKNOWN = "application/octet-stream";

test("a name's extension suggests the media type, in any case and folder", () => {
  const types = ["a/B.PDF", "x.docm", "x.jsonl", "x.svg", "x.yml", "x.mbox", "page.shtml"];
  expect(types.map(mediaTypeByName)).toEqual([
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/json",
    "image/svg+xml",
    "application/yaml",
    "application/mbox",
    "text/html",
  ]);
  const untold = ["index.php", "README", "pdf", "a.b/pdf", "x.constructor", "x.exe"];
  expect(untold.map(mediaTypeByName)).toEqual(untold.map(() => UNKNOWN));
});

test("quarry push sends source code and settings as text", () => {
  const code = ["a.py", "b/c.YAML", "x.ts", "notes.rst"];
  expect(code.map(contentTypeOf)).toEqual(code.map(() => "text/plain"));
  expect(["Makefile", "a.exe", "a.html"].map(contentTypeOf)).toEqual([
    UNKNOWN,
    UNKNOWN,
    "text/html",
  ]);
});

test("what holds compressed parts is known by its name or its type", () => {
  for (const name of ["a.xltm", "a.POTX", "a.odp", "a.epub", "a.pdf", "a.eml"]) {
    expect(mayBeCompressed(name, "x/y")).toBe(true);
  }
  expect(mayBeCompressed("a", "application/vnd.ms-word.document.macroEnabled.12")).toBe(true);
  expect(mayBeCompressed("a.html", "text/html")).toBe(false);
});
