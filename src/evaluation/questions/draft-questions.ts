import { z } from "zod";

import { findInference } from "../../catalog/inferences/find-inference.ts";
import { languageModelProblem } from "../../catalog/models/check-model.ts";
import { findRag } from "../../catalog/rags/find-rag.ts";
import { invalidFields, QuarryError, unprocessable } from "../../core/errors.ts";
import type { QuestionId } from "../../core/ids.ts";
import { inParallel } from "../../core/work/parallel.ts";
import { someIndexedPaths } from "../../db/evaluation/drafting-store.ts";
import type { QuestionContent } from "../../db/evaluation/question-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import type { RagRecord } from "../../db/records.ts";
import { askModel } from "../../inference/ask-model.ts";
import { listPassages } from "../../ingestion/indexing/list-passages.ts";
import type { Services } from "../../services.ts";
import { passagesNotice, writePassages } from "../../text/prompt-delimiters.ts";
import { folding } from "../measures/match-passages.ts";
import { keepQuestions, tooManyQuestions } from "./keep-questions.ts";
import { QUESTION_MAX_LENGTH, QUESTIONS_MAX } from "../limits.ts";

const MODEL_CALLS_AT_ONCE = 4;
/** Of a file's passages, from which one is chosen. */
const PASSAGES_CONSIDERED = 50;
/** A shorter passage says too little to ask about. */
const SHORTEST_PASSAGE = 120;
const QUOTE_MAX_LENGTH = 300;

const SYSTEM_PROMPT = [
  "You write test questions for a search over documents. From the passage that you are given,",
  "think of one question that a person would ask who does not know the passage and needs what it",
  "says. Use other words than the passage where you can, name what it is about, and do not",
  "mention a passage or document. Quote the sentence that answers it, word for word.",
  "Write in the language of the passage.",
].join(" ");

const DRAFT_SCHEMA = JSON.stringify({
  type: "object",
  properties: { question: { type: "string" }, quote: { type: "string" } },
  required: ["question", "quote"],
  additionalProperties: false,
});
const draft = z.object({
  question: z.string().trim().min(1).max(QUESTION_MAX_LENGTH),
  quote: z.string(),
});

type Drafting = { set: QuestionSet; model: string; count: number };

/**
 * Lets a chat model write questions from passages chosen at random; they are drafts until a person
 * confirms them. At most as many as the set has room for.
 * @returns the ids of the drafts that were kept.
 * @throws QuarryError `invalid`; `unprocessable` without a passage or room in the set;
 * `model-failed` when every call failed.
 */
export async function draftQuestions(
  services: Services,
  { set, model, count }: Drafting,
): Promise<QuestionId[]> {
  const wanted = { field: "model", name: model, purpose: "write questions" };
  const problem = languageModelProblem(services, wanted);
  if (problem !== null) throw invalidFields([problem]);
  // Before the model is asked: its calls cost.
  const room = QUESTIONS_MAX - set.questions - set.drafts;
  if (room <= 0) throw tooManyQuestions();
  const chosen = await choosePassages(services, set, Math.min(count, room));
  if (chosen.length === 0) throw unprocessable("No indexed passage is long enough to ask about");
  const failures: QuarryError[] = [];
  const drafts = await inParallel(chosen, MODEL_CALLS_AT_ONCE, async (passage) => {
    try {
      return [await draftFrom(services, passage, { set, model })].filter((one) => one !== null);
    } catch (thrown) {
      if (!(thrown instanceof QuarryError)) throw thrown;
      failures.push(thrown);
      return [];
    }
  });
  const asked = drafts.flat();
  const [failure] = failures;
  if (asked.length === 0 && failure !== undefined) throw failure;
  return await keepQuestions(services, { set, asked, state: "draft" });
}

type Chosen = { rag: RagRecord; path: string; text: string };

async function choosePassages(
  services: Services,
  set: QuestionSet,
  count: number,
): Promise<Chosen[]> {
  const rags =
    set.subjectKind === "rag"
      ? [await findRag(services, { key: set.subjectId })]
      : (await findInference(services, { key: set.subjectId })).rags;
  const eachOf = Math.ceil(count / Math.max(1, rags.length));
  const files = await inParallel(rags.slice(0, count), MODEL_CALLS_AT_ONCE, async (rag) => {
    const wish = { limit: eachOf, place: Math.random() };
    const paths = await someIndexedPaths(services.db, rag, wish);
    return paths.map((path) => ({ rag, path }));
  });
  const chosen = await inParallel(
    files.flat().slice(0, count),
    MODEL_CALLS_AT_ONCE,
    async (file) => {
      const page = { ...file, offset: 0, limit: PASSAGES_CONSIDERED };
      const { data } = await listPassages(services, page);
      const usable = data.filter((one) => one.text.length >= SHORTEST_PASSAGE && !one.isDuplicate);
      const one = usable[Math.floor(Math.random() * usable.length)];
      return one === undefined ? [] : [{ ...file, text: one.text }];
    },
  );
  return chosen.flat();
}

/** Null: the model wrote nothing of use. A quote that the passage does not have is left out. */
async function draftFrom(
  services: Services,
  { rag, path, text }: Chosen,
  { set, model }: Pick<Drafting, "set" | "model">,
): Promise<QuestionContent | null> {
  const { reply } = await askModel(services, {
    model,
    systemPrompt: SYSTEM_PROMPT,
    prompt: (key) =>
      [passagesNotice(key, ""), writePassages([{ source: path, text }], key)].join("\n\n"),
    jsonSchema: DRAFT_SCHEMA,
    countedFor: {
      inferenceId: set.subjectKind === "inference" ? set.subjectId : null,
      ragIds: [rag.id],
    },
  });
  const { data } = draft.safeParse(reply);
  if (data === undefined) return null;
  const quote = data.quote.trim();
  const isQuoted =
    quote !== "" && quote.length <= QUOTE_MAX_LENGTH && folding(text).includes(folding(quote));
  return {
    question: data.question,
    expected: [{ file: path, passage: isQuoted ? quote : null }],
    answerCheck: null,
    answer: null,
    jsonSchema: null,
  };
}
