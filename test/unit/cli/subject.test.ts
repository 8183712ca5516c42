import { expect, test } from "vitest";

import { SAMPLE_FOLDER, subjectOf } from "../../../src/cli/demo/subject.ts";

test("the bundled folder is called sample", () => {
  expect(subjectOf(SAMPLE_FOLDER, {}).identifier).toBe("sample");
});

test("a folder keeps its identifier, and another of the same name gets its own", () => {
  const known = { "my-documents": "/home/ann/My Documents" };
  expect(subjectOf("/home/ann/My Documents", known).identifier).toBe("my-documents");
  expect(subjectOf("/mnt/My Documents", known).identifier).toBe("my-documents-2");
});

test("no folder takes the sample's identifier, and a name without letters gets one", () => {
  expect(subjectOf("/home/ann/sample", {}).identifier).toBe("sample-2");
  expect(subjectOf("/home/ann/日本", {}).identifier).toBe("documents");
});

test("a long name leaves room for a number", () => {
  const long = `/${"a".repeat(200)}`;
  const { identifier } = subjectOf(long, { ["a".repeat(60)]: "/other" });
  expect(identifier).toBe(`${"a".repeat(60)}-2`);
});
