import type { EvaluationRunId, QuestionSetId } from "../../core/ids.ts";
import type { Database } from "../client.ts";
import { id, json, nullable, number, oneOf, row, text } from "../columns.ts";
import type { Row } from "../columns.ts";
import type { Slice } from "../page.ts";
import { execute, query, readRow, readRows, runBatch, statement } from "../raw-sql.ts";
import { RUN_STATUSES } from "../schema/evaluation.ts";
import { factsShape, settingShape, summaryShape } from "./stored-shapes.ts";
import type { RunFacts, RunSummary, Setting } from "./stored-shapes.ts";

const RUN = row({
  id: id<EvaluationRunId>(),
  setId: id<QuestionSetId>(),
  setting: json(settingShape),
  facts: json(factsShape),
  status: oneOf(RUN_STATUSES),
  error: nullable(text),
  total: number,
  done: number,
  summary: nullable(json(summaryShape)),
  startedAt: number,
  finishedAt: nullable(number),
});
export type EvaluationRun = Row<typeof RUN>;

const COLUMNS = `x.id, x.set_id as setId, x.setting, x.facts, x.status, x.error, x.total,
  case when x.status = 'done' then x.total else (select count(*) from evaluation_results o
    where o.run_id = x.id and o.finished_at is not null) end as done,
  x.summary, x.started_at as startedAt, x.finished_at as finishedAt`;

export type NewRun = {
  id: EvaluationRunId;
  setId: QuestionSetId;
  setting: Setting;
  facts: RunFacts;
  now: number;
  claimedUntil: number;
};

/**
 * Starts a run with a copy of the set's confirmed questions, and deletes the oldest finished runs
 * of the set beyond `kept`. False while `mostAtOnce` runs are under way.
 */
export async function insertRun(
  db: Database,
  { id: runId, setId, setting, facts, now, claimedUntil }: NewRun,
  { mostAtOnce, kept }: { mostAtOnce: number; kept: number },
): Promise<boolean> {
  const [inserted] = await runBatch(db, [
    statement(
      `insert into evaluation_runs
         (id, set_id, setting, facts, status, total, claimed_until, started_at)
       select ?1, ?2, ?3, ?4, 'running',
         (select count(*) from questions where set_id = ?2), ?5, ?6
       where (select count(*) from evaluation_runs where status = 'running') < ?7 returning id`,
      runId,
      setId,
      setting,
      facts,
      claimedUntil,
      now,
      mostAtOnce,
    ),
    statement(
      `insert into evaluation_results
         (run_id, question_id, question, expected, answer_check, answer, json_schema)
       select x.id, q.id, q.question, q.expected, q.answer_check, q.answer, q.json_schema
       from evaluation_runs x join questions q on q.set_id = x.set_id
       where x.id = ?1`,
      runId,
    ),
    statement(
      `delete from evaluation_runs where status <> 'running' and set_id = ?1 and id not in (
         select id from evaluation_runs where set_id = ?1 order by id desc limit ?2)`,
      setId,
      kept,
    ),
  ]);
  return inserted.length > 0;
}

/** The runs of a set, the latest first. */
export async function listRuns(db: Database, setId: QuestionSetId, { offset, limit }: Slice) {
  const [data, [counted]] = await runBatch(db, [
    query(
      RUN,
      `select ${COLUMNS} from evaluation_runs x where x.set_id = ?1
       order by x.id desc limit ?2 offset ?3`,
      setId,
      limit,
      offset,
    ),
    query(
      row({ total: number }),
      `select count(*) as total from evaluation_runs where set_id = ?1`,
      setId,
    ),
  ]);
  return { data, total: counted?.total ?? 0 };
}

export async function findRun(
  db: Database,
  setId: QuestionSetId,
  runId: string,
): Promise<EvaluationRun | null> {
  return await readRow(
    db,
    RUN,
    `select ${COLUMNS} from evaluation_runs x where x.set_id = ?1 and x.id = ?2`,
    setId,
    runId,
  );
}

/** Deletes a run with its results; one that is under way ends with the question it is at. */
export async function deleteRun(
  db: Database,
  setId: QuestionSetId,
  runId: string,
): Promise<boolean> {
  const deleted = await execute(
    db,
    `delete from evaluation_runs where set_id = ?1 and id = ?2 returning 1`,
    setId,
    runId,
  );
  return deleted.length > 0;
}

/** A worker's claim of a run. */
type Claim = { lease: string; now: number; until: number };

/** Null: it is finished or deleted, or another worker has it. */
export async function claimRun(
  db: Database,
  runId: EvaluationRunId,
  { lease, now, until }: Claim,
): Promise<{ setId: QuestionSetId; setting: Setting } | null> {
  return await readRow(
    db,
    row({ setId: id<QuestionSetId>(), setting: json(settingShape) }),
    `update evaluation_runs set lease = ?2, claimed_until = ?4
     where id = ?1 and status = 'running' and (lease is null or claimed_until <= ?3)
     returning set_id as setId, setting`,
    runId,
    lease,
    now,
    until,
  );
}

/** False: the run was deleted, or another worker has it. */
export async function renewRun(
  db: Database,
  runId: EvaluationRunId,
  lease: string,
  until: number,
): Promise<boolean> {
  const renewed = await execute(
    db,
    `update evaluation_runs set claimed_until = ?3
     where id = ?1 and lease = ?2 and status = 'running' returning 1`,
    runId,
    lease,
    until,
  );
  return renewed.length > 0;
}

/** The sweep sends a message at `dueAt`, in case that of the worker is lost. */
export async function releaseRun(
  db: Database,
  runId: EvaluationRunId,
  lease: string,
  dueAt: number,
): Promise<void> {
  await execute(
    db,
    `update evaluation_runs set lease = null, claimed_until = ?3 where id = ?1 and lease = ?2`,
    runId,
    lease,
    dueAt,
  );
}

export async function finishRun(
  db: Database,
  runId: EvaluationRunId,
  { summary, error, now }: { summary: RunSummary | null; error: string | null; now: number },
): Promise<void> {
  await execute(
    db,
    `update evaluation_runs set status = ?2, summary = ?3, error = ?4, finished_at = ?5,
       lease = null where id = ?1 and status = 'running'`,
    runId,
    error === null ? "done" : "failed",
    summary,
    error,
    now,
  );
}

/** Runs whose worker or message was lost. */
export async function takeUnclaimedRuns(
  db: Database,
  now: number,
  claimedUntil: number,
): Promise<EvaluationRunId[]> {
  const rows = await readRows(
    db,
    row({ id: id<EvaluationRunId>() }),
    `update evaluation_runs set lease = null, claimed_until = ?2
     where status = 'running' and claimed_until <= ?1 returning id`,
    now,
    claimedUntil,
  );
  return rows.map(({ id }) => id);
}
