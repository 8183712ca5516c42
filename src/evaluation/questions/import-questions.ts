import "../../core/input/plain-issues.ts";

import type { z } from "zod";

import { invalid, tooLarge } from "../../core/errors.ts";
import { pathText } from "../../core/input/field-path.ts";
import { parseJson } from "../../core/input/parse-json.ts";
import type { QuestionContent } from "../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import { guessDelimiter, rowsOf } from "../../documents/formats/csv/delimited-rows.ts";
import { MAX_EXPECTED, MAX_IMPORT_BYTES, MAX_QUESTIONS } from "../limits.ts";
import { removeGuard } from "./export-questions.ts";
import { contentOfForm, problemWithQuestion, questionForm } from "./question-form.ts";

export type ImportFormat = "csv" | "jsonl";

const COLUMNS = ["question", "file", "passage", "check", "answer", "jsonSchema"] as const;
/** Characters of an unknown name that are shown. */
const NAME_SHOWN = 40;
/** Replaces bytes that were no UTF-8: a question with it would never be found. */
const UNDECODED = "\uFFFD";

const wrongLine = (line: number, problem: string) => invalid(`line ${line}: ${problem}`);

/** A question as a line gives it. */
type Line = { line: number; given: unknown };

/**
 * Rows of a CSV (first row: column names; rows of one question add up) or of JSON Lines.
 * @throws QuarryError `invalid`, which names the first wrong line; `too-large`
 */
export function parseImport(
  text: string,
  format: ImportFormat,
  set: Pick<QuestionSet, "subjectKind">,
): QuestionContent[] {
  if (new TextEncoder().encode(text).byteLength > MAX_IMPORT_BYTES) throw tooLarge();
  return parseQuestions(text, format, set);
}

/** Does the same for a text of any length. @throws QuarryError `invalid` */
export function parseQuestions(
  text: string,
  format: ImportFormat,
  set: Pick<QuestionSet, "subjectKind">,
): QuestionContent[] {
  const bare = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const byText = new Map<string, { line: number; asked: QuestionContent }>();
  for (const { line, given: fields } of format === "csv" ? csvLines(bare) : jsonLines(bare)) {
    const question = parseQuestion(fields, line, format);
    const existing = byText.get(question.question);
    const content = existing === undefined ? question : mergeRows(existing.asked, question, line);
    byText.set(question.question, { line: existing?.line ?? line, asked: content });
    if (byText.size > MAX_QUESTIONS) {
      throw wrongLine(line, `a set has at most ${MAX_QUESTIONS} questions`);
    }
  }
  for (const { line, asked: content } of byText.values()) {
    const wrong = problemWithQuestion(content, set);
    if (wrong !== null) throw wrongLine(line, `${displayedField(wrong, format)} ${wrong.problem}`);
  }
  if (byText.size === 0) throw invalid("the file has no questions");
  return Array.from(byText.values(), ({ asked: content }) => content);
}

const displayedField = ({ field }: { field: string }, format: ImportFormat) =>
  format === "csv" && field === "expected" ? "file" : field;

function mergeRows(existing: QuestionContent, addition: QuestionContent, line: number) {
  const expected = [...existing.expected, ...addition.expected];
  if (expected.length > MAX_EXPECTED) {
    throw wrongLine(line, `a question has at most ${MAX_EXPECTED} expected passages`);
  }
  for (const field of ["answerCheck", "answer", "jsonSchema"] as const) {
    if (existing[field] === null || addition[field] === null || existing[field] === addition[field])
      continue;
    const what = field === "answerCheck" ? "check" : field;
    throw wrongLine(line, `${what} differs from an earlier line of this question`);
  }
  return {
    question: addition.question,
    expected,
    answerCheck: existing.answerCheck ?? addition.answerCheck,
    answer: existing.answer ?? addition.answer,
    jsonSchema: existing.jsonSchema ?? addition.jsonSchema,
  };
}

function* csvLines(text: string): Generator<Line> {
  let names: string[] | null = null;
  let line = 1;
  let from = 0;
  const place = { at: 0, isInQuotes: false, hasStrayQuote: false };
  for (const cells of rowsOf(text, guessDelimiter(text), place)) {
    if (place.isInQuotes) throw wrongLine(line, "a quote is never closed");
    if (cells.some((cell) => cell.trim() !== "")) {
      refuseInvalidUtf8(cells.join(), line);
      if (names === null) names = columnNames(cells);
      else yield { line, given: rowOf(names, cells, line) };
    }
    line += text.slice(from, place.at + 1).split("\n").length - 1;
    from = place.at + 1;
  }
}

function rowOf(names: string[], cells: string[], line: number) {
  if (cells.length > names.length) throw wrongLine(line, "has more cells than the first line");
  const has = new Map(names.map((name, at) => [name, removeGuard(cells[at] ?? "").trim()]));
  const file = has.get("file") ?? "";
  const passage = has.get("passage") ?? "";
  if (file === "" && passage !== "") throw wrongLine(line, "passage needs a file");
  const cellOf = (name: string) => has.get(name) || undefined;
  return {
    question: has.get("question") ?? "",
    expected: file === "" ? [] : [{ file, passage: passage || undefined }],
    check: cellOf("check"),
    answer: cellOf("answer"),
    jsonSchema: cellOf("jsonSchema"),
  };
}

function refuseInvalidUtf8(text: string, line: number): void {
  if (text.includes(UNDECODED)) {
    throw wrongLine(line, "is not UTF-8: save the file with that encoding");
  }
}

function columnNames(cells: string[]): string[] {
  const columnNames = new Map(COLUMNS.map((name) => [name.toLowerCase(), name]));
  const names = cells.map((cell) => {
    const name = columnNames.get(cell.trim().toLowerCase());
    if (name !== undefined) return name;
    const cellText = JSON.stringify(cell.slice(0, NAME_SHOWN));
    throw wrongLine(1, `column ${cellText} is not one of ${COLUMNS.join(", ")}`);
  });
  if (!names.includes("question")) throw wrongLine(1, "the column question is missing");
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw wrongLine(1, `the column ${twice} occurs twice`);
  return names;
}

function* jsonLines(text: string): Generator<Line> {
  for (const [at, row] of text.split("\n").entries()) {
    if (row.trim() === "") continue;
    refuseInvalidUtf8(row, at + 1);
    const record = parseJson(row);
    if (record === undefined) throw wrongLine(at + 1, "is not valid JSON");
    yield { line: at + 1, given: record };
  }
}

const strictForm = questionForm.strict();

function parseQuestion(record: unknown, line: number, format: ImportFormat): QuestionContent {
  const { data, error } = strictForm.safeParse(record);
  if (data !== undefined) return contentOfForm(data);
  const [issue] = error.issues;
  throw wrongLine(line, issue === undefined ? "is not valid" : describeIssue(issue, format));
}

function describeIssue(issue: z.core.$ZodIssue, format: ImportFormat): string {
  if (issue.code === "unrecognized_keys") {
    const fieldNames = Object.keys(questionForm.shape).join(", ");
    return `${issue.keys.join(", ").slice(0, NAME_SHOWN)} is not one of ${fieldNames}`;
  }
  // A cell stands in a column, not in a list of objects.
  const path = format === "csv" ? issue.path.slice(-1) : issue.path;
  return `${pathText(path, "what it says")} ${issue.message}`;
}
