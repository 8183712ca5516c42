import { expect, test } from "vitest";

import { extractiveChat } from "../../../../src/adapters/embedded/extractive-chat.ts";
import { lexicalReranker } from "../../../../src/adapters/embedded/lexical-reranker.ts";

/** The slowest takes half a second on a quick machine; where a bound is missing, minutes. */
const MAX_CPU_MS = 6_000;

async function cpuMsOf(work: () => PromiseLike<unknown>): Promise<number> {
  const started = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1_000;
}

async function answer(text: string, schema?: Record<string, unknown>): Promise<unknown> {
  return await extractiveChat().doGenerate({
    prompt: [{ role: "user", content: [{ type: "text", text }] }],
    ...(schema === undefined ? {} : { responseFormat: { type: "json", schema } }),
  });
}

const distinct = Array.from(
  { length: 90_000 },
  (_, at) => `w${((at * 7_919) % 50_000).toString(36)}${at % 10 === 9 ? "." : ""}`,
).join(" ");

const LONG_LINE_BEFORE_A_LIST = `What does -x do?\n\n${"w ".repeat(25_000)}:\n${"- a\n".repeat(12_000)}`;

const KEY = "a".repeat(24);
const withPassage = (source: string, text: string, request: string) =>
  `<passage-${KEY} n="1" source="${source}">\n${text}\n</passage-${KEY}>\n\n<request-${KEY}>\n${request}\n</request-${KEY}>`;

const ITEMS = "- a\n".repeat(1_400);
const FIGURES = withPassage(
  "a",
  `The tins ${"w 1 ".repeat(40_000)}:\n${ITEMS}`,
  "Which tins have 1 w?",
);
const OPTIONS = withPassage(
  "a",
  `-y opens the green tins of a red shop in a house ${"-z ".repeat(50_000)}:\n- -x\n${ITEMS}`,
  "What green tins of which red shop house opens -x?",
);

const names = ["a", "b", "c", "d"];
const branches = Object.fromEntries(names.map((name) => [name, { $ref: "#" }]));
const tree = { type: "object", properties: branches };
const thousands = Array.from({ length: 6_000 }, (_, at) => [
  `n${at}`,
  { type: ["string", "null"] },
]);
const object = {
  type: "object",
  properties: Object.fromEntries(thousands) as object,
  required: thousands.map(([name]) => name),
};
const dated = { type: "object", properties: { a: { type: "string", format: "date" } } };

test.each<[what: string, prompt: string, schema?: Record<string, unknown>]>([
  ["distinct words", distinct],
  ["a source with many dots", withPassage(`${".a".repeat(300_000)}!`, "x", "What?")],
  ["a list below a long line of figures", FIGURES],
  ["a list below a long line of options", OPTIONS],
  ["comments behind statements", `${"; //".repeat(24_000)}\u2028x`],
  ["one word", "a".repeat(650_000)],
  ["letters of two scripts", `How do I reset the flibber?\n\nflibber ${"жa".repeat(45_000)}`],
  ["paragraphs below a heading", `What is leave?\n\n# Leave\n\n${"a\n\n".repeat(200_000)}`],
  ["questions", "Why? ".repeat(130_000)],
  ["open links", "[](".repeat(210_000)],
  ["table rows", "| a | b |\n".repeat(65_000)],
  ["a long line before a list", LONG_LINE_BEFORE_A_LIST],
  ["passages that never end", `<passage-${"a".repeat(24)} n="1" source="">\n`.repeat(13_000)],
  ["a date in two scripts", `When is it due? It is due ${"жa".repeat(45_000)}`, dated],
])("a prompt is answered in bounded time: %s", async (_what, prompt, schema) => {
  expect(await cpuMsOf(() => answer(prompt, schema))).toBeLessThan(MAX_CPU_MS);
});

test.each<[what: string, prompt: string, schema: Record<string, unknown>]>([
  ["grows fourfold at each level", distinct, tree],
  ["has thousands of properties, over a long text,", "Leave is due. ".repeat(45_000), object],
])("a schema that %s is given up with an error", async (_what, prompt, schema) => {
  let thrown: unknown;
  const work = async () => {
    thrown = await answer(prompt, schema).catch((error: unknown) => error);
  };
  expect(await cpuMsOf(work)).toBeLessThan(MAX_CPU_MS);
  expect(String(thrown)).toContain("too many steps");
});

test("a query of a megabyte reranks in bounded time", async () => {
  const values = Array.from({ length: 100 }, () => "leave of absence ".repeat(2_000));
  const documents = { type: "text" as const, values };
  const { model } = lexicalReranker();
  const work = () => model.doRerank({ query: "leave ".repeat(170_000), documents });
  expect(await cpuMsOf(work)).toBeLessThan(MAX_CPU_MS);
});
