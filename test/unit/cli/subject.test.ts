import { expect, test } from "vitest";

import { SAMPLE_FOLDER, subjectOf } from "../../../src/cli/demo/subject.ts";

const LONG = "a".repeat(60);
const KNOWN = { "my-documents": "/home/ann/My Documents", [LONG]: "/other" };

test.each([
  [SAMPLE_FOLDER, "sample"],
  ["/home/ann/sample", "sample-2"],
  ["/home/ann/My Documents", "my-documents"],
  ["/mnt/My Documents", "my-documents-2"],
  ["/home/ann/日本", "documents"],
  [`/${"a".repeat(200)}`, `${LONG}-2`],
])("the folder %s has an identifier of its own", (folder, identifier) => {
  expect(subjectOf(folder, KNOWN).identifier).toBe(identifier);
});
