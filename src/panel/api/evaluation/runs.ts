import { Hono } from "hono";
import { z } from "zod";

import { notFound } from "../../../core/errors.ts";
import { IDENTIFIER_MAX_LENGTH } from "../../../core/ids.ts";
import { isoTime } from "../../../core/time.ts";
import { listResults, type EvaluationResult } from "../../../db/evaluation/result-store.ts";
import {
  deleteRun,
  findRun,
  listRuns,
  type EvaluationRun,
} from "../../../db/evaluation/run-store.ts";
import type { QuestionSet } from "../../../db/evaluation/set-store.ts";
import type { Setting, Spent } from "../../../db/evaluation/stored-shapes.ts";
import { findQuestionSet } from "../../../evaluation/questions/question-sets.ts";
import { compareRuns } from "../../../evaluation/runs/compare-runs.ts";
import { startRun } from "../../../evaluation/runs/start-run.ts";
import { jsonBody } from "../../../http/middleware/json-body.ts";
import { searchFields } from "../../../http/schemas/retrieval.ts";
import { parseOrRefuse } from "../../../http/validation.ts";
import type { Services } from "../../../services.ts";
import { modelName } from "../request/fields.ts";
import type { PanelEnv } from "../request/panel-env.ts";
import { bodyOf, given, pageOf, pagingOf } from "../request/read-request.ts";

/** What a run changes; a field that is not sent is as the RAG or the inference has it. */
export const runSetting = z.object({
  target: z.string().min(1).max(IDENTIFIER_MAX_LENGTH).optional(),
  model: modelName.optional(),
  reranker: modelName.nullable().optional(),
  topK: searchFields.topK.unwrap().optional(),
  searchMode: searchFields.searchMode,
  useReranking: z.boolean().optional(),
  candidateMultiplier: searchFields.candidateMultiplier.unwrap().optional(),
  similarityThreshold: searchFields.similarityThreshold,
  includeDuplicates: z.boolean().optional(),
});
export const newRun = z.object({ setting: runSetting.default({}) });
export const compared = z.object({ with: z.string().min(1) });

const time = (ms: number | null) => (ms === null ? null : isoTime(ms));

const shown = (run: EvaluationRun) => ({
  id: run.id,
  status: run.status,
  error: run.error,
  setting: run.setting,
  facts: run.facts,
  total: run.total,
  done: run.done,
  summary: run.summary,
  startedAt: isoTime(run.startedAt),
  finishedAt: time(run.finishedAt),
});

const shownSpent = ({ inputTokens, outputTokens, cost, currency }: Spent) => ({
  inputTokens,
  outputTokens,
  cost: cost === null || currency === null ? null : { amount: cost, currency },
});

const shownResult = (result: EvaluationResult) => ({
  questionId: result.questionId,
  question: result.question,
  expected: result.expected,
  check: result.answerCheck,
  answer: result.answer,
  ranks: result.ranks,
  found: result.found,
  response: result.response,
  right: result.isRight,
  why: result.why,
  error: result.error,
  degraded: result.isDegraded,
  latencyMs: result.latencyMs,
  ...shownSpent(result),
  judge: result.judge === null ? null : shownSpent(result.judge),
  finishedAt: time(result.finishedAt),
});

type Named = { set: QuestionSet; run: EvaluationRun };

async function runOf(services: Services, setKey: string, runId: string): Promise<Named> {
  const set = await findQuestionSet(services, setKey);
  const run = await findRun(services.db, set.id, runId);
  if (run === null) throw notFound();
  return { set, run };
}

/** Below `/question-sets`. */
export function runRoutes(): Hono<PanelEnv> {
  const app = new Hono<PanelEnv>();

  app.get("/:id/runs", async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const paging = pagingOf(context.req);
    return context.json(pageOf(await listRuns(services.db, set.id, paging), paging, shown));
  });

  app.post("/:id/runs", jsonBody(), async (context) => {
    const services = context.get("services");
    const set = await findQuestionSet(services, context.req.param("id"));
    const { setting } = await bodyOf(context.req, newRun);
    const sent: Setting = given(setting);
    const runId = await startRun(services, { set, setting: sent });
    const { run } = await runOf(services, set.id, runId);
    return context.json(shown(run), 201);
  });

  app.get("/:id/runs/:run", async (context) => {
    const { run } = await runOf(context.get("services"), ...namesIn(context.req.param()));
    return context.json(shown(run));
  });

  app.get("/:id/runs/:run/results", async (context) => {
    const services = context.get("services");
    const { run } = await runOf(services, ...namesIn(context.req.param()));
    const paging = pagingOf(context.req);
    const results = await listResults(services.db, run.id, paging);
    return context.json(pageOf(results, paging, shownResult));
  });

  app.get("/:id/runs/:run/comparison", async (context) => {
    const services = context.get("services");
    const { set, run } = await runOf(services, ...namesIn(context.req.param()));
    const query = parseOrRefuse(compared, context.req.query());
    const { run: other } = await runOf(services, set.id, query.with);
    return context.json(await compareRuns(services, run, other));
  });

  app.delete("/:id/runs/:run", async (context) => {
    const services = context.get("services");
    const { set, run } = await runOf(services, ...namesIn(context.req.param()));
    await deleteRun(services.db, set.id, run.id);
    return context.body(null, 204);
  });
  return app;
}

const namesIn = ({ id, run }: { id: string; run: string }): [string, string] => [id, run];
