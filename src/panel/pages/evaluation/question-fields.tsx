import type { Question } from "../../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { askedOf, questionForm } from "../../../evaluation/questions/question-form.ts";
import { parseKnownOrRefuse } from "../../../http/validation.ts";
import { SelectField, TextArea } from "../../components/form.tsx";
import { typed, type Form as Sent, type FormState } from "../request/form.ts";

export const QUESTION_FIELDS = ["question", "expected", "check", "answer", "jsonSchema"];

/** Between a file and a text of it, in a line of the form. */
const BETWEEN = " :: ";

export const expectedLines = (expected: Question["expected"]): string =>
  expected
    .map(({ file, passage }) => {
      return passage === null ? file : `${file}${BETWEEN}${passage.replaceAll("\n", " ")}`;
    })
    .join("\n");

/** What the form holds of a question that there is. */
export const valuesOf = (question: Question): Record<string, string> => ({
  question: question.question,
  expected: expectedLines(question.expected),
  check: question.answerCheck ?? "",
  answer: question.answer ?? "",
  jsonSchema: question.jsonSchema ?? "",
});

/** @throws QuarryError `invalid` */
export function askedIn(form: Sent) {
  const lines = form
    .exact("expected")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const parsed = parseKnownOrRefuse(questionForm, {
    question: form.exact("question"),
    expected: lines.map((line) => {
      const at = line.indexOf(BETWEEN);
      return at === -1
        ? { file: line }
        : { file: line.slice(0, at), passage: line.slice(at + BETWEEN.length) };
    }),
    check: typed(form.text("check")) ?? null,
    answer: typed(form.exact("answer").trim()) ?? null,
    jsonSchema: typed(form.text("jsonSchema")) ?? null,
  });
  return askedOf(parsed);
}

const CHECKS = [
  { value: "", label: "not checked" },
  { value: "contains", label: "contains each line" },
  { value: "equals", label: "is the text" },
  { value: "json", label: "is the JSON value" },
  { value: "judged", label: "is judged by the rubric" },
];

type FieldsProps = { state: FormState; set: Pick<QuestionSet, "subjectKind"> };

export const QuestionFields = ({ state, set }: FieldsProps) => (
  <>
    <TextArea state={state} name="question" label="Question" rows={2} required />
    <TextArea
      state={state}
      name="expected"
      label="What must be found"
      rows={3}
      hint={
        <>
          One file path a line. After <code>{BETWEEN.trim()}</code> with spaces around it, add a
          sentence that the passage must contain.
        </>
      }
    />
    {set.subjectKind === "rag" ? null : (
      <>
        <SelectField state={state} name="check" label="The answer" options={CHECKS} />
        <TextArea
          state={state}
          name="answer"
          label="Expected answer"
          rows={3}
          hint="The text, the JSON value, or the rubric."
        />
        <TextArea state={state} name="jsonSchema" label="JSON Schema of the answer" rows={2} mono />
      </>
    )}
  </>
);
