import { expect, test } from "vitest";

import type { Question } from "../../../src/db/evaluation/question-store.ts";
import {
  questionsAsCsv,
  questionsAsJsonLines,
} from "../../../src/evaluation/questions/export-questions.ts";
import { parseImport } from "../../../src/evaluation/questions/import-questions.ts";
import type { ImportFormat } from "../../../src/evaluation/questions/import-questions.ts";

const ofInference = { subjectKind: "inference" } as const;
const parse = (text: string, format: ImportFormat = "csv") =>
  parseImport(text, format, ofInference);
const plain = { answerCheck: null, answer: null, jsonSchema: null };

test("CSV with quotes, line ends and several passages of a question", () => {
  const csv = [
    "\uFEFFQuestion,file,passage",
    '"Who says ""no"", and when?",a.md,"two',
    'lines"',
    "",
    '"Who says ""no"", and when?",b.md,',
    "Plain?,c.md",
  ].join("\r\n");
  expect(parse(csv)).toEqual([
    {
      question: 'Who says "no", and when?',
      expected: [
        { file: "a.md", passage: "two\r\nlines" },
        { file: "b.md", passage: null },
      ],
      ...plain,
    },
    { question: "Plain?", expected: [{ file: "c.md", passage: null }], ...plain },
  ]);
});

test("empty lines above the header change nothing", () => {
  const expected = [{ file: "a.md", passage: null }];
  expect(parse("\n\nquestion;file\nA?;a.md")).toEqual([{ question: "A?", expected, ...plain }]);
});

test("JSON Lines with answers to check", () => {
  const line = { question: " How many? ", check: "json", answer: '{"days":26}' };
  expect(parse(`${JSON.stringify(line)}\n\n`, "jsonl")).toEqual([
    { ...plain, question: "How many?", expected: [], answerCheck: "json", answer: line.answer },
  ]);
});

test.each([
  ["question,file\nA?,a.md\n,b.md", "csv", /line 3: question must not be blank/],
  ['question,file\n"A\nB?",a.md\nC?,"c', "csv", /line 4: a quote is never closed/],
  ["question,fule\nA?,a.md", "csv", /line 1: column "fule" is not one of question/],
  ["file\na.md", "csv", /line 1: the column question is missing/],
  ["question,file\nA?,a.md,more", "csv", /line 2: has more cells/],
  ["question,passage\nA?,text", "csv", /line 2: passage needs a file/],
  ["question,file\nA?,", "csv", /line 2: file is required/],
  ["question,file,file\nA?,a.md,b.md", "csv", /line 1: the column file occurs twice/],
  [
    "question,check,answer\nA?,contains,1\nB?,equals,2\nA?,contains,3\nB?,contains,2\nB?,equals,2",
    "csv",
    /line 4: answer differs from an earlier line of this question[^;]*$/,
  ],
  [
    '{"question":"A?","check":"equals","answer":"a"}\n{"question":"A?","check":"equals","answer":"b"}',
    "jsonl",
    /line 2: answer differs/,
  ],
  ["question,check\nA?,contains", "csv", /line 2: answer and check must be set together/],
  ['{"question":"A?","expected":[]}', "jsonl", /line 1: expected is required/],
  ['\n{"question":', "jsonl", /line 2: is not valid JSON/],
  ['{"question":"A?","fiel":1}', "jsonl", /line 1: fiel is not one of question, expected/],
  ['{"question":"A?","check":"json","answer":"{"}', "jsonl", /line 1: answer must be JSON/],
  ['{"question":5}', "jsonl", /line 1: question must be a string$/],
  ["[]", "jsonl", /line 1: what it says must be an object$/],
  ['{"question":"A?","expected":[{"path":"x"}]}', "jsonl", /expected\[0\]\.file is required$/],
  ['{"question":"A?","check":"like"}', "jsonl", /check must be one of contains, equals/],
  [`question,file\nA?,${"a".repeat(5_000)}`, "csv", /line 2: file must have at most \d+ char/],
  ["question\n", "csv", /the file has no questions/],
  ["question,file\n,a.md\nB?,b.md\nC?,", "csv", /line 2: question must not be blank$/],
  ["question,file\nGr\uFFFDn?,a.md", "csv", /line 2: is not UTF-8/],
] as const)("an import says which line is wrong: %j", (text, format, message) => {
  expect(() => parse(text, format)).toThrow(message);
});

test.each([";", "\t"])("a spreadsheet's CSV is divided by %j", (delimiter) => {
  const row = (...cells: string[]) => cells.join(delimiter);
  const csv = [row("question", "file", "passage"), row("A, b?", "a.md", `"x${delimiter}y"`)];
  expect(parse(csv.join("\r\n"))).toEqual([
    { question: "A, b?", expected: [{ file: "a.md", passage: `x${delimiter}y` }], ...plain },
  ]);
});

test("a RAG's set checks no answers, and an import ends at the most questions", () => {
  const csv = "question,check,answer\nA?,contains,b";
  expect(() => parseImport(csv, "csv", { subjectKind: "rag" })).toThrow(/line 2: check/);
  const many = Array.from({ length: 1_001 }, (_, at) => `Q${at}?,a.md`).join("\n");
  expect(() => parse(`question,file\n${many}`)).toThrow(/line 1002: a set has at most 1000/);
});

test("what is exported is imported as it was, and no cell is a formula", () => {
  const questions = [
    {
      question: '=HYPERLINK("http://x")',
      expected: [
        { file: "-a.md", passage: "@one, two" },
        { file: "b.md", passage: null },
      ],
      answerCheck: "contains",
      answer: "+26",
      jsonSchema: null,
    },
    {
      question: "'=SUM(A1) is shown as text?",
      expected: [{ file: "'+plus.md", passage: "''-1" }],
      answerCheck: "contains",
      answer: "'@home",
      jsonSchema: null,
    },
    { question: "'quoted'", expected: [{ file: "c.md", passage: null }], ...plain },
  ] as const;
  const records = questions.map((question) => ({ ...question, id: "1", createdAt: 0 }));
  const csv = questionsAsCsv(records as unknown as Question[]);
  const cells = csv.split(/\r\n|,(?=")/).slice(1);
  expect(cells.filter((cell) => /^"?[=+\-@]/.test(cell))).toEqual([]);
  expect(parse(csv)).toEqual(questions);
  expect(parse(questionsAsJsonLines(records as unknown as Question[]), "jsonl")).toEqual(questions);
});
