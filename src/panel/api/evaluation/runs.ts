import { z } from "@hono/zod-openapi";

import { requireFound } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/input/omit-undefined.ts";
import { settingShape, type RunSetting } from "../../../core/input/run-setting.ts";
import { listResults, type EvaluationResult } from "../../../db/evaluation/result-store.ts";
import { deleteRun, findRun, listRuns } from "../../../db/evaluation/run-store.ts";
import type { EvaluationRun } from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import { foundShape, summaryShape, RUN_STATUSES } from "../../../db/schema/evaluation.ts";
import type { ModelUsage } from "../../../db/schema/evaluation.ts";
import { compareRuns } from "../../../evaluation/runs/compare-runs.ts";
import { startRun } from "../../../evaluation/runs/start-run.ts";
import { action, type ActionCall } from "../../action.ts";
import { fieldsOfKind, Endpoints, pageOf, time, timeOrNull, schema } from "../request/endpoint.ts";
import type { Find } from "../request/route.ts";
import { questionSetOf, shownAsked } from "./questions.ts";

const newRun = z.object({ setting: settingShape.default({}) });
const compared = z.object({ with: z.string().min(1) });

/** Made again, because only schemas made after zod was extended have `openapi`. */
const Summary = schema("RunSummary", summaryShape.shape);
const Run = schema("EvaluationRun", {
  id: z.string(),
  status: z.enum(RUN_STATUSES),
  error: z.string().nullable(),
  setting: settingShape,
  facts: z.record(z.string(), z.unknown()),
  ...fieldsOfKind(z.int(), "total", "done"),
  summary: z.object(summaryShape.shape).nullable(),
  startedAt: time,
  finishedAt: timeOrNull,
});
const usage = {
  ...fieldsOfKind(z.int(), "inputTokens", "outputTokens"),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
};
const Result = schema("EvaluationResult", {
  questionId: z.string(),
  ...shownAsked,
  ranks: z.array(z.int().nullable()),
  found: z.array(foundShape),
  response: z.string().nullable(),
  right: z.boolean().nullable(),
  ...fieldsOfKind(z.string().nullable(), "why", "error"),
  degraded: z.boolean(),
  latencyMs: z.number(),
  ...usage,
  judge: z.object(usage).nullable(),
  finishedAt: timeOrNull,
});
const Comparison = schema("RunComparison", {
  questions: z.int(),
  ...fieldsOfKind(Summary, "first", "second"),
  measures: z.array(
    z.object({
      measure: z.string(),
      questions: z.int(),
      ...fieldsOfKind(z.number(), "first", "second"),
      difference: z.object({ mean: z.number(), low: z.number(), high: z.number() }),
      isClear: z.boolean(),
    }),
  ),
});

const spentOf = ({ cost, currency, ...tokens }: ModelUsage) => ({
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

export type RunOfSet = { set: QuestionSet; run: EvaluationRun };

/** `{run}` of a set. @throws QuarryError `not-found`. */
export const runOf: Find<RunOfSet> = async (services, { key, param }) => {
  const set = await questionSetOf(services, { key });
  return { set, run: requireFound(await findRun(services.db, set.id, param("run"))) };
};

const SET = "/question-sets/{id}";

const runCreation = action({
  name: "question-sets.runs.create",
  route: `post ${SET}/runs`,
  about:
    "Start a run. It continues in the background; `setting` has the values that differ from the resource's.",
  find: questionSetOf,
  body: newRun,
  errors: [409, 422],
  work: async ({ services, subject: set, body }) => {
    const setting: RunSetting = omitUndefined(body.setting);
    return requireFound(
      await findRun(services.db, set.id, await startRun(services, { set, setting })),
    );
  },
  answer: Run,
});

const twoRuns = z.object({ setting: settingShape, second: settingShape });

export const runsCreation = action({
  name: "question-sets.runs.create",
  about: "Start a run, and one with a second setting to compare it with.",
  body: twoRuns,
  work: async ({
    services,
    subject: set,
    body: { setting, second },
  }: ActionCall<QuestionSet, typeof twoRuns>) => {
    const ids = [await startRun(services, { set, setting: omitUndefined(setting) })];
    if (Object.keys(second).length > 0) {
      ids.push(await startRun(services, { set, setting: omitUndefined(second) }));
    }
    return ids;
  },
});

export const runRemoval = action({
  name: "question-sets.runs.remove",
  route: `delete ${SET}/runs/{run}`,
  about: "Remove a run. A run in progress ends.",
  find: runOf,
  work: async ({ services, subject: { set, run } }) => {
    await deleteRun(services.db, set.id, run.id);
  },
  target: ({ set, run }) => `${set.identifier}/${run.id}`,
  notice: "The run is removed.",
});

export const runListRoutes = new Endpoints("evaluation", questionSetOf)
  .list(
    `get ${SET}/runs`,
    "Runs, the newest first. With their figures if they are done.",
    { item: Run },
    ({ services, subject: set, paging }) => listRuns(services.db, set.id, paging),
  )
  .action(runCreation).app;

export const runRoutes = new Endpoints("evaluation", runOf)
  .json(
    `get ${SET}/runs/{run}`,
    "A run. Its progress and figures.",
    { answer: Run },
    ({ subject }) => subject.run,
  )
  .list(
    `get ${SET}/runs/{run}/results`,
    "Results of a run. Question by question.",
    { item: Result },
    async ({ services, subject: { run }, paging }) =>
      pageOf(await listResults(services.db, run.id, paging), resultOf),
  )
  .json(
    `get ${SET}/runs/{run}/comparison`,
    "Compare two runs. Paired by question, with a bootstrap interval of each difference.",
    { query: compared, answer: Comparison, errors: [422] },
    async ({ services, subject: { set, run }, query }) =>
      await compareRuns(
        services,
        run,
        requireFound(await findRun(services.db, set.id, query.with)),
      ),
  )
  .action(runRemoval).app;
