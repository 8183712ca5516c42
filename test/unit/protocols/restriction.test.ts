import { expect, test } from "vitest";

import type { FileCondition } from "../../../src/ports/file-condition.ts";
import { conditionOf } from "../../../src/protocols/dify/metadata-condition.ts";
import { readFilters } from "../../../src/protocols/openai/filters.ts";
import { restrictionOf } from "../../../src/protocols/search.ts";

const labels: FileCondition = { metadata: { field: "labels", values: ["a"] } };
const folder = (name: string): FileCondition => ({ folder: name });

test.each<[string, FileCondition | undefined]>([
  ["none", undefined],
  ["an empty list", { all: [] }],
  ["a bracket around it", { any: [{ all: [{ all: [] }] }] }],
  ["anything, or every file", { any: [labels, { all: [] }] }],
])("a condition that holds for every file restricts nothing: %s", (_, condition) => {
  expect(restrictionOf(condition)).toEqual({ named: null, metadata: [] });
});

test.each<[FileCondition, string[]]>([
  [folder("a"), ["a"]],
  [{ all: [{ any: [folder("a"), { any: [folder("b/c")] }] }, { all: [] }] }, ["a", "b/c"]],
  [{ any: [] }, []],
])("folders alone are named, as in our own API: %j", (condition, folders) => {
  expect(restrictionOf(condition)).toEqual({ named: { files: [], folders }, metadata: [] });
});

test.each<[FileCondition, FileCondition]>([
  [{ all: [labels] }, labels],
  [{ any: [folder("a"), labels] }, { any: [folder("a"), labels] }],
  [{ all: [folder("a"), folder("a/b")] }, { all: [folder("a"), folder("a/b")] }],
  [{ not: folder("a") }, { not: folder("a") }],
])("any other condition stays what it is: %j", (input, condition) => {
  expect(restrictionOf(input)).toEqual({ named: null, metadata: [], condition });
});

test.each([
  ["gt", ">", ">"],
  ["gte", "≥", ">="],
  ["lt", "<", "<"],
  ["lte", "≤", "<="],
])("a comparison keeps its bound: %s", (type, comparison_operator, relation) => {
  const compare = { of: { field: "year" }, test: "order", kind: "number", relation, value: 2026 };
  expect(readFilters({ type, key: "year", value: 2026 })).toEqual({ compare });
  const conditions = [{ name: "year", comparison_operator, value: 2026 }];
  expect(conditionOf({ conditions })).toEqual({ all: [{ any: [{ compare }] }] });
});
