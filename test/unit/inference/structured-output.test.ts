import { expect, test } from "vitest";

import { readResponseSchema } from "../../../src/inference/response-schema.ts";
import { jsonValuesIn, planOutput } from "../../../src/inference/structured-output.ts";

function planFor(schema: unknown) {
  const result = readResponseSchema(JSON.stringify(schema));
  if (!result.ok) throw new Error(result.reason);
  return planOutput(result.schema);
}

const object = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
const list = { type: "array", items: { $ref: "#/$defs/n" }, $defs: { n: { type: "integer" } } };

test("an object's schema goes to the provider as it is", () => {
  const plan = planFor(object);
  expect(plan.providerSchema).toEqual(object);
  expect(plan.read('{"n": 3}')).toEqual({ ok: true, value: { n: 3 } });
});

test("a list is wrapped in an object, and its definitions stay where $refs point", () => {
  const plan = planFor(list);
  expect(plan.providerSchema).toEqual({
    type: "object",
    properties: { items: { type: "array", items: { $ref: "#/$defs/n" } } },
    required: ["items"],
    additionalProperties: false,
    $defs: list.$defs,
  });
  expect(plan.read('{"items":[1,2]}')).toEqual({ ok: true, value: [1, 2] });
  expect(plan.read("[1,2]")).toEqual({ ok: true, value: [1, 2] });
  expect(plan.read('{"items":["one"]}')).toMatchObject({ ok: false });
});

test("a list that refers to itself refers to the same list inside the object", () => {
  const items = { anyOf: [{ type: "integer" }, { $ref: "#" }, { $ref: "#/items/anyOf/0" }] };
  const plan = planFor({ type: "array", items });
  expect(plan.providerSchema).toMatchObject({
    properties: {
      items: {
        items: {
          anyOf: [
            { type: "integer" },
            { $ref: "#/properties/items" },
            { $ref: "#/properties/items/items/anyOf/0" },
          ],
        },
      },
    },
  });
  expect(plan.read('{"items":[1,[2]]}')).toEqual({ ok: true, value: [1, [2]] });
  expect(plan.read('{"items":["x"]}')).toMatchObject({ ok: false });
});

test("an object or null is asked for inside an object, without an identifier", () => {
  const plan = planFor({ ...object, $id: "https://x.test/n", type: ["object", "null"] });
  expect(plan.providerSchema).toMatchObject({
    type: "object",
    properties: { items: { ...object, type: ["object", "null"] } },
  });
  expect(JSON.stringify(plan.providerSchema)).not.toContain("$id");
  expect(plan.read('{"items":{"n":3}}')).toEqual({ ok: true, value: { n: 3 } });
  expect(plan.read('{"items":null}')).toMatchObject({ ok: false });
});

test.each([true, {}, { title: "Anything" }])("for %j an object is asked for", (schema) => {
  const plan = planFor(schema);
  expect(plan.providerSchema).toEqual({ type: "object" });
  expect(plan.read('{"n":1}')).toEqual({ ok: true, value: { n: 1 } });
  expect(plan.read("[1]")).toEqual({ ok: true, value: [1] });
  expect(plan.read('"text"')).toMatchObject({ ok: false });
});

test.each([
  ['{"n":1}', { n: 1 }],
  ['  {"n":1}\n', { n: 1 }],
  ['Here you are:\n```json\n{"n":1}\n```\nAnything else?', { n: 1 }],
  ['The answer: {"n":1, "s":"} \\" {"} as asked', { n: 1, s: '} " {' }],
])("JSON is found in %j", (text, value) => {
  expect(planFor(object).read(text)).toEqual({ ok: true, value });
});

test.each(["", "no idea", '{"n":', '{"n":"three"}', "null", '"text"'])(
  "%j is no answer",
  (text) => {
    const result = planFor(object).read(text);
    expect(result.ok).toBe(false);
    expect(result.ok ? [] : result.findings).not.toEqual([]);
  },
);

test("JSON that breaks off is none", () => {
  expect(jsonValuesIn('{"a": [1, 2')).toEqual([]);
});
