import { z } from "@hono/zod-openapi";
import type { Context } from "hono";

import { orNotFound } from "../../../core/errors.ts";
import { listResults, type EvaluationResult } from "../../../db/evaluation/result-store.ts";
import { deleteRun, findRun, listRuns } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { foundShape, settingShape } from "../../../db/schema/evaluation.ts";
import { summaryShape, RUN_STATUSES } from "../../../db/schema/evaluation.ts";
import type { Setting, Spent } from "../../../db/schema/evaluation.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { compareRuns } from "../../../evaluation/runs/compare-runs.ts";
import { startRun } from "../../../evaluation/runs/start-run.ts";
import type { Services } from "../../../services.ts";
import { Endpoints, pageOf, time, timeOrNull } from "../request/endpoint.ts";
import type { PanelEnv } from "../request/read-request.ts";
import { given } from "../../../core/input/given.ts";
import { shownAsked } from "./questions.ts";

const newRun = z.object({ setting: settingShape.default({}) });
const compared = z.object({ with: z.string().min(1) });

/** Made again, because only schemas made after zod was extended have `openapi`. */
const Summary = z.object(summaryShape.shape).openapi("RunSummary");
const Run = z
  .object({
    id: z.string(),
    status: z.enum(RUN_STATUSES),
    error: z.string().nullable(),
    setting: settingShape,
    facts: z.record(z.string(), z.unknown()),
    total: z.int(),
    done: z.int(),
    summary: z.object(summaryShape.shape).nullable().openapi("SummaryIfDone"),
    startedAt: time,
    finishedAt: timeOrNull,
  })
  .openapi("EvaluationRun");
const spent = {
  inputTokens: z.int(),
  outputTokens: z.int(),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
};
const Result = z
  .object({
    questionId: z.string(),
    ...shownAsked,
    ranks: z.array(z.int().nullable()),
    found: z.array(foundShape),
    response: z.string().nullable(),
    right: z.boolean().nullable(),
    why: z.string().nullable(),
    error: z.string().nullable(),
    degraded: z.boolean(),
    latencyMs: z.number(),
    ...spent,
    judge: z.object(spent).nullable(),
    finishedAt: timeOrNull,
  })
  .openapi("EvaluationResult");
const Comparison = z
  .object({
    questions: z.int(),
    first: Summary,
    second: Summary,
    measures: z.array(
      z.object({
        measure: z.string(),
        questions: z.int(),
        first: z.number(),
        second: z.number(),
        difference: z.object({ mean: z.number(), low: z.number(), high: z.number() }),
        isClear: z.boolean(),
      }),
    ),
  })
  .openapi("RunComparison");

const spentOf = ({ cost, currency, ...tokens }: Spent) => ({
  ...tokens,
  cost: cost === null || currency === null ? null : { amount: cost, currency },
});
const resultOf = (result: EvaluationResult) => ({
  ...result,
  check: result.answerCheck,
  right: result.isRight,
  degraded: result.isDegraded,
  ...spentOf(result),
  judge: result.judge === null ? null : spentOf(result.judge),
});

type RunCall = { context: Context<PanelEnv>; services: Services; found: QuestionSet };

/** The run that `{run}` of the path names. @throws QuarryError `not-found`. */
async function runOf({ context, services, found: set }: RunCall, id = context.req.param("run")) {
  return orNotFound(await findRun(services.db, set.id, id ?? ""));
}

const SET = "/question-sets/{id}";

export const runRoutes = new Endpoints("evaluation", findQuestionSet)
  .list(
    `get ${SET}/runs`,
    "Runs, the newest first. With their figures if they are done.",
    { item: Run },
    ({ services, found: set, paging }) => listRuns(services.db, set.id, paging),
  )
  .json(
    `post ${SET}/runs`,
    "Start a run. It continues in the background; `setting` has the values that differ from the resource's.",
    { body: newRun, answer: Run, status: 201, errors: [409, 422] },
    async (call) => {
      const { services, found: set, body } = call;
      const setting: Setting = given(body.setting);
      return await runOf(call, await startRun(services, { set, setting }));
    },
  )
  .json(`get ${SET}/runs/{run}`, "A run. Its progress and figures.", { answer: Run }, (call) =>
    runOf(call),
  )
  .list(
    `get ${SET}/runs/{run}/results`,
    "Results of a run. Question by question.",
    { item: Result },
    async (call) => {
      const run = await runOf(call);
      return pageOf(await listResults(call.services.db, run.id, call.paging), resultOf);
    },
  )
  .json(
    `get ${SET}/runs/{run}/comparison`,
    "Compare two runs. Paired by question, with a bootstrap interval of each difference.",
    { query: compared, answer: Comparison, errors: [422] },
    async (call) => {
      const run = await runOf(call);
      return await compareRuns(call.services, run, await runOf(call, call.query.with));
    },
  )
  .empty(`delete ${SET}/runs/{run}`, "Remove a run. A run in progress ends.", {}, async (call) => {
    await deleteRun(call.services.db, call.found.id, (await runOf(call)).id);
  }).app;
