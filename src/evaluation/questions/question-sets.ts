import { z } from "zod";

import { chooseIdentifier, identifierTaken } from "../../catalog/choose-identifier.ts";
import { languageModelProblem } from "../../catalog/models/check-model.ts";
import { invalidField, invalidFields, requireValid } from "../../core/errors.ts";
import { requireFound, unprocessable } from "../../core/errors.ts";
import { MAX_IDENTIFIER_LENGTH, newId } from "../../core/ids.ts";
import type { InferenceId, QuestionSetId, RagId } from "../../core/ids.ts";
import { identifier, modelName, name } from "../../core/input/input-fields.ts";
import { findRagRecord } from "../../db/catalog/rag-writes.ts";
import { inferenceRows } from "../../db/catalog/runner-store.ts";
import {
  findSet,
  insertSet,
  isSetIdentifierTaken,
  updateSet,
  type QuestionSet,
} from "../../db/evaluation/set-store.ts";
import type { Database } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import { MAX_SETS } from "../limits.ts";

/** By id or identifier. @throws QuarryError `not-found`. */
export async function findQuestionSet(
  { db }: Pick<Services, "db">,
  key: string,
): Promise<QuestionSet> {
  return requireFound(await findSet(db, key));
}

/** Id or identifier. */
const subject = z.string().min(1).max(MAX_IDENTIFIER_LENGTH);

const judgeModel = modelName.nullable().meta({
  label: "Judge",
  hint: "The language model that judges answers by a rubric. embedded/extractive cannot judge.",
  placeholder: "openai/gpt-5-mini",
});

/** Exactly one of `rag` and `inference`. */
export const newQuestionSet = z.object({
  name,
  rag: subject.optional(),
  inference: subject.optional(),
  judgeModel: judgeModel.default(null),
  identifier: identifier.optional(),
});
export const questionSetPatch = z.object({ name, judgeModel }).partial();
export type NewQuestionSet = z.output<typeof newQuestionSet>;

/** @throws QuarryError `invalid`, `conflict`; `unprocessable` when there are too many sets. */
export async function createQuestionSet(
  services: Services,
  input: NewQuestionSet,
  id = newId<QuestionSetId>(services.now()),
): Promise<QuestionSet> {
  const { db, now } = services;
  const identifier = chooseIdentifier(input.name, input.identifier);
  await checkJudge(services, input.judgeModel);
  const subject = await subjectOf(db, input);
  const { name, judgeModel } = input;
  const set = { id, name, identifier, judgeModel, createdAt: now(), ...subject };
  if (!(await insertSet(db, set, MAX_SETS))) {
    if (await isSetIdentifierTaken(db, identifier)) throw identifierTaken();
    throw unprocessable(`There are at most ${MAX_SETS} question sets`);
  }
  return await findQuestionSet(services, id);
}

/** @throws QuarryError `invalid` */
export async function changeQuestionSet(
  services: Services,
  set: QuestionSet,
  change: { name?: string; judgeModel?: string | null },
): Promise<QuestionSet> {
  await checkJudge(services, change.judgeModel ?? null);
  await updateSet(services.db, set.id, change);
  return await findQuestionSet(services, set.id);
}

type Subject = { ragId: RagId | null; inferenceId: InferenceId | null };

async function subjectOf(db: Database, { rag, inference }: NewQuestionSet): Promise<Subject> {
  if ((rag === undefined) === (inference === undefined)) {
    throw invalidField("rag", "or inference is required, and only one of them");
  }
  if (rag !== undefined) {
    const { id } = requireValid(await findRagRecord(db, rag), "rag", "does not exist");
    return { ragId: id, inferenceId: null };
  }
  const row = await inferenceRows.find(db, inference ?? "");
  return { ragId: null, inferenceId: requireValid(row, "inference", "does not exist").id };
}

async function checkJudge(services: Services, judgeModel: string | null): Promise<void> {
  const problem = judgeModel === null ? null : await judgeProblem(services, judgeModel);
  if (problem !== null) throw invalidFields([problem]);
}

/** Null for a model that can judge answers. */
export const judgeProblem = (services: Pick<Services, "models">, name: string) =>
  languageModelProblem(services, { field: "judgeModel", name, purpose: "judge answers" });
