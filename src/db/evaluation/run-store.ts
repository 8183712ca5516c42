import type { EvaluationRunId, QuestionSetId } from "../../core/ids.ts";
import { readPage, type Slice } from "../page.ts";
import type { RunSummary } from "../schema/evaluation.ts";
import { evaluationRuns } from "../schema/index.ts";
import { number, columnsOf, pick, select, type Row } from "../select.ts";
import { execute, hasRows, raw, readRow, readValues, runBatch, sql } from "../sql.ts";
import type { Database } from "../sql.ts";

const { lease: _lease, claimedUntil: _until, ...ofRun } = columnsOf(evaluationRuns, "x");

const RUN = select({
  ...ofRun,
  done: number(`case when x.status = 'done' then x.total else (select count(*) from evaluation_results o
      where o.run_id = x.id and o.finished_at is not null) end`),
});
export type EvaluationRun = Row<typeof RUN>;

type NewRun = Pick<EvaluationRun, "id" | "setId" | "setting" | "facts">;

/** Copies the set's questions, keeps `kept` old runs. False: `maxAtOnce` are under way. */
export async function insertRun(
  db: Database,
  { id, setId, setting, facts, now, claimedUntil }: NewRun & { now: number; claimedUntil: number },
  { maxAtOnce, kept: finishedRuns }: { maxAtOnce: number; kept: number },
): Promise<boolean> {
  const [inserted] = await runBatch(db, [
    sql`insert into evaluation_runs
        (id, set_id, setting, facts, status, total, claimed_until, started_at)
      select ${id}, ${setId}, ${setting}, ${facts}, 'running',
        (select count(*) from questions where set_id = ${setId}),
        ${claimedUntil}, ${now}
      where (select count(*) from evaluation_runs where status = 'running') < ${maxAtOnce}
      returning 1`,
    sql`insert into evaluation_results
        (run_id, question_id, question, expected, answer_check, answer, json_schema)
      select x.id, q.id, q.question, q.expected, q.answer_check, q.answer, q.json_schema
      from evaluation_runs x join questions q on q.set_id = x.set_id
      where x.id = ${id}`,
    sql`delete from evaluation_runs where status <> 'running' and set_id = ${setId}
      and id not in (select id from evaluation_runs where set_id = ${setId}
        order by id desc limit ${finishedRuns})`,
  ]);
  return inserted.length > 0;
}

export const listRuns = (db: Database, setId: QuestionSetId, slice: Slice) =>
  readPage(db, RUN, {
    ...slice,
    from: sql`from evaluation_runs x where x.set_id = ${setId}`,
    order: raw("x.id desc"),
  });

export const findRun = (db: Database, setId: QuestionSetId, runId: string) =>
  readRow(db)`select ${RUN} from evaluation_runs x
    where x.set_id = ${setId} and x.id = ${runId}`;

/** Deletes a run with its results; one that is under way ends with the question it is at. */
export const deleteRun = (db: Database, setId: QuestionSetId, runId: string) =>
  hasRows(db)`delete from evaluation_runs where set_id = ${setId} and id = ${runId} returning 1`;

type Claim = { lease: string; now: number; until: number };

const CLAIMED = select(pick(columnsOf(evaluationRuns), "setId", "setting", "facts"));

/** Null: it is finished or deleted, or another worker has it. */
export const claimRun = (db: Database, runId: EvaluationRunId, { lease, now, until }: Claim) =>
  readRow(db)`update evaluation_runs set lease = ${lease}, claimed_until = ${until}
    where id = ${runId} and status = 'running' and (lease is null or claimed_until <= ${now})
    returning ${CLAIMED}`;

/** False: the run was deleted, or another worker has it. */
export const renewRun = (db: Database, runId: EvaluationRunId, lease: string, until: number) =>
  hasRows(db)`update evaluation_runs set claimed_until = ${until}
    where id = ${runId} and lease = ${lease} and status = 'running' returning 1`;

/** The sweep sends a message at `dueAt`, in case that of the worker is lost. */
export const releaseRun = (db: Database, runId: EvaluationRunId, lease: string, dueAt: number) =>
  execute(db)`update evaluation_runs set lease = null, claimed_until = ${dueAt}
    where id = ${runId} and lease = ${lease}`;

export const finishRun = (
  db: Database,
  runId: EvaluationRunId,
  { summary, error, now }: { summary: RunSummary | null; error: string | null; now: number },
) =>
  execute(db)`update evaluation_runs set status = ${error === null ? "done" : "failed"},
      summary = ${summary}, error = ${error}, finished_at = ${now}, lease = null
    where id = ${runId} and status = 'running'`;

/** Runs whose worker or message was lost. */
export const takeUnclaimedRuns = (db: Database, now: number, claimedUntil: number) =>
  readValues(db, ofRun.id)`update evaluation_runs
    set lease = null, claimed_until = ${claimedUntil}
    where status = 'running' and claimed_until <= ${now} returning id`;
