import { conflict, invalidFields, requireFound, unprocessable } from "../../core/errors.ts";
import { newId, type QuestionId } from "../../core/ids.ts";
import { findQuestion, putQuestions, updateQuestion } from "../../db/evaluation/question-store.ts";
import type { Question, QuestionContent } from "../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import type { Services } from "../../services.ts";
import { MAX_QUESTIONS } from "../limits.ts";
import { problemWithQuestion } from "./question-form.ts";

type QuestionServices = Pick<Services, "db" | "now">;

/**
 * Adds questions to a set, all or none; one with the same text is replaced.
 * @returns the ids of those that were written, each once.
 * @throws QuarryError `invalid`; `unprocessable` when the set would have too many.
 */
export async function keepQuestions(
  { db, now }: QuestionServices,
  { set, asked: contents }: { set: QuestionSet; asked: readonly QuestionContent[] },
): Promise<QuestionId[]> {
  for (const content of contents) checkQuestion(content, set);
  const at = now();
  // Sorted: ids of one millisecond differ by chance, and lists and exports follow them.
  const ids = contents.map(() => newId<QuestionId>(at)).sort();
  const questions = contents.map((content, index) => ({ ...content, id: ids[index] ?? newId(at) }));
  const outcome = await putQuestions(db, set.id, { questions, now: at, most: MAX_QUESTIONS });
  if (outcome === null) throw unprocessable(`A set has at most ${MAX_QUESTIONS} questions`);
  return outcome;
}

/** @throws QuarryError `invalid`, `not-found`; `conflict`: the set has that question already. */
export async function changeQuestion(
  { db }: QuestionServices,
  { set, question, change }: { set: QuestionSet; question: Question; change: Partial<Question> },
): Promise<Question> {
  const changed = { ...question, ...change };
  checkQuestion(changed, set);
  if (!(await updateQuestion(db, set.id, changed))) {
    requireFound(await findQuestion(db, set.id, question.id));
    throw conflict("The set already has this question");
  }
  return changed;
}

function checkQuestion(content: QuestionContent, set: QuestionSet): void {
  const wrong = problemWithQuestion(content, set);
  if (wrong !== null) throw invalidFields([wrong]);
}
