import type { Question } from "../../db/evaluation/question-store.ts";

/** Text that a spreadsheet would take for a formula, or an import for guarded. */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** A cell that no spreadsheet computes: one more apostrophe before what looks like a formula. */
const guardCell = (text: string) => (FORMULA.test(text) ? `'${text}` : text);

/** The text that was guarded for an export. */
export const removeGuard = (text: string) => (GUARDED.test(text) ? text.slice(1) : text);

/** A line of CSV without its end. */
export const csvLine = (cells: readonly (string | null)[]) =>
  cells.map((text) => `"${guardCell(text ?? "").replaceAll('"', '""')}"`).join(",");

/** A set's questions as an import reads them: a row for each expected passage. */
export function questionsAsCsv(questions: readonly Question[]): string {
  const rows = questions.flatMap(({ question, expected, answerCheck, answer, jsonSchema }) => {
    const places = expected.length === 0 ? [{ file: "", passage: null }] : expected;
    return places.map(({ file, passage }) =>
      csvLine([question, file, passage, answerCheck, answer, jsonSchema]),
    );
  });
  return ["question,file,passage,check,answer,jsonSchema", ...rows, ""].join("\r\n");
}

export function questionsAsJsonLines(questions: readonly Question[]): string {
  return questions
    .map(({ question, expected, answerCheck: check, answer, jsonSchema }) =>
      JSON.stringify({ question, expected, check, answer, jsonSchema }),
    )
    .map((line) => `${line}\n`)
    .join("");
}
