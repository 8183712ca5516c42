import { problemText, unprocessable } from "../../core/errors.ts";
import { newId, type EvaluationRunId } from "../../core/ids.ts";
import type { RunSetting } from "../../core/input/run-setting.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { allQuestions, hasJudgedQuestions } from "../../db/evaluation/question-store.ts";
import { insertRun } from "../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../db/evaluation/set-store.ts";
import type { RunFacts } from "../../db/schema/evaluation.ts";
import type { Database } from "../../db/sql.ts";
import type { Services } from "../../services.ts";
import { RUNS_AT_ONCE, RUNS_KEPT } from "../limits.ts";
import { findAbsentFiles } from "../questions/absent-files.ts";
import { judgeProblem } from "../questions/question-sets.ts";
import { factsOf, subjectOfRun, type Subject } from "./subject-of-run.ts";

/** How long a message may wait before the sweep sends another. */
export const QUEUED_RUN_MS = MINUTE_MS;

const NO_QUESTIONS = "The set has no confirmed questions: add, import or confirm some";

/**
 * Starts a run of a set with one setting; it is worked on in the background.
 * @throws QuarryError `invalid`; `unprocessable`: nothing to ask, no judge, too many runs.
 */
export async function startRun(
  services: Services,
  { set, setting }: { set: QuestionSet; setting: RunSetting },
): Promise<EvaluationRunId> {
  const { db, now, queue } = services;
  const subject = await subjectOfRun(services, set, setting);
  if (set.questions === 0) throw unprocessable(NO_QUESTIONS);
  if (await hasJudgedQuestions(db, set.id)) await checkJudgeOf(services, set);
  const startedAt = now();
  const id = newId<EvaluationRunId>(startedAt);
  const facts = { ...factsOf(subject, setting), ...(await missingFiles(db, set, subject)) };
  const run = { id, setId: set.id, setting, facts, now: startedAt };
  const limits = { maxAtOnce: RUNS_AT_ONCE, kept: RUNS_KEPT };
  if (!(await insertRun(db, { ...run, claimedUntil: startedAt + QUEUED_RUN_MS }, limits))) {
    throw unprocessable(`${RUNS_AT_ONCE} runs are in progress: wait until one ends`);
  }
  await queue.scan({ kind: "evaluate", runId: id });
  return id;
}

/** Files that are named and not there count as not found: a reader of the run must know. */
async function missingFiles(db: Database, set: QuestionSet, subject: Subject): Promise<RunFacts> {
  const questions = await allQuestions(db, set.id);
  const rags = subject.kind === "rag" ? [subject.rag] : subject.inference.rags;
  const missing = await findAbsentFiles(db, rags, questions);
  return missing.length === 0 ? {} : { missingFiles: missing.toSorted().join(", ") };
}

/** A judge that was fit when it was named may be none any more. @throws QuarryError `unprocessable` */
async function checkJudgeOf(services: Services, { judgeModel }: QuestionSet): Promise<void> {
  if (judgeModel === null) {
    throw unprocessable("The set has questions that a model judges, and no judgeModel");
  }
  const problem = await judgeProblem(services, judgeModel);
  if (problem !== null) throw unprocessable(problemText(problem));
}
