import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";

import { extractiveChat } from "../../../../src/adapters/embedded/extractive-chat.ts";
import {
  newDelimiterKey,
  writePassages,
  writeRequest,
} from "../../../../src/text/prompt-delimiters.ts";
import { readResponseSchema } from "../../../../src/inference/response-schema.ts";

const HANDBOOK = `# Leave

Everyone is welcome here.

## Holiday

Full-time employees get 26 days of paid holiday a year. Up to 5 days may be carried over until
31 March 2027. Unused days are not paid out.

## Sickness

Call your manager before 9:30 on the first day.

| Grade | Notice period |
| --- | --- |
| Junior | 4 weeks |
| Senior | 3 months |`;

type Tools = NonNullable<LanguageModelV4CallOptions["tools"]>;

function promptOf(request: string, passages: string[]): LanguageModelV4CallOptions["prompt"] {
  const key = newDelimiterKey();
  const found = writePassages(
    passages.map((text) => ({ source: "leave.md", text })),
    key,
  );
  const text = passages.length === 0 ? request : `${found}\n\n${writeRequest(request, key)}`;
  return [{ role: "user", content: [{ type: "text", text }] }];
}

async function answer(request: string, passages: string[] = [], schema?: unknown): Promise<string> {
  const { content } = await extractiveChat().doGenerate({
    prompt: promptOf(request, passages),
    ...(schema === undefined
      ? {}
      : { responseFormat: { type: "json", schema: schema as Record<string, unknown> } }),
  });
  const [part] = content;
  return part?.type === "text" ? part.text : "";
}

async function filled(request: string, schema: unknown, passages: string[] = []): Promise<unknown> {
  const value = JSON.parse(await answer(request, passages, schema)) as unknown;
  const read = readResponseSchema(JSON.stringify(schema));
  expect(read.ok && read.schema.findings(value)).toEqual([]);
  return value;
}

test.each([
  ["How many days of holiday do I get?", "26 days of paid holiday"],
  ["When must I call if I am sick?", "before 9:30"],
  ["Are unused days paid out?", "not paid out"],
  ["What notice period has a senior?", "3 months"],
])("%s", async (question, expected) => {
  const said = await answer(question, [HANDBOOK]);
  expect(said.split(/(?<=\.)\s/)[0]).toContain(expected);
});

test("what the passages do not know is said so, and not made up", async () => {
  expect(await answer("Quantum chromodynamics?", [HANDBOOK])).toBe(
    "The documents that were found say nothing about this.",
  );
});

test("the answer is the same at every call", async () => {
  const all = await Promise.all([1, 2, 3].map(() => answer("holiday days", [HANDBOOK])));
  expect(new Set(all).size).toBe(1);
});

const INVOICE = `Extract the invoice.
Invoice number: INV-2026-17. Date: 3 March 2026. Total: 1,250.50 EUR.
Customer: Anna Schmidt. Contact: anna@example.org. Items: desk, chair and lamp. Paid: no.`;

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

test("numbers in words are read whole", async () => {
  const schema = {
    type: "object",
    required: ["days", "weeks"],
    properties: { days: { type: "integer" }, weeks: { type: "integer" } },
  };
  const passage =
    "Everybody has twenty-eight days of leave. Leave is asked for fourteen weeks ahead.";
  expect(await filled("How much leave is there?", schema, [passage])).toEqual({
    days: 28,
    weeks: 14,
  });
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

test.each([
  {
    type: "object",
    required: ["x"],
    properties: { x: { type: "integer", minimum: 5, maximum: 7 } },
  },
  { type: "object", required: ["x"], properties: { x: { type: "number", exclusiveMinimum: 0 } } },
  { type: "object", required: ["x"], properties: { x: { type: "string", minLength: 30 } } },
  { type: "object", required: ["x"], properties: { x: { type: "string", maxLength: 3 } } },
  { type: "object", required: ["x"], properties: { x: { type: ["integer", "null"] } } },
  { type: "object", required: ["x"], properties: { x: { const: 5 } } },
  { type: "object", required: ["x"], properties: { x: { enum: [1, 2] } } },
  { type: "object", required: ["x"], properties: { x: { type: "string", format: "date-time" } } },
  { type: "object", required: ["x"], properties: { x: { type: "string", format: "uuid" } } },
  {
    type: "object",
    required: ["x"],
    properties: { x: { type: "array", minItems: 2, items: { type: "integer" } } },
  },
  {
    type: "object",
    required: ["x"],
    properties: { x: { anyOf: [{ type: "null" }, { type: "boolean" }] } },
  },
  { allOf: [{ type: "object", required: ["a"] }, { properties: { a: { type: "string" } } }] },
  { type: "object", properties: { next: { $ref: "#" } } },
  {
    type: "array",
    prefixItems: [{ type: "integer" }, { type: "string" }],
    items: false,
    minItems: 2,
  },
])("the least that a schema demands is there without any evidence: %j", async (schema) => {
  await filled("Nothing of use is said here.", schema);
});

const search: Tools[number] = {
  type: "function",
  name: "search_handbook",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

test("given tools it searches with the prompt first, and answers from what was found", async () => {
  const model = extractiveChat();
  const prompt = promptOf("How many days of holiday do I get?", []);
  const first = await model.doGenerate({ prompt, tools: [search] });
  expect(first.content).toEqual([
    {
      type: "tool-call",
      toolCallId: "call-1",
      toolName: "search_handbook",
      input: '{"query":"How many days of holiday do I get?"}',
    },
  ]);
  const found = writePassages([{ source: "leave.md", text: HANDBOOK }], newDelimiterKey());
  const toolName = "search_handbook";
  const output = { type: "text" as const, value: found };
  const second = await model.doGenerate({
    prompt: [
      ...prompt,
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call-1", toolName, output }] },
    ],
    tools: [search],
  });
  expect(second.content[0]).toMatchObject({ type: "text" });
  expect(JSON.stringify(second.content)).toContain("26 days of paid holiday");
});

test("told not to use tools it answers at once", async () => {
  const { content } = await extractiveChat().doGenerate({
    prompt: promptOf("Is it late? It is late.", []),
    tools: [search],
    toolChoice: { type: "none" },
  });
  expect(content).toEqual([{ type: "text", text: "It is late." }]);
});

test("a schema that asks for millions gets no more than a bounded answer", async () => {
  const many = { type: "array", items: { type: "string" }, minItems: 100_000_000 };
  const long = { type: "string", minLength: 100_000_000 };
  const schema = { type: "object", properties: { many, long }, required: ["many", "long"] };
  const { many: items, long: text } = JSON.parse(await answer("Holiday?", [HANDBOOK], schema)) as {
    many: string[];
    long: string;
  };
  expect(items.length).toBe(1_000);
  expect(text.length).toBe(10_000);
});
