import type { z } from "zod";

import { invalid, tooLarge } from "../../core/errors.ts";
import { pathText } from "../../core/field-path.ts";
import { sentenceOf } from "../../core/issue-sentence.ts";
import type { QuestionContent } from "../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import { EXPECTED_MAX, IMPORT_MAX_BYTES, QUESTIONS_MAX } from "../limits.ts";
import { withoutGuard } from "./export-questions.ts";
import { askedOf, problemWithQuestion, questionForm } from "./question-form.ts";
import { ImportProblem, readCsv } from "./read-csv.ts";

export type ImportFormat = "csv" | "jsonl";

const COLUMNS = ["question", "file", "passage", "check", "answer", "jsonSchema"] as const;

/** What is wrong with a file is told of so many lines at once; the rest is not read. */
const PROBLEMS_MAX = 10;

/** Characters of an unknown name that are shown. */
const NAME_SHOWN = 40;

/**
 * The questions of a CSV file (first row: names of columns; rows of the same question add up) or
 * of JSON Lines.
 * @throws QuarryError `invalid` that says for each line what is wrong, 10 at most; `too-large`.
 */
export function importedQuestions(
  text: string,
  format: ImportFormat,
  set: Pick<QuestionSet, "subjectKind">,
): QuestionContent[] {
  if (new TextEncoder().encode(text).byteLength > IMPORT_MAX_BYTES) throw tooLarge();
  const bare = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const problems: ImportProblem[] = [];
  const byText = readAll(format === "csv" ? csvLines(bare) : jsonLines(bare), problems);
  for (const { line, asked } of byText.values()) {
    if (problems.length < PROBLEMS_MAX)
      recordProblem(problems, () => refuseWrong(asked, line, { set, format }));
  }
  if (problems.length > 0) throw invalid(inWords(problems));
  if (byText.size === 0) throw invalid("the file has no questions");
  return [...byText.values()].map(({ asked }) => asked);
}

/** A line whose reading throws an ImportProblem when something is wrong with it. */
type Line = { line: number; read: () => QuestionContent };
type ByText = Map<string, { line: number; asked: QuestionContent }>;

function readAll(lines: Iterable<Line>, problems: ImportProblem[]): ByText {
  const byText: ByText = new Map();
  recordProblem(problems, () => {
    for (const { line, read } of lines) {
      recordProblem(problems, () => {
        const asked = read();
        const known = byText.get(asked.question);
        byText.set(asked.question, {
          line: known?.line ?? line,
          asked: merged(known?.asked, asked, line),
        });
      });
      if (byText.size > QUESTIONS_MAX) {
        throw new ImportProblem(line, `a set has at most ${QUESTIONS_MAX} questions`);
      }
      if (problems.length >= PROBLEMS_MAX) return;
    }
  });
  return byText;
}

/** Does a step of the import; what is wrong with the file is noted, other errors are thrown on. */
function recordProblem(problems: ImportProblem[], step: () => void): void {
  try {
    step();
  } catch (thrown) {
    if (!(thrown instanceof ImportProblem)) throw thrown;
    problems.push(thrown);
  }
}

function inWords(problems: ImportProblem[]): string {
  const told = problems.toSorted((a, b) => a.line - b.line).map(({ message }) => message);
  return [...told, ...(told.length < PROBLEMS_MAX ? [] : ["there may be more"])].join("; ");
}

function merged(
  known: QuestionContent | undefined,
  asked: QuestionContent,
  line: number,
): QuestionContent {
  if (known === undefined) return asked;
  const expected = [...known.expected, ...asked.expected];
  if (expected.length > EXPECTED_MAX) {
    throw new ImportProblem(line, `a question has at most ${EXPECTED_MAX} expected passages`);
  }
  for (const field of ["answerCheck", "answer", "jsonSchema"] as const) {
    if (known[field] === null || asked[field] === null || known[field] === asked[field]) continue;
    const what = field === "answerCheck" ? "check" : field;
    throw new ImportProblem(line, `${what} is another than an earlier line has for this question`);
  }
  return {
    question: asked.question,
    expected,
    answerCheck: known.answerCheck ?? asked.answerCheck,
    answer: known.answer ?? asked.answer,
    jsonSchema: known.jsonSchema ?? asked.jsonSchema,
  };
}

type Into = { set: Pick<QuestionSet, "subjectKind">; format: ImportFormat };

function refuseWrong(asked: QuestionContent, line: number, { set, format }: Into): void {
  const wrong = problemWithQuestion(asked, set);
  if (wrong === null) return;
  const field = format === "csv" && wrong.field === "expected" ? "file" : wrong.field;
  throw new ImportProblem(line, `${field} ${wrong.problem}`);
}

function* csvLines(text: string): Generator<Line> {
  let names: string[] | null = null;
  for (const { line, cells } of readCsv(text)) {
    if (names === null) {
      names = columnNames(cells);
      continue;
    }
    const columns = names;
    yield { line, read: () => parsed(rowOf(columns, cells, line), line, "csv") };
  }
}

function rowOf(names: string[], cells: string[], line: number) {
  refuseUndecoded(cells.join(), line);
  if (cells.length > names.length) {
    throw new ImportProblem(line, "has more cells than the first line");
  }
  const has = new Map(names.map((name, at) => [name, withoutGuard(cells[at] ?? "").trim()]));
  const file = has.get("file") ?? "";
  const passage = has.get("passage") ?? "";
  if (file === "" && passage !== "") throw new ImportProblem(line, "passage needs a file");
  const given = (name: string) => has.get(name) || undefined;
  return {
    question: has.get("question") ?? "",
    expected: file === "" ? [] : [{ file, passage: passage || undefined }],
    check: given("check"),
    answer: given("answer"),
    jsonSchema: given("jsonSchema"),
  };
}

/** What stands where bytes were no UTF-8: a question with it would never be found. */
const UNDECODED = "\uFFFD";

function refuseUndecoded(text: string, line: number): void {
  if (text.includes(UNDECODED)) {
    throw new ImportProblem(line, "is not UTF-8: save the file with that encoding");
  }
}

function columnNames(cells: string[]): string[] {
  refuseUndecoded(cells.join(), 1);
  const known = new Map(COLUMNS.map((name) => [name.toLowerCase(), name]));
  const names = cells.map((cell) => {
    const name = known.get(cell.trim().toLowerCase());
    if (name !== undefined) return name;
    const shown = JSON.stringify(cell.slice(0, NAME_SHOWN));
    throw new ImportProblem(1, `column ${shown} is not one of ${COLUMNS.join(", ")}`);
  });
  if (!names.includes("question")) throw new ImportProblem(1, "the column question is missing");
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new ImportProblem(1, `the column ${twice} is there twice`);
  return names;
}

function* jsonLines(text: string): Generator<Line> {
  let number = 0;
  for (const written of text.split("\n")) {
    number += 1;
    const line = number;
    if (written.trim() !== "")
      yield { line, read: () => parsed(jsonOf(written, line), line, "jsonl") };
  }
}

function jsonOf(written: string, line: number): unknown {
  refuseUndecoded(written, line);
  try {
    return JSON.parse(written);
  } catch {
    throw new ImportProblem(line, "is not valid JSON");
  }
}

const strictForm = questionForm.strict();

function parsed(given: unknown, line: number, format: ImportFormat): QuestionContent {
  const { data, error } = strictForm.safeParse(given, { reportInput: true });
  if (data !== undefined) return askedOf(data);
  const [issue] = error.issues;
  throw new ImportProblem(line, issue === undefined ? "is not valid" : inOneLine(issue, format));
}

function inOneLine(issue: z.core.$ZodIssue, format: ImportFormat): string {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(questionForm.shape).join(", ");
    return `${issue.keys.join(", ").slice(0, NAME_SHOWN)} is not one of ${known}`;
  }
  // A cell stands in a column, not in a list of objects.
  const path = format === "csv" ? issue.path.slice(-1) : issue.path;
  const problem = issue.input === undefined ? "is required" : sentenceOf(issue);
  return `${pathText(path, "what it says")} ${problem}`;
}
