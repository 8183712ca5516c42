import { describe, expect, test } from "vitest";

import { extractiveChat } from "../../src/adapters/embedded/extractive-chat.ts";
import { hashEmbedding } from "../../src/adapters/embedded/hash-embedder.ts";
import { lexicalReranker } from "../../src/adapters/embedded/lexical-reranker.ts";
import { runToEnd } from "../../src/core/work/cooperative.ts";
import { Budget } from "../../src/core/work/step-budget.ts";
import { parseImport, type ImportFormat } from "../../src/evaluation/questions/import-questions.ts";
import { readResponseSchema } from "../../src/inference/response-schema.ts";
import { planOutput } from "../../src/inference/structured-output.ts";
import { queryTerms } from "../../src/rag-index/search/query-terms.ts";
import { parseListing } from "../../src/sources/object-storage/object-listing.ts";
import { urlFilter } from "../../src/sources/web/frontier.ts";
import { readHtmlPage } from "../../src/sources/web/pages/html-page.ts";
import { readSitemap } from "../../src/sources/web/site/load-site.ts";
import { readDirectives, parseRobots, robotsAllow } from "../../src/sources/web/site/robots.ts";
import { linearPattern } from "../../src/text/linear-pattern/linear-pattern.ts";
import { unitsOf } from "../support/growth/growth.ts";

/** The name, the end where it is reported (a refusal or a result), and the input. */
type Named<Input extends unknown[]> = [what: string, end: RegExp, ...input: Input];
const ANY = /^/;
/**
 * Processor time, in units of the reference: the slowest takes 100; where a bound is missing, it
 * takes minutes, which are thousands.
 */
const LIMIT_UNITS = 500;
const STEPS = /takes too many steps/;

const root = { $ref: "#" };
const circle = { a: root, b: root, c: root, d: root };
const names = Array.from({ length: 6_000 }, (_, at) => `n${at}`);
const items = Array.from({ length: 8_000 }, (_, at) => ({ at, text: "x".repeat(20) }));
const distinct = Array.from(
  { length: 90_000 },
  (_, at) => `w${((at * 7_919) % 50_000).toString(36)}${at % 10 === 9 ? "." : ""}`,
).join(" ");
const nested = (depth: number) =>
  JSON.parse(`${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}`) as unknown;
const doubling = Object.fromEntries(
  Array.from({ length: 61 }, (_, at) => {
    const next = { $ref: `#/$defs/a${at + 1}` };
    return [`a${at}`, at === 60 ? { required: ["x"] } : { anyOf: [next, next] }];
  }),
);

const SCHEMAS: Named<[schema: unknown]>[] = [
  ["a root in a circle", /would never end/, { type: "object", anyOf: [root, root, root] }],
  ["a reference to itself", /would never end/, { type: "object", allOf: [root] }],
  [
    "two that refer to each other",
    /would never end/,
    {
      type: "object",
      $ref: "#/$defs/a",
      $defs: { a: { $ref: "#/$defs/b" }, b: { if: { $ref: "#/$defs/a" } } },
    },
  ],
  ["subschemas", /2000 subschemas/, { anyOf: Array.from({ length: 2_001 }, () => ({})) }],
  ["a long text", /at most 64 KiB/, { type: "object", title: "é".repeat(33_000) }],
  ["a text of 1 MB", /at most 64 KiB/, { type: "object", title: "x".repeat(1_000_000) }],
  ["depth", /nested too deeply/, nested(1_000)],
  [
    "a pattern that refers back",
    /the pattern \^\(a\)\\1\$ refers back/,
    { type: "object", patternProperties: { "^(a)\\1$": {} } },
  ],
  [
    "large patterns together",
    /too large together/,
    {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 4 }, (_, at) => [`p${at}`, { pattern: `^.{${15_000 + at}}$` }]),
      ),
    },
  ],
];

const long = "a".repeat(50_000);
const GOOD = /^true$/;
const BAD = /^false$/;
const date = String.raw`^\d{4}-\d\d-\d\d$`;
const ANSWERS: Named<[schema: object, answer: unknown]>[] = [
  ["nested repeats", BAD, { properties: { a: { pattern: "^(a+)+$" } } }, { a: `${long}!` }],
  ["names by them", GOOD, { patternProperties: { "^(a+)+$": false } }, { [`${long}!`]: 1 }],
  ["a date in a pattern", GOOD, { properties: { a: { pattern: date } } }, { a: "2026-11-22" }],
  ["required names", BAD, { required: names }, { n0: 1 }],
  [
    "required names that are there",
    GOOD,
    { required: names },
    Object.fromEntries(names.map((name) => [name, 1])),
  ],
  ["distinct objects", GOOD, { type: "array", uniqueItems: true }, items],
  ["one object twice", BAD, { type: "array", uniqueItems: true }, [...items, items[0]]],
  ["a long url", GOOD, { properties: { a: { format: "url" } } }, { a: `http://${long}!` }],
  ["a circle through a property", GOOD, { properties: { a: root } }, { a: {} }],
  ["branches that double", STEPS, { properties: { a: { oneOf: [root, root] } } }, nested(60)],
  ["references that double", STEPS, { $ref: "#/$defs/a0", $defs: doubling }, {}],
  ["a deep answer", STEPS, {}, nested(1_000)],
  [
    "required names, often",
    STEPS,
    { type: "array", items: { required: names } },
    Array.from({ length: 20_000 }, () => ({})),
  ],
];

const PATTERNS: Named<[source: string, text: string]>[] = [
  ["nested repeats", BAD, "^(a+)+$", `${long}!`],
  ["adjacent repeats", BAD, "(x+x+)+y", "x".repeat(50_000)],
  ["words and spaces", BAD, String.raw`^(\w+\s?)*$`, `${"word ".repeat(10_000)}!`],
  ["a counted repeat of a counted repeat", ANY, "^((a{1,90}){1,90}){1,9}$", long],
];

/** Lines over which a pattern with adjacent repeats would never come to an end. */
const SPACES = `a:${" ".repeat(400_000)}#\u2028\n`.repeat(2);
const ROBOTS: Named<[text: string]>[] = [
  ["spaces before a line separator", BAD, `${SPACES}Disallow: /a # private\n${SPACES}`],
  ["rules of others among them", GOOD, `${SPACES}Disallow: /x # private\n${SPACES}`],
  ["one line of 500 KB", ANY, `Disallow: /${"a*".repeat(250_000)}`],
  ["thousands of wildcard rules", ANY, `Disallow: /${"*a".repeat(200)}$\n`.repeat(1_200)],
  ["thousands of groups", ANY, "User-agent: *\nDisallow: /x\n".repeat(18_000)],
];

const LINE_BEFORE_A_LIST = `What does -x do?\n\n${"w ".repeat(25_000)}:\n${"- a\n".repeat(12_000)}`;
const KEY = "a".repeat(6);
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
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const thousands = Object.fromEntries(names.map((name) => [name, { type: ["string", "null"] }]));
const DATED = object({ a: { type: "string", format: "date" } });
const SCRIPTS = "жa".repeat(45_000);

const PROMPTS: Named<[text: string, schema?: Record<string, unknown>]>[] = [
  ["distinct words", ANY, distinct],
  ["sentences", ANY, "Leave is thirty days. ".repeat(29_500)],
  ["one word", ANY, "a".repeat(650_000)],
  ["letters that unfold", ANY, "\ufdfa".repeat(250_000), object({ a: {} })],
  ["letters of two scripts", ANY, `How do I reset the flibber?\n\nflibber ${SCRIPTS}`],
  ["a date in two scripts", ANY, `When is it due? It is due ${SCRIPTS}`, DATED],
  ["a source with many dots", ANY, withPassage(`${".a".repeat(300_000)}!`, "x", "What?")],
  ["a list below a long line of figures", ANY, FIGURES],
  ["a list below a long line of options", ANY, OPTIONS],
  ["comments behind statements", ANY, `${"; //".repeat(24_000)}\u2028x`],
  ["paragraphs below a heading", ANY, `What is leave?\n\n# Leave\n\n${"a\n\n".repeat(200_000)}`],
  ["questions", ANY, "Why? ".repeat(130_000)],
  ["open links", ANY, "[](".repeat(210_000)],
  ["table rows", ANY, "| a | b |\n".repeat(65_000)],
  ["a long line before a list", ANY, LINE_BEFORE_A_LIST],
  ["passages that never end", ANY, `<passage-${KEY} n="1" source="">\n`.repeat(13_000)],
  ["a schema that grows fourfold at each level", /too many steps/, distinct, object(circle)],
  [
    "thousands of properties",
    /too many steps/,
    "Leave is due. ".repeat(45_000),
    object(thousands, { required: names }),
  ],
  ["a pattern", ANY, long, object({ a: { type: "string", pattern: "^(a+)+$!" } })],
];

const QUERIES: Named<[text: string]>[] = [
  ["distinct words", ANY, distinct],
  ["letters that unfold", ANY, "\ufdfa".repeat(300_000)],
  ["marks on one letter", ANY, `e${"\u0301".repeat(300_000)}`],
  ["one word", ANY, "a".repeat(1_000_000)],
  ["words", ANY, "leave ".repeat(170_000)],
];

const quotes = '""'.repeat(500_000);
const IMPORTS: Named<[text: string, format: ImportFormat]>[] = [
  ["one cell of quotes", ANY, `question\n"${quotes}"`, "csv"],
  ["lines that are none", ANY, "x\n".repeat(500_000), "jsonl"],
  ["one question on every line", ANY, `question\n${"A?\n".repeat(340_000)}`, "csv"],
  ["empty lines", ANY, "\n".repeat(1_000_000), "csv"],
];

const PAGES: Named<[html: string]>[] = [
  ["deep elements", ANY, "<div>".repeat(200_000)],
  ["open tags", ANY, "<a href='".repeat(100_000)],
  ["comments", ANY, "<!--".repeat(200_000)],
  ["addresses", ANY, '<a href="/a//////b?c=d">x</a>'.repeat(40_000)],
];

const utf8 = (text: string) => new TextEncoder().encode(text);

function checkAnswer(schema: object, answer: unknown): unknown {
  const type = Array.isArray(answer) ? "array" : "object";
  const result = readResponseSchema(JSON.stringify({ type, ...schema }));
  if (!result.ok) throw new Error(result.reason);
  return planOutput(result.schema).read(JSON.stringify(answer)).ok;
}

async function answer(text: string, schema?: Record<string, unknown>): Promise<unknown> {
  return await extractiveChat().doGenerate({
    prompt: [{ role: "user", content: [{ type: "text", text }] }],
    ...(schema === undefined ? {} : { responseFormat: { type: "json", schema } }),
  });
}

async function rerank(query: string): Promise<unknown> {
  const values = Array.from({ length: 100 }, () => "leave of absence ".repeat(2_000));
  return await lexicalReranker().model.doRerank({ query, documents: { type: "text", values } });
}

/** A search cuts its queries before any of this. */
const SEARCHED_CHARACTERS = 16_384;
const KNOWN = { estimate: () => 1, shareOf: () => 1, chunks: () => 1_000 };

function search(text: string): unknown {
  const query = text.slice(0, SEARCHED_CHARACTERS);
  return [queryTerms(query, KNOWN), hashEmbedding(query, 256)];
}

const work =
  <Input extends unknown[]>(run: (...input: Input) => unknown) =>
  ([what, end, ...input]: Named<Input>) => ({ what, end, run: () => run(...input) });

const page = new URL(`https://x.test/${"a".repeat(2_000)}b`);
const patterns = Array.from({ length: 100 }, () => `/${"*a".repeat(150)}x`);

const WORK = {
  schema: SCHEMAS.map(
    work((schema) => {
      const result = readResponseSchema(JSON.stringify(schema));
      return result.ok ? "accepted" : result.reason;
    }),
  ),
  "answer by a schema": ANSWERS.map(work(checkAnswer)),
  pattern: PATTERNS.map(
    work((source, text) => linearPattern(source).test(text, new Budget(4_000_000))),
  ),
  "embedded model": PROMPTS.map(work(answer)),
  query: QUERIES.map(work(search)),
  "reranked query": QUERIES.map(work(rerank)),
  "import of questions": IMPORTS.map(
    work((text, format) => parseImport(text, format, { subjectKind: "rag" })),
  ),
  "robots.txt": ROBOTS.map(
    work((text) => robotsAllow(parseRobots(`User-agent: *\n${text}`, "quarry"), page)),
  ),
  "web page": PAGES.map(work((html: string) => runToEnd(readHtmlPage(html)))),
  "robots directives": [work(readDirectives)(["many", ANY, "noindex,".repeat(100_000)])],
  "address filter": [
    work((path: URL) => urlFilter({ include: patterns, exclude: patterns })(path))([
      "wildcards",
      ANY,
      page,
    ]),
  ],
  "listing of a bucket": [
    work((text: string) => runToEnd(parseListing(text)))([
      "open elements",
      ANY,
      "<ListBucketResult><Contents>".repeat(50_000),
    ]),
  ],
  sitemap: [
    work((text: string) => readSitemap(utf8(text), new AbortController().signal))([
      "open elements",
      /^null$/,
      "<urlset><url><loc>".repeat(50_000),
    ]),
  ],
};

/** Returns the work's result, or why it was given up. */
const endOf = async (run: () => unknown) => {
  try {
    const result = await run();
    return typeof result === "string" ? result : JSON.stringify(result ?? null);
  } catch (thrown) {
    return String(thrown);
  }
};

describe.each(Object.entries(WORK))("a hostile %s ends soon", (_kind, all) => {
  test.each(all)("$what", async ({ end, run }) => {
    let outcome = "";
    const units = await unitsOf(async () => (outcome = await endOf(run)));
    expect(outcome).toMatch(end);
    expect(units).toBeLessThan(LIMIT_UNITS);
  });
});
