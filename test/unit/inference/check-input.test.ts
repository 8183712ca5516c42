import { expect, test } from "vitest";

import type { RagRecord } from "../../../src/db/records.ts";
import { checkInferenceInput } from "../../../src/inference/check-input.ts";
import { restrictionOf } from "../../../src/inference/retrieve-context.ts";
import type { ContextInput } from "../../../src/inference/types.ts";

const rag = { identifier: "handbook" } as RagRecord;
const defaults: ContextInput = {
  topK: 5,
  useReranking: false,
  candidateMultiplier: 2,
  includeDuplicates: false,
  useAllFiles: true,
};

const check =
  (nativeRag: boolean, rags: RagRecord[], input: Partial<ContextInput> & { jsonSchema?: string }) =>
  () =>
    checkInferenceInput({ nativeRag, rags }, { ...defaults, ...input });

test("a RAG that the inference does not link is refused where it is named", () => {
  const semanticSearch = ["a"];
  const other = { ragIdentifier: "other" };
  const named = {
    useAllFiles: false,
    selectedFiles: [
      { ragIdentifier: "handbook", files: [] },
      { ...other, files: [] },
    ],
  };
  expect(check(true, [rag], { semanticSearch, ...named })).toThrow(
    "selectedFiles[1].ragIdentifier",
  );
  const filter = {
    providerFilter: [
      { field: "a", values: [] },
      { ...other, field: "a", values: [] },
    ],
  };
  expect(check(true, [rag], { semanticSearch, ...filter })).toThrow(
    "providerFilter[1].ragIdentifier",
  );
});

test("a JSON Schema that cannot be used is refused with the field's name", () => {
  expect(check(true, [], { jsonSchema: "{" })).toThrow("Invalid request: jsonSchema must be");
  expect(check(true, [], { jsonSchema: '{"type":"object"}' })).not.toThrow();
});

test("a restriction holds what names this RAG; nothing named shows nothing", () => {
  const input: ContextInput = {
    ...defaults,
    useAllFiles: false,
    selectedFiles: [
      { ragIdentifier: "handbook", files: ["a.md"] },
      { ragIdentifier: "other", files: ["b.md"] },
    ],
    providerFilter: [
      { field: "labels", values: ["x"] },
      { ragIdentifier: "other", field: "owner", values: ["y"] },
    ],
  };
  expect(restrictionOf(rag, input)).toEqual({
    named: { files: ["a.md"], folders: [] },
    metadata: [{ field: "labels", values: ["x"] }],
  });
  expect(restrictionOf(rag, { ...defaults, useAllFiles: false }).named).toEqual({
    files: [],
    folders: [],
  });
  expect(restrictionOf(rag, { ...input, useAllFiles: true }).named).toBeNull();
});
