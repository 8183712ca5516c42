import { extractiveChat } from "../../src/adapters/embedded/extractive-chat.ts";
import { hashEmbedding } from "../../src/adapters/embedded/hash-embedder.ts";
import { lexicalReranker } from "../../src/adapters/embedded/lexical-reranker.ts";
import { Budget } from "../../src/core/work/step-budget.ts";
import { chunkDocument } from "../../src/documents/chunking/chunk-document.ts";
import { extractDocument } from "../../src/documents/extract-document.ts";
import {
  importedQuestions,
  type ImportFormat,
} from "../../src/evaluation/questions/import-questions.ts";
import { readResponseSchema } from "../../src/inference/response-schema.ts";
import { planOutput } from "../../src/inference/structured-output.ts";
import { queryTerms } from "../../src/rag-index/search/query-terms.ts";
import { parseListing } from "../../src/sources/object-storage/parse-listing.ts";
import { readDirectives, parseRobots, robotsAllow } from "../../src/sources/web/site/robots.ts";
import { readHtmlPage } from "../../src/sources/web/pages/html-page.ts";
import { readSitemap } from "../../src/sources/web/site/load-site.ts";
import { urlFilter } from "../../src/sources/web/frontier.ts";
import { linearPattern } from "../../src/text/linear-pattern/linear-pattern.ts";
import { HOSTILE_FILES } from "./hostile-files.ts";

/** Work that a stranger's input asks for; it may well end in a refusal. */
export type HostileWork = { kind: string; what: string; run: () => unknown };
type Named<Input extends unknown[]> = [what: string, ...input: Input];

const root = { $ref: "#" };
const circle = { a: root, b: root, c: root, d: root };
const names = Array.from({ length: 6_000 }, (_, at) => `n${at}`);
const items = Array.from({ length: 8_000 }, (_, at) => ({ at, text: "x".repeat(20) }));
const distinct = Array.from(
  { length: 90_000 },
  (_, at) => `w${((at * 7_919) % 50_000).toString(36)}`,
);
const nested = (depth: number) => `${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}`;
const doubling = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [
    `a${at}`,
    { anyOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] },
  ]),
);

const SCHEMAS: Named<[schema: unknown]>[] = [
  ["a root in a circle", { type: "object", anyOf: [root, root, root] }],
  ["a reference to itself", { type: "object", allOf: [root] }],
  ["2,001 subschemas", { anyOf: Array.from({ length: 2_001 }, () => ({})) }],
  ["a text of 1 MB", { type: "object", title: "x".repeat(1_000_000) }],
  ["depth", JSON.parse(nested(1_000))],
  ["a pattern that refers back", { type: "object", patternProperties: { "^(a+)\\1$": {} } }],
  [
    "large patterns together",
    {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 4 }, (_, at) => [`p${at}`, { pattern: `^.{${15_000 + at}}$` }]),
      ),
    },
  ],
];

const long = "a".repeat(50_000);
const ANSWERS: Named<[schema: unknown, answer: unknown]>[] = [
  ["a pattern of nested repeats", { properties: { a: { pattern: "^(a+)+$" } } }, { a: `${long}!` }],
  ["names by nested repeats", { patternProperties: { "^(a+)+$": false } }, { [`${long}!`]: 1 }],
  ["looking ahead", { properties: { a: { pattern: "(?=.*y)x$" } } }, { a: "x".repeat(100_000) }],
  ["required names", { required: names }, { n0: 1 }],
  ["distinct objects", { type: "array", uniqueItems: true }, items],
  ["a long url", { properties: { a: { format: "url" } } }, { a: `http://${long}!` }],
  ["branches that double", { properties: { a: { oneOf: [root, root] } } }, JSON.parse(nested(60))],
  ["references that double", { $ref: "#/$defs/a0", $defs: { ...doubling, a60: {} } }, {}],
  ["required names, often", { type: "array", items: { required: names } }, items],
];

const PATTERNS: Named<[source: string, text: string]>[] = [
  ["nested repeats", "^(a+)+$", `${long}!`],
  ["adjacent repeats", "(x+x+)+y", "x".repeat(50_000)],
  ["words and spaces", String.raw`^(\w+\s?)*$`, `${"word ".repeat(10_000)}!`],
  ["a counted repeat of a counted repeat", "^((a{1,90}){1,90}){1,9}$", long],
];

const ROBOTS: Named<[text: string]>[] = [
  ["spaces before a line separator", `a:${" ".repeat(400_000)}#\u2028\n`.repeat(2)],
  ["one line of 500 KB", `Disallow: /${"a*".repeat(250_000)}`],
  ["thousands of wildcard rules", `Disallow: /${"*a".repeat(200)}$\n`.repeat(1_200)],
  ["thousands of groups", "User-agent: *\nDisallow: /x\n".repeat(18_000)],
];

const LINE_BEFORE_A_LIST = `What does -x do?\n\n${"w ".repeat(25_000)}:\n${"- a\n".repeat(12_000)}`;

const PROMPTS: Named<[text: string, schema?: Record<string, unknown>]>[] = [
  ["distinct words", distinct.join(" ")],
  ["sentences", "Leave is thirty days. ".repeat(29_500)],
  ["one word", "a".repeat(650_000)],
  ["letters that unfold", "\ufdfa".repeat(250_000), { type: "object", properties: { a: {} } }],
  ["questions", "Why? ".repeat(130_000)],
  ["open links", "[](".repeat(210_000)],
  ["table rows", "| a | b |\n".repeat(65_000)],
  ["a long line before a list", LINE_BEFORE_A_LIST],
  ["passages", `<passage-${"a".repeat(24)} n="1" source="">\n`.repeat(13_000)],
  [
    "a growing schema",
    "hi",
    { type: "object", properties: circle, required: ["a", "b", "c", "d"] },
  ],
  [
    "a pattern",
    long,
    { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$!" } } },
  ],
];

const QUERIES: Named<[text: string]>[] = [
  ["distinct words", distinct.join(" ")],
  ["letters that unfold", "\ufdfa".repeat(300_000)],
  ["marks on one letter", `e${"\u0301".repeat(300_000)}`],
  ["one word", "a".repeat(1_000_000)],
];

const quotes = '""'.repeat(500_000);
const IMPORTS: Named<[text: string, format: ImportFormat]>[] = [
  ["one cell of quotes", `question\n"${quotes}"`, "csv"],
  ["lines that are none", "x\n".repeat(500_000), "jsonl"],
  ["one question on every line", `question\n${"A?\n".repeat(340_000)}`, "csv"],
  ["empty lines", "\n".repeat(1_000_000), "csv"],
];

const PAGES: Named<[html: string]>[] = [
  ["deep elements", "<div>".repeat(200_000)],
  ["open tags", "<a href='".repeat(100_000)],
  ["comments", "<!--".repeat(200_000)],
  ["addresses", '<a href="/a//////b?c=d">x</a>'.repeat(40_000)],
];

const utf8 = (text: string) => new TextEncoder().encode(text);

function checkAnswer(schema: unknown, answer: unknown): unknown {
  const type = Array.isArray(answer) ? "array" : "object";
  const read = readResponseSchema(JSON.stringify({ type, ...(schema as object) }));
  return read.ok && planOutput(read.schema).read(JSON.stringify(answer));
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
function search(text: string): unknown {
  const query = text.slice(0, SEARCHED_CHARACTERS);
  return [queryTerms(query, { estimate: () => 1, shareOf: () => 1 }), hashEmbedding(query, 256)];
}

async function readAndCut(name: string, bytes: Uint8Array): Promise<unknown> {
  const document = await extractDocument({ name, mimeType: null, bytes });
  const settings = {
    chunkSize: 400,
    chunkOverlap: 60,
    tokenizer: "unknown",
    fileName: name,
  } as const;
  return chunkDocument(document, settings);
}

const work =
  <Input extends unknown[]>(kind: string, run: (...input: Input) => unknown) =>
  ([what, ...input]: Named<Input>): HostileWork => ({ kind, what, run: () => run(...input) });

const page = new URL(`https://x.test/${"a".repeat(2_000)}b`);
const patterns = Array.from({ length: 100 }, () => `/${"*a".repeat(150)}x`);

export const HOSTILE_CALLS_WORK: HostileWork[] = [
  ...SCHEMAS.map(work("schema", (schema) => readResponseSchema(JSON.stringify(schema)))),
  ...ANSWERS.map(work("answer by a schema", checkAnswer)),
  ...PATTERNS.map(
    work("pattern", (source, text) => {
      const pattern = linearPattern(source);
      return pattern.ok && pattern.test(text, new Budget(4_000_000));
    }),
  ),
  ...PROMPTS.map(work("embedded model", answer)),
  ...QUERIES.map(work("query", search)),
  ...QUERIES.map(work("reranked query", rerank)),
  ...IMPORTS.map(
    work("import of questions", (text, format) =>
      importedQuestions(text, format, { subjectKind: "rag" }),
    ),
  ),
  ...ROBOTS.map(
    work("robots.txt", (text) => robotsAllow(parseRobots(`User-agent: *\n${text}`, "q"), page)),
  ),
  ...PAGES.map(work("web page", readHtmlPage)),
  {
    kind: "web page",
    what: "robots directives",
    run: () => readDirectives("noindex,".repeat(100_000)),
  },
  {
    kind: "web page",
    what: "patterns",
    run: () => urlFilter({ include: patterns, exclude: patterns })(page),
  },
  {
    kind: "listing of a bucket",
    what: "open elements",
    run: () => parseListing("<ListBucketResult><Contents>".repeat(50_000)),
  },
  {
    kind: "sitemap",
    what: "open elements",
    run: async () =>
      await readSitemap(utf8("<urlset><url><loc>".repeat(50_000)), new AbortController().signal),
  },
];

export const HOSTILE_DOCUMENTS_WORK: HostileWork[] = HOSTILE_FILES.map(([name, bytes]) => ({
  kind: name.split(".").at(-1) ?? "",
  what: name,
  run: async () => await readAndCut(name, bytes.slice()),
}));
