import { z } from "zod";

import { parseJson } from "../../core/input/parse-json.ts";
import type { QuestionContent } from "../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import { ANSWER_CHECKS } from "../../db/schema/evaluation.ts";
import { readResponseSchema } from "../../inference/response-schema.ts";
import { storedPath } from "../../sources/file-names.ts";
import {
  MAX_ANSWER_LENGTH,
  MAX_EXPECTED,
  MAX_PASSAGE_LENGTH,
  MAX_PATH_LENGTH,
  MAX_QUESTION_LENGTH,
  MAX_SCHEMA_LENGTH,
} from "../limits.ts";

const text = (most: number) => z.string().trim().min(1, "must not be blank").max(most);

/** The form of a question in the panel API and in imported JSON Lines. */
export const questionFields = {
  question: text(MAX_QUESTION_LENGTH),
  expected: z
    .array(z.object({ file: text(MAX_PATH_LENGTH), passage: text(MAX_PASSAGE_LENGTH).nullish() }))
    .max(MAX_EXPECTED),
  check: z.enum(ANSWER_CHECKS).nullable(),
  answer: text(MAX_ANSWER_LENGTH).nullable(),
  jsonSchema: text(MAX_SCHEMA_LENGTH).nullable(),
};

export const questionForm = z
  .object({ question: questionFields.question })
  .extend(z.object(questionFields).omit({ question: true }).partial().shape);

export type QuestionForm = z.output<typeof questionForm>;

export function contentOfForm({ question, expected, check, answer, jsonSchema }: QuestionForm) {
  return {
    question,
    expected: (expected ?? []).map(({ file, passage }) => ({
      file: storedPath(file),
      passage: passage ?? null,
    })),
    answerCheck: check ?? null,
    answer: answer ?? null,
    jsonSchema: jsonSchema ?? null,
  };
}

/** The rest of a sentence about what no single field shows; null: nothing is wrong. */
export function problemWithQuestion(
  { expected, answerCheck, answer, jsonSchema }: QuestionContent,
  { subjectKind }: Pick<QuestionSet, "subjectKind">,
): { field: string; problem: string } | null {
  if (subjectKind === "rag" && (answerCheck !== null || jsonSchema !== null)) {
    return { field: "check", problem: "is for sets of an inference: a RAG gives no answers" };
  }
  if (expected.length === 0 && answerCheck === null) {
    return { field: "expected", problem: "is required if no answer is checked" };
  }
  if ((answerCheck === null) !== (answer === null)) {
    return { field: "answer", problem: "and check must be set together" };
  }
  if (answerCheck === "json" && parseJson(answer ?? "") === undefined) {
    return { field: "answer", problem: "must be JSON" };
  }
  if (jsonSchema === null) return null;
  const schema = readResponseSchema(jsonSchema);
  return schema.ok ? null : { field: "jsonSchema", problem: schema.reason };
}
