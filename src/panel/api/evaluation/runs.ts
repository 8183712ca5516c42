import { z } from "@hono/zod-openapi";
import type { Context } from "hono";

import { notFound } from "../../../core/errors.ts";
import { listResults, type EvaluationResult } from "../../../db/evaluation/result-store.ts";
import {
  deleteRun,
  findRun,
  listRuns,
  type EvaluationRun,
} from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import {
  factsShape,
  foundShape,
  settingShape,
  summaryShape,
  type Setting,
  type Spent,
} from "../../../db/schema/evaluation-shapes.ts";
import { RUN_STATUSES } from "../../../db/schema/evaluation.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { compareRuns } from "../../../evaluation/runs/compare-runs.ts";
import { startRun } from "../../../evaluation/runs/start-run.ts";
import type { Services } from "../../../services.ts";
import { Endpoints, time, timeOrNull } from "../request/endpoint.ts";
import type { PanelEnv } from "../request/panel-env.ts";
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
    facts: factsShape,
    total: z.int(),
    done: z.int(),
    summary: Summary.nullable(),
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

type Named = { set: QuestionSet; run: EvaluationRun };

async function runOf(services: Services, setKey: string, runId: string): Promise<Named> {
  const set = await findQuestionSet(services, setKey);
  const run = await findRun(services.db, set.id, runId);
  if (run === null) throw notFound();
  return { set, run };
}

const SET = "/question-sets/{id}";
const runIn = ({ context }: { context: Context<PanelEnv> }) => context.req.param("run") ?? "";

export const runRoutes = () =>
  new Endpoints("evaluation")
    .list(
      `get ${SET}/runs`,
      { about: "Runs, the newest first. With their figures where they are done.", item: Run },
      async ({ services, key, paging }) =>
        await listRuns(services.db, (await findQuestionSet(services, key)).id, paging),
    )
    .json(
      `post ${SET}/runs`,
      {
        about:
          "Start a run. It goes on in the background; `setting` holds what differs from the resource.",
        body: newRun,
        answer: Run,
        status: 201,
        errors: [409, 422],
      },
      async ({ services, key, body }) => {
        const set = await findQuestionSet(services, key);
        const setting: Setting = given(body.setting);
        return (await runOf(services, set.id, await startRun(services, { set, setting }))).run;
      },
    )
    .json(
      `get ${SET}/runs/{run}`,
      { about: "A run. Progress and figures of a run.", answer: Run },
      async (call) => (await runOf(call.services, call.key, runIn(call))).run,
    )
    .list(
      `get ${SET}/runs/{run}/results`,
      { about: "Results of a run. Question by question.", item: Result },
      async (call) => {
        const { run } = await runOf(call.services, call.key, runIn(call));
        const { data, total } = await listResults(call.services.db, run.id, call.paging);
        return { data: data.map(resultOf), total };
      },
    )
    .json(
      `get ${SET}/runs/{run}/comparison`,
      {
        about:
          "Compare two runs. Paired by question, with a bootstrap interval of each difference.",
        query: compared,
        answer: Comparison,
        errors: [422],
      },
      async (call) => {
        const { services, query } = call;
        const { set, run } = await runOf(services, call.key, runIn(call));
        const { run: other } = await runOf(services, set.id, query.with);
        return await compareRuns(services, run, other);
      },
    )
    .empty(
      `delete ${SET}/runs/{run}`,
      { about: "Remove a run. One under way ends." },
      async (call) => {
        const { set, run } = await runOf(call.services, call.key, runIn(call));
        await deleteRun(call.services.db, set.id, run.id);
      },
    ).app;
