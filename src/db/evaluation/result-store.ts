import type { EvaluationRunId, QuestionId, QuestionSetId } from "../../core/ids.ts";
import { readPage, type Slice } from "../page.ts";
import { evaluationResults, evaluationRuns } from "../schema/index.ts";
import { assignSql, columnsOf, pick, select, type Row } from "../select.ts";
import { execute, raw, readRows, sql, type Database } from "../sql.ts";
import { CONTENT, type QuestionContent } from "./question-store.ts";

const { attempts: _tries, ...ofResult } = columnsOf(evaluationResults);

const WAITING = select(pick(ofResult, "questionId", ...CONTENT));
/** A question of a run that is still to be answered. */
export type WaitingQuestion = Row<typeof WAITING>;

/** The next questions of a run; an attempt of each is counted. */
export const takeQuestions = (
  db: Database,
  runId: EvaluationRunId,
  { limit, maxAttempts }: { limit: number; maxAttempts: number },
) =>
  readRows(db)`update evaluation_results set attempts = attempts + 1
    where run_id = ${runId} and question_id in (select question_id from evaluation_results
      where run_id = ${runId} and finished_at is null and attempts < ${maxAttempts}
      order by question_id limit ${limit})
    returning ${WAITING}`;

const LIGHT = select(
  pick(
    ofResult,
    ...(["questionId", "ranks", "isRight", "isDegraded", "error", "latencyMs"] as const),
    ...(["inputTokens", "outputTokens", "cost", "currency", "judge"] as const),
  ),
);
/** The fields of a result that measures need; `judge` null: none gave a verdict. */
export type LightResult = Row<typeof LIGHT>;

const { runId: _of, ...result } = ofResult;
const RESULT = select(result);
/** A question of a run and what came of it. */
export type EvaluationResult = Row<typeof RESULT>;

export type Outcome = Omit<EvaluationResult, keyof QuestionContent | "questionId" | "finishedAt">;

/** Keeps the first outcome of a question: a second worker's changes nothing. */
export const saveOutcome = (
  db: Database,
  runId: EvaluationRunId,
  questionId: QuestionId,
  { outcome, now }: { outcome: Outcome; now: number },
) =>
  execute(db)`update evaluation_results
    set ${assignSql(evaluationResults, { ...outcome, finishedAt: now })}
    where run_id = ${runId} and question_id = ${questionId} and finished_at is null`;

/** Questions whose attempts are used up count as not found and not right. */
export const giveUpQuestions = (
  db: Database,
  runId: EvaluationRunId,
  { reason, now }: { reason: string; now: number },
) =>
  execute(db)`update evaluation_results set finished_at = ${now}, error = ${reason},
      ranks = (select json_group_array(null) from json_each(expected)),
      is_right = case when answer_check is null then null else 0 end
    where run_id = ${runId} and finished_at is null`;

/** Reads the fields that measures need for every question of a run. */
export const lightResults = (db: Database, runId: EvaluationRunId) =>
  readRows(db)`select ${LIGHT} from evaluation_results
    where run_id = ${runId} and finished_at is not null order by question_id`;

const PAIR = select(pick(columnsOf(evaluationResults, "a"), "questionId", "question"));

/** Questions that two runs asked alike, with the same expectations; others cannot be compared. */
export const commonQuestions = (db: Database, first: EvaluationRunId, second: EvaluationRunId) =>
  readRows(db)`select ${PAIR} from evaluation_results a
    join evaluation_results b on b.run_id = ${second} and b.question_id = a.question_id
    where a.run_id = ${first} and a.question = b.question and a.expected = b.expected
      and a.answer_check is b.answer_check and a.answer is b.answer
      and a.json_schema is b.json_schema
    order by a.question_id`;

const OF_QUESTION = select({
  ...pick(columnsOf(evaluationResults, "x"), "runId", "ranks", "isRight", "error"),
  startedAt: columnsOf(evaluationRuns, "r").startedAt,
});
const RESULTS_OF_QUESTION = 10;

/** Reads the results of a question in the latest runs of its set. */
export const resultsOfQuestion = (db: Database, setId: QuestionSetId, questionId: QuestionId) =>
  readRows(db)`select ${OF_QUESTION} from evaluation_runs r
    join evaluation_results x on x.run_id = r.id and x.question_id = ${questionId}
    where r.set_id = ${setId} and x.finished_at is not null
    order by r.id desc limit ${RESULTS_OF_QUESTION}`;

/** A page of a run's questions: those that went wrong first. */
export const listResults = (db: Database, runId: EvaluationRunId, slice: Slice) =>
  readPage(db, RESULT, {
    ...slice,
    from: sql`from evaluation_results where run_id = ${runId}`,
    order: raw(`finished_at is null, error is null, coalesce(is_right, 1),
      coalesce((select max(coalesce(value, 1e9)) from json_each(ranks)), 0) desc, question_id`),
  });
