import { expect, test } from "vitest";

import { readResponseSchema } from "../../../src/inference/response-schema.ts";

const readSchema = (schema: unknown) => readResponseSchema(JSON.stringify(schema));

function findings(schema: unknown, value: unknown): string[] {
  const result = readSchema(schema);
  if (!result.ok) throw new Error(result.reason);
  return result.schema.findings(value);
}

const person = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 2 },
    born: { type: "string", format: "date" },
    tags: { type: "array", items: { enum: ["a", "b"] }, uniqueItems: true },
  },
  additionalProperties: false,
};

test.each([
  ["{not json", "not JSON"],
  ['"a string"', "must be a JSON Schema"],
  ["false", "false admits nothing"],
  ['{"type":"objekt"}', "must be a JSON Schema"],
  ['{"type":"object","required":"name"}', "must be a JSON Schema"],
  ['{"type":"object","properties":{"a":{"pattern":"("}}}', "must be a JSON Schema"],
  ['{"type":"object","properties":{"a":{"$ref":"#/$defs/gone"}}}', "refers to #/$defs/gone"],
  [
    '{"type":"object","properties":{"a":{"$ref":"https://x.test/s"}}}',
    "refers to https://x.test/s",
  ],
  ['{"type":"string"}', "an object or an array at its root"],
  ['{"enum":["a","b"]}', "an object or an array at its root"],
  ['{"anyOf":[{"type":"string"},{"const":5}]}', "an object or an array at its root"],
  [
    '{"allOf":[{"type":["object","string"]},{"type":"string"}]}',
    "an object or an array at its root",
  ],
  ['{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}', "an object or an array at its root"],
])("%s is refused", (text, reason) => {
  const result = readResponseSchema(text);
  expect(result).toMatchObject({ ok: false });
  expect(result.ok ? "" : result.reason).toContain(reason);
});

test.each([
  true,
  {},
  { type: "array" },
  { type: ["object", "null"] },
  { anyOf: [{ type: "string" }, { type: "array" }] },
  { $ref: "#/$defs/p", $defs: { p: person } },
  {
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: { p: person },
    $ref: "#/definitions/p",
  },
  { type: "object", properties: { next: { $ref: "#" } } },
  Array.from({ length: 100 }).reduce((schema) => ({ not: schema }), {}),
])("%j is accepted", (schema) => {
  expect(readSchema(schema)).toMatchObject({ ok: true });
});

test("values are checked against the schema, and told what is wrong with them", () => {
  expect(findings(person, { name: "Ada", born: "1815-12-10", tags: ["a"] })).toEqual([]);
  expect(findings(person, {}).join()).toContain("name");
  expect(findings(person, { name: "A" })).not.toEqual([]);
  expect(findings(person, { name: "Ada", born: "10.12.1815" })).not.toEqual([]);
  expect(findings(person, { name: "Ada", tags: ["a", "a"] })).not.toEqual([]);
  expect(findings(person, { name: "Ada", other: 1 })).not.toEqual([]);
});

test("a bare value is refused even where the schema would take it", () => {
  expect(findings({}, "text")).not.toEqual([]);
  expect(findings(true, null)).not.toEqual([]);
  expect(findings({}, [])).toEqual([]);
});

test("the same schema may be used again and again: checking leaves no mark in it", () => {
  const schema = { type: "object", properties: { next: { $ref: "#" } } };
  const text = JSON.stringify(schema);
  for (let time = 0; time < 3; time++) {
    const result = readResponseSchema(text);
    expect(result.ok && result.schema.findings({ next: { next: {} } })).toEqual([]);
    expect(result.ok && result.schema.findings({ next: 5 })).not.toEqual([]);
  }
});
