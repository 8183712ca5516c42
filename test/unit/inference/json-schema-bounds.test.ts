import { expect, test } from "vitest";

import { readResponseSchema } from "../../../src/inference/response-schema.ts";
import { planOutput } from "../../../src/inference/structured-output.ts";

const MAX_CPU_MS = 2_000;

/** Runs within two seconds of processor time. */
function bounded<T>(work: () => T): T {
  const started = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
  return result;
}

const read = (schema: unknown) => bounded(() => readResponseSchema(JSON.stringify(schema)));

function planned(schema: unknown) {
  const found = read(schema);
  if (!found.ok) throw new Error(found.reason);
  return planOutput(found.schema);
}

const root = { $ref: "#" };
const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `a${at}`,
      { anyOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] },
    ]),
  );

test.each<[string, unknown, string]>([
  ["a root in a circle", { type: "object", anyOf: [root, root, root] }, "would never end"],
  [
    "two that refer to each other",
    {
      type: "object",
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { if: { $ref: "#/$defs/a" } } },
    },
    "would never end",
  ],
  ["many subschemas", { anyOf: Array.from({ length: 2_001 }, () => ({})) }, "2000 subschemas"],
  ["a long text", { type: "object", title: "é".repeat(33_000) }, "at most 64 KiB"],
  ["depth", JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`), "nested too deeply"],
  [
    "a back reference",
    { type: "object", patternProperties: { "^(a)\\1$": {} } },
    String.raw`the pattern ^(a)\1$ refers back`,
  ],
  [
    "large patterns together",
    {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 4 }, (_, at) => [`p${at}`, { pattern: `^.{${15_000 + at}}$` }]),
      ),
    },
    "too large together",
  ],
])("%s is refused, and the reason says so", (_what, schema, reason) => {
  const found = read(schema);
  expect(found.ok ? "accepted" : found.reason).toContain(reason);
});

const names = Array.from({ length: 6_000 }, (_, at) => `n${at}`);
const items = Array.from({ length: 8_000 }, (_, at) => ({ at, text: "x".repeat(20) }));

test.each<[string, unknown, unknown, boolean]>([
  [
    "a pattern with nested repeats",
    { type: "object", properties: { a: { pattern: "^(a+)+$" } } },
    { a: `${"a".repeat(50_000)}!` },
    false,
  ],
  [
    "names by a pattern with nested repeats",
    { type: "object", patternProperties: { "^(a+)+$": false } },
    { [`${"a".repeat(50_000)}!`]: 1 },
    true,
  ],
  [
    "a date in a pattern",
    { type: "object", properties: { a: { pattern: String.raw`^\d{4}-\d\d-\d\d$` } } },
    { a: "2026-11-22" },
    true,
  ],
  ["required names", { type: "object", required: names }, { n0: 1 }, false],
  [
    "required names that are there",
    { type: "object", required: names },
    Object.fromEntries(names.map((name) => [name, 1])),
    true,
  ],
  ["distinct objects", { type: "array", uniqueItems: true }, items, true],
  ["one object twice", { type: "array", uniqueItems: true }, [...items, items[0]], false],
  [
    "an address of the format url",
    { type: "object", properties: { a: { format: "url" } } },
    { a: `http://${"a".repeat(50_000)}!` },
    true,
  ],
  ["a circle through a property", { type: "object", properties: { a: root } }, { a: {} }, true],
])("%s: judged in bounded time", (_what, schema, value, isGood) => {
  const plan = planned(schema);
  const answer = JSON.stringify(value);
  expect(bounded(() => plan.read(answer)).ok).toBe(isGood);
});

const nestedIn = (depth: number, name: string) =>
  `${`{"${name}":`.repeat(depth)}{}${"}".repeat(depth)}`;

test.each<[string, unknown, string]>([
  [
    "branches that double at each level",
    { type: "object", properties: { a: { oneOf: [root, root] } } },
    nestedIn(60, "a"),
  ],
  [
    "references that double at each step",
    { type: "object", $ref: "#/$defs/a0", $defs: { ...chain(60), a60: { required: ["x"] } } },
    "{}",
  ],
  ["an answer that is nested too deeply", { type: "object" }, nestedIn(5_000, "a")],
  [
    "names asked for in many objects",
    { type: "array", items: { required: names } },
    JSON.stringify(Array.from({ length: 20_000 }, () => ({}))),
  ],
])("%s: the answer is given up with an error that says so", (_what, schema, answer) => {
  const plan = planned(schema);
  expect(() => bounded(() => plan.read(answer))).toThrow("takes too many steps");
});

test("an answer of many thoughts and fences is read in bounded time", () => {
  const plan = planned({ type: "object", required: ["a"] });
  const noise = `${"<think>".repeat(50_000)}${"```json\n{}\n```\n".repeat(20_000)}`;
  expect(bounded(() => plan.read(noise)).ok).toBe(false);
  expect(plan.read('<think>{"a":0}</think> {"a":1}')).toEqual({ ok: true, value: { a: 1 } });
});
