import { invalid, messageOf, tooLarge } from "../../core/errors.ts";
import type { Asked } from "../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import { EXPECTED_MAX, IMPORT_MAX_BYTES, QUESTIONS_MAX } from "../limits.ts";
import { withoutGuard } from "./export-questions.ts";
import { askedOf, problemWithQuestion, questionForm } from "./question-form.ts";
import { ImportProblem, readCsv } from "./read-csv.ts";

export type ImportFormat = "csv" | "jsonl";

const COLUMNS = ["question", "file", "passage", "check", "answer", "jsonSchema"] as const;

/**
 * The questions of a CSV file (first row: names of columns; rows of the same question add up) or
 * of JSON Lines.
 * @throws QuarryError `invalid` that names the first line at fault; `too-large`.
 */
export function importedQuestions(
  text: string,
  format: ImportFormat,
  set: Pick<QuestionSet, "subjectKind">,
): Asked[] {
  if (new TextEncoder().encode(text).byteLength > IMPORT_MAX_BYTES) throw tooLarge();
  try {
    const bare = text.startsWith("\uFEFF") ? text.slice(1) : text;
    const lines = format === "csv" ? csvQuestions(bare) : jsonQuestions(bare);
    const byText = new Map<string, { line: number; asked: Asked }>();
    for (const { line, asked } of lines) {
      const known = byText.get(asked.question);
      byText.set(asked.question, { line, asked: merged(known?.asked, asked, line) });
      if (byText.size > QUESTIONS_MAX) {
        throw new ImportProblem(line, `a set has at most ${QUESTIONS_MAX} questions`);
      }
    }
    if (byText.size === 0) throw invalid("the file has no questions");
    return [...byText.values()].map(({ line, asked }) => checked(asked, line, set));
  } catch (thrown) {
    if (thrown instanceof ImportProblem) throw invalid(messageOf(thrown));
    throw thrown;
  }
}

type Line = { line: number; asked: Asked };

function merged(known: Asked | undefined, asked: Asked, line: number): Asked {
  if (known === undefined) return asked;
  const expected = [...known.expected, ...asked.expected];
  if (expected.length > EXPECTED_MAX) {
    throw new ImportProblem(line, `a question has at most ${EXPECTED_MAX} expected passages`);
  }
  return {
    question: asked.question,
    expected,
    answerCheck: known.answerCheck ?? asked.answerCheck,
    answer: known.answer ?? asked.answer,
    jsonSchema: known.jsonSchema ?? asked.jsonSchema,
  };
}

function checked(asked: Asked, line: number, set: Pick<QuestionSet, "subjectKind">): Asked {
  const wrong = problemWithQuestion(asked, set);
  if (wrong !== null) throw new ImportProblem(line, `${wrong.field} ${wrong.problem}`);
  return asked;
}

function* csvQuestions(text: string): Generator<Line> {
  let names: string[] | null = null;
  for (const { line, cells } of readCsv(text)) {
    if (names === null) {
      names = columnNames(cells);
      continue;
    }
    const has = new Map(names.map((name, at) => [name, withoutGuard(cells[at] ?? "").trim()]));
    if (cells.length > names.length) {
      throw new ImportProblem(line, "has more cells than the first line");
    }
    const file = has.get("file") ?? "";
    const passage = has.get("passage") ?? "";
    if (file === "" && passage !== "") throw new ImportProblem(line, "passage needs a file");
    const given = (name: string) => has.get(name) || undefined;
    const row = {
      question: has.get("question") ?? "",
      expected: file === "" ? [] : [{ file, passage: passage || undefined }],
      check: given("check"),
      answer: given("answer"),
      jsonSchema: given("jsonSchema"),
    };
    yield { line, asked: parsed(row, line) };
  }
}

function columnNames(cells: string[]): string[] {
  const known = new Map(COLUMNS.map((name) => [name.toLowerCase(), name]));
  const names = cells.map((cell) => {
    const name = known.get(cell.trim().toLowerCase());
    if (name !== undefined) return name;
    const shown = JSON.stringify(cell.slice(0, 40));
    throw new ImportProblem(1, `column ${shown} is not one of ${COLUMNS.join(", ")}`);
  });
  if (!names.includes("question")) throw new ImportProblem(1, "the column question is missing");
  return names;
}

function* jsonQuestions(text: string): Generator<Line> {
  let line = 0;
  for (const written of text.split("\n")) {
    line += 1;
    if (written.trim() === "") continue;
    yield { line, asked: parsed(jsonOf(written, line), line) };
  }
}

function jsonOf(written: string, line: number): unknown {
  try {
    return JSON.parse(written);
  } catch {
    throw new ImportProblem(line, "is not valid JSON");
  }
}

const strictForm = questionForm.strict();

function parsed(given: unknown, line: number): Asked {
  const { data, error } = strictForm.safeParse(given);
  if (data !== undefined) return askedOf(data);
  const [issue] = error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new ImportProblem(line, `${field === "" ? "" : `${field}: `}${issue?.message ?? "wrong"}`);
}
