import { z } from "zod";

import { sendForJson } from "../api/send.ts";
import type { ApiTarget } from "../api/send.ts";

const measures = z.record(z.string(), z.number().nullable());
const cost = z.object({ amount: z.number(), currency: z.string() }).nullable();
const spent = { inputTokens: z.number(), outputTokens: z.number(), cost };
const summary = z.looseObject({
  questions: z.number(),
  errors: z.number(),
  measures,
  degradedShare: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  ...spent,
  judge: z.object(spent).nullable(),
});
export type RunSummary = z.infer<typeof summary>;

const run = z.looseObject({
  id: z.string(),
  status: z.enum(["running", "done", "failed"]),
  error: z.string().nullable(),
  total: z.number(),
  done: z.number(),
  summary: summary.nullable(),
  facts: z.looseObject({ missingFiles: z.string().optional() }).optional(),
});
export type Run = z.infer<typeof run>;

const interval = z.object({ mean: z.number(), low: z.number(), high: z.number() });
const comparison = z.looseObject({
  questions: z.number(),
  first: summary,
  second: summary,
  measures: z.array(
    z.looseObject({
      measure: z.string(),
      questions: z.number(),
      first: z.number(),
      second: z.number(),
      difference: interval,
      isClear: z.boolean(),
    }),
  ),
});
export type Comparison = z.infer<typeof comparison>;

/** The part of the panel's API that evaluations need, with an automation key. */
export function evaluationApi(baseUrl: string, key: string) {
  const target: ApiTarget = {
    baseUrl,
    headers: { Authorization: `Bearer ${key}` },
    credential: "QUARRY_KEY",
  };
  const runsOf = (set: string) => `/panel/api/question-sets/${encodeURIComponent(set)}/runs`;
  const what = (set: string) => `question set ${set}`;
  // A run goes on while its service is started again: who waits for it waits on.
  const repeated = { mayRepeat: true } as const;
  return {
    start: (set: string, setting: Record<string, unknown>) => {
      const request = { method: "POST", path: runsOf(set), json: { setting } } as const;
      return sendForJson(target, { ...request, what: what(set) }, run);
    },
    run: (set: string, id: string) =>
      sendForJson(target, { ...repeated, path: `${runsOf(set)}/${id}`, what: what(set) }, run),
    pageOf: (set: string, id: string) => `${baseUrl}/panel/evaluation/${set}/runs/${id}`,
    compare: (set: string, first: string, second: string) => {
      const path = `${runsOf(set)}/${first}/comparison?with=${second}`;
      return sendForJson(target, { ...repeated, path, what: what(set) }, comparison);
    },
  };
}

export type EvaluationApi = ReturnType<typeof evaluationApi>;
