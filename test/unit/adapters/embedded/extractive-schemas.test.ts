import { expect, test } from "vitest";

import { answer, filled, HANDBOOK } from "./asked.ts";

const INVOICE = `Extract the invoice.
Invoice number: INV-2026-17. Date: 3 March 2026. Total: 1,250.50 EUR.
Customer: Anna Schmidt. Contact: anna@example.org. Items: desk, chair and lamp. Paid: no.`;

const EXPENSES = `# Expenses

## Allowances

| Country | Full day |
| --- | --- |
| France | 58 € |
| Austria | 50 € |

The allowance covers meals.

## Claiming

To claim your expenses:

1. Scan each receipt.
2. Send them by June.`;

test("steps and rows that are quoted for sure fill a list", async () => {
  const steps = { type: "array", items: { type: "string" } };
  const schema = { type: "object", required: ["steps"], properties: { steps } };
  expect(await filled("How do I claim my expenses?", schema, [EXPENSES])).toEqual({
    steps: ["Scan each receipt.", "Send them by June."],
  });
  const row = { country: { type: "string" }, full_day: { type: "number" } };
  const items = { type: "object", required: Object.keys(row), properties: row };
  const allowances = { type: "array", items };
  const rows = { type: "object", required: ["allowances"], properties: { allowances } };
  expect(await filled("What are the allowances?", rows, [EXPENSES])).toEqual({
    allowances: [
      { country: "France", full_day: 58 },
      { country: "Austria", full_day: 50 },
    ],
  });
});

test("the lines of a data sheet fill each its own property, and no other", async () => {
  const sheet =
    "# Data sheet of the pump\n\nPower: 450 W\nFlow: 9,500 l/h\nMaximum head: 8.5 m\nWeight: 4.2 kg";
  const number = { type: ["number", "null"] };
  const properties = { power_w: number, flow: number, maximum_head: number, noise: number };
  const schema = { type: "object", required: Object.keys(properties), properties };
  expect(await filled("What is in the data sheet of the pump?", schema, [sheet])).toEqual({
    power_w: 450,
    flow: 9500,
    maximum_head: 8.5,
    noise: null,
  });
});

test("a schema is filled with labelled values, in their types", async () => {
  const schema = {
    type: "object",
    required: [
      "invoiceNumber",
      "date",
      "total",
      "currency",
      "customer",
      "contact",
      "items",
      "paid",
    ],
    properties: {
      invoiceNumber: { type: "string", pattern: "^INV-" },
      date: { type: "string", format: "date" },
      total: { type: "number" },
      currency: { enum: ["USD", "EUR"] },
      customer: { type: "string" },
      contact: { type: "string", format: "email" },
      items: { type: "array", items: { type: "string" } },
      paid: { type: "boolean" },
    },
  };
  expect(await filled(INVOICE, schema)).toEqual({
    invoiceNumber: "INV-2026-17",
    date: "2026-03-03",
    total: 1250.5,
    currency: "EUR",
    customer: "Anna Schmidt",
    contact: "anna@example.org",
    items: ["desk", "chair", "lamp"],
    paid: false,
  });
});

test("numbers come from the answering sentence; nested objects and $refs are filled", async () => {
  const schema = {
    type: "object",
    required: ["holiday"],
    properties: { holiday: { $ref: "#/$defs/holiday" } },
    $defs: {
      holiday: {
        type: "object",
        required: ["days", "carriedOverUntil"],
        properties: {
          days: { type: "integer", minimum: 10 },
          carriedOverUntil: { type: "string", format: "date" },
        },
      },
    },
  };
  const value = await filled("How many days of holiday do I get?", schema, [HANDBOOK]);
  expect(value).toEqual({ holiday: { days: 26, carriedOverUntil: "2027-03-31" } });
});

test("a list of objects has one for each item", async () => {
  const item = {
    type: "object",
    required: ["name", "age"],
    properties: { name: { type: "string" }, age: { type: "integer" } },
  };
  const text = "List them.\n- Name: Ann Lee; Age: 31\n- Name: Bob Roy; Age: 42";
  expect(await filled(text, { type: "array", items: item })).toEqual([
    { name: "Ann Lee", age: 31 },
    { name: "Bob Roy", age: 42 },
  ]);
});

const asking = (x: unknown) => ({ type: "object", required: ["x"], properties: { x } });
const NOT_SAID = "Nothing of use is said here.";

test.each([
  [asking({ type: ["integer", "null"] }), { x: null }],
  [asking({ anyOf: [{ type: "null" }, { type: "boolean" }] }), { x: null }],
  [asking({ enum: ["a", null] }), { x: null }],
  [asking({ anyOf: [asking({ type: "integer" }), { type: "null" }] }), { x: null }],
  [asking({ type: "number", default: 7 }), { x: 7 }],
  [asking({ allOf: [{ default: 7 }] }), { x: 7 }],
  [asking({ const: 5 }), { x: 5 }],
  [asking({ type: "array", items: { type: "integer" } }), { x: [] }],
  [{ type: "object", properties: { x: { type: "integer" } } }, {}],
  [{ type: "object", properties: { next: { $ref: "#" } } }, { next: {} }],
])("what no sentence says is null, its default, or left out: %j", async (schema, expected) => {
  expect(await filled(NOT_SAID, schema)).toMatchObject(expected);
});

test.each([
  asking({ type: "integer", minimum: 5, maximum: 7 }),
  asking({ type: "string", minLength: 30 }),
  asking({ type: "boolean" }),
  { type: "object", required: ["x"], properties: { x: { type: "string", pattern: "^(a+)+!$" } } },
  asking({ enum: [1, 2] }),
  asking({ type: "string", format: "date-time" }),
  asking({ type: "array", minItems: 2, items: { type: "integer" } }),
  asking({ type: "array", minItems: 100_000_000, items: { type: "string" } }),
])("a value that must be there and is not said is an error: %j", async (schema) => {
  await expect(answer(NOT_SAID, [], schema)).rejects.toThrow(
    'embedded/extractive is no language model and found no sentence that gives a value for "x"',
  );
});

test("a column of one row gives its value; of several rows, none", async () => {
  const noticePeriod = { type: ["string", "null"] };
  const schema = { type: "object", required: ["noticePeriod"], properties: { noticePeriod } };
  const ask = (passage: string) => filled("What notice period is there?", schema, [passage]);
  const table = HANDBOOK.slice(HANDBOOK.indexOf("| Grade"));
  expect(await ask(table.slice(0, table.lastIndexOf("\n")))).toEqual({ noticePeriod: "4 weeks" });
  expect(await ask(table)).toEqual({ noticePeriod: null });
});
