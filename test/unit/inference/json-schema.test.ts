import { expect, test } from "vitest";

import { readJsonSchema } from "../../../src/inference/json-schema/read-json-schema.ts";

type Given = Parameters<typeof readJsonSchema>[0];

const isValid = (schema: Given, value: unknown) => readJsonSchema(schema)(value).length === 0;
const fromJson = (text: string) => JSON.parse(text) as Record<string, unknown>;

/** Names that every JavaScript object inherits; a value has them only where it says so. */
const INHERITED = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

test.each(INHERITED)("a property named %s is missing until it is there", (name) => {
  const required = { required: [name] };
  expect(isValid(required, {})).toBe(false);
  expect(isValid(required, fromJson(`{"${name}":1}`))).toBe(true);
  const typed = fromJson(`{"properties":{"${name}":{"type":"number"}}}`);
  expect(isValid(typed, {})).toBe(true);
  expect(isValid(typed, fromJson(`{"${name}":"text"}`))).toBe(false);
  expect(isValid(typed, fromJson(`{"inner":{"${name}":"text"}}`))).toBe(true);
  expect(isValid({ format: name }, "text")).toBe(true);
});

const REFUSED: [what: string, schema: Given, reason: string][] = [
  ["$dynamicRef", { items: { $dynamicRef: "#it" } }, "$dynamicRef"],
  ["what was evaluated elsewhere", { unevaluatedProperties: false }, "unevaluatedProperties"],
  ["another document", { items: { $ref: "https://x.test/it.json" } }, "https://x.test/it.json"],
  [
    "the metaschema",
    { items: { $ref: "https://json-schema.org/draft/2020-12/schema" } },
    "which is not in it",
  ],
  ["a dialect of its own", { $schema: "https://x.test/mine" }, "$schema"],
  ["draft 4", { $schema: "http://json-schema.org/draft-04/schema#" }, "$schema"],
  ["an anchor", { $defs: { a: { $anchor: "it" } } }, "$anchor"],
  ["an identifier below the root", { allOf: [{ $id: "a" }] }, "$id below its root"],
  ["what one item must be", { contains: { type: "number" } }, "contains"],
  ["dependencies of draft 7", { dependencies: { a: ["b"] } }, "dependencies"],
  ["a bound of draft 4", { minimum: 1, exclusiveMinimum: true }, "#/exclusiveMinimum"],
  ["a keyword of the wrong form", { minItems: "3" }, "#/minItems"],
];

test.each(REFUSED)("%s is refused, and the reason names it", (_what, schema, reason) => {
  expect(() => readJsonSchema(schema)).toThrow(reason);
});

test.each([
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-06/schema",
  "",
])("the dialect %j is known", ($schema) => {
  expect(isValid({ $schema }, {})).toBe(true);
});

test.each([
  ["minimum", [false, true, true]],
  ["maximum", [true, true, false]],
  ["exclusiveMinimum", [false, false, true]],
  ["exclusiveMaximum", [true, false, false]],
])("%s is judged to the number", (keyword, valid) => {
  expect([2, 3, 4].map((value) => isValid({ [keyword]: 3 }, value))).toEqual(valid);
});

test("items are judged by their places, references with what is beside them", () => {
  const tuple = { items: [{ type: "number" }], additionalItems: false };
  for (const schema of [tuple, { prefixItems: [{ type: "number" }], items: false }]) {
    expect(isValid(schema, [1])).toBe(true);
    expect(isValid(schema, [1, 2])).toBe(false);
  }
  const aside = { $ref: "#/$defs/n", maximum: 3, $defs: { n: { type: "number" } } };
  expect(isValid(aside, 4)).toBe(false);
});
