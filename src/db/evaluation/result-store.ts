import { z } from "zod";

import type { EvaluationRunId, QuestionId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { flag, id, json, nullable, number, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import type { Slice } from "../page.ts";
import { execute, query, readRows, runBatch } from "../raw-sql.ts";
import { ASKED } from "./question-store.ts";
import { foundShape, spentShape } from "./stored-shapes.ts";

const WAITING = row({ questionId: id<QuestionId>(), ...ASKED });
/** A question of a run that is to be asked. */
export type WaitingQuestion = Row<typeof WAITING>;

const ASKED_SQL = `question, expected, answer_check as answerCheck, answer,
  json_schema as jsonSchema`;

/** The next questions of a run; an attempt of each is counted. */
export async function takeQuestions(
  db: Database,
  runId: EvaluationRunId,
  { limit, mostAttempts }: { limit: number; mostAttempts: number },
): Promise<WaitingQuestion[]> {
  return await readRows(
    db,
    WAITING,
    `update evaluation_results set attempts = attempts + 1
     where run_id = ?1 and question_id in (select question_id from evaluation_results
       where run_id = ?1 and finished_at is null and attempts < ?2 order by question_id limit ?3)
     returning question_id as questionId, ${ASKED_SQL}`,
    runId,
    mostAttempts,
    limit,
  );
}

const LIGHT_COLUMNS = {
  questionId: id<QuestionId>(),
  ranks: json(z.array(z.number().nullable())),
  isRight: nullable(flag),
  isDegraded: flag,
  error: nullable(text),
  latencyMs: number,
  inputTokens: number,
  outputTokens: number,
  cost: nullable(number),
  currency: nullable(text),
  judge: nullable(json(spentShape)),
};
const LIGHT = row(LIGHT_COLUMNS);
const LIGHT_SQL = `question_id as questionId, ranks, is_right as isRight,
  is_degraded as isDegraded, error, latency_ms as latencyMs, input_tokens as inputTokens,
  output_tokens as outputTokens, cost, currency, judge`;

const RESULT = row({
  ...ASKED,
  ...LIGHT_COLUMNS,
  finishedAt: nullable(number),
  found: json(z.array(foundShape)),
  response: nullable(text),
  why: nullable(text),
});
/** A question of a run and what came of it. */
export type EvaluationResult = Row<typeof RESULT>;

export type Outcome = Omit<EvaluationResult, keyof typeof ASKED | "questionId" | "finishedAt">;

/** Keeps the first outcome of a question: a second worker's changes nothing. */
export async function saveOutcome(
  db: Database,
  runId: EvaluationRunId,
  questionId: QuestionId,
  { outcome, now }: { outcome: Outcome; now: number },
): Promise<void> {
  await execute(
    db,
    `update evaluation_results set finished_at = ?3, ranks = ?4, found = ?5, response = ?6,
       is_right = ?7, why = ?8, error = ?9, is_degraded = ?10, latency_ms = ?11,
       input_tokens = ?12, output_tokens = ?13, cost = ?14, currency = ?15, judge = ?16
     where run_id = ?1 and question_id = ?2 and finished_at is null`,
    runId,
    questionId,
    now,
    outcome.ranks,
    outcome.found,
    outcome.response,
    outcome.isRight,
    outcome.why,
    outcome.error,
    outcome.isDegraded,
    outcome.latencyMs,
    outcome.inputTokens,
    outcome.outputTokens,
    outcome.cost,
    outcome.currency,
    outcome.judge,
  );
}

/** Questions whose attempts are used up count as not found and not right. */
export async function giveUpQuestions(
  db: Database,
  runId: EvaluationRunId,
  { reason, now }: { reason: string; now: number },
): Promise<void> {
  await execute(
    db,
    `update evaluation_results set finished_at = ?3, error = ?2,
       ranks = (select json_group_array(null) from json_each(expected)),
       is_right = case when answer_check is null then null else 0 end
     where run_id = ?1 and finished_at is null`,
    runId,
    reason,
    now,
  );
}

/** What the measures need of every question of a run. */
export async function lightResults(db: Database, runId: EvaluationRunId) {
  return await readRows(
    db,
    LIGHT,
    `select ${LIGHT_SQL} from evaluation_results where run_id = ?1 and finished_at is not null
     order by question_id`,
    runId,
  );
}

const PAIR = row({ questionId: id<QuestionId>(), question: text });

/** Questions that two runs asked alike, with the same expectations; others cannot be compared. */
export async function commonQuestions(
  db: Database,
  first: EvaluationRunId,
  second: EvaluationRunId,
) {
  return await readRows(
    db,
    PAIR,
    `select a.question_id as questionId, a.question from evaluation_results a
     join evaluation_results b on b.run_id = ?2 and b.question_id = a.question_id
     where a.run_id = ?1 and a.question = b.question and a.expected = b.expected
       and a.answer_check is b.answer_check and a.answer is b.answer
       and a.json_schema is b.json_schema
     order by a.question_id`,
    first,
    second,
  );
}

/** A page of a run's questions: those that went wrong first. */
export async function listResults(
  db: Database,
  runId: EvaluationRunId,
  { offset, limit }: Slice,
): Promise<{ data: EvaluationResult[]; total: number }> {
  const [data, [counted]] = await runBatch(db, [
    query(
      RESULT,
      `select ${ASKED_SQL}, ${LIGHT_SQL}, finished_at as finishedAt, found, response, why
       from evaluation_results where run_id = ?1
       order by finished_at is null, error is null, coalesce(is_right, 1),
         coalesce((select min(value) from json_each(ranks)), 1e9 * (ranks <> '[]')) desc,
         question_id
       limit ?2 offset ?3`,
      runId,
      limit,
      offset,
    ),
    query(
      row({ total: number }),
      `select count(*) as total from evaluation_results where run_id = ?1`,
      runId,
    ),
  ]);
  return { data, total: counted?.total ?? 0 };
}
