import { z } from "zod";

import { SECOND_MS } from "../time.ts";
import { wholeCharacterEnd } from "../whole-character.ts";

/** The doors at which calls arrive: a fixed list, because the metrics have series for each. */
const SURFACES = ["api", "v1", "mcp", "dify", "embed", "oauth", "panel"] as const;

/** Null: calls of this path are neither counted nor listed, such as `/health` and the reference. */
export function surfaceOf(path: string) {
  const segment = /^\/(?!api\/(?:docs|openapi))(\w+)/.exec(path)?.[1] ?? "";
  if (/^(?:authorize|register|token)$/.test(segment)) return "oauth";
  return SURFACES.find((surface) => surface === segment) ?? null;
}

const MAX_LENGTH = 200;
const MAX_TEXTS = 4;
/** Whatever stands before it: `%2F` ends with a letter. */
const CREDENTIAL = /(qry[a-z]*|whsec)_[\w-]+/g;

/** The beginning of a text without credentials: people paste them into addresses. */
export function plainText(value: string): string {
  const plain = value.slice(0, 2 * MAX_LENGTH).replaceAll(CREDENTIAL, "$1_…");
  return plain.slice(0, wholeCharacterEnd(plain, MAX_LENGTH));
}
const text = z.string().overwrite(plainText);
const texts = z.array(text).overwrite((list) => list.slice(0, MAX_TEXTS));

/** One call in the request log: how it went, never what it searched for or answered. */
export const callRecord = z.object({
  id: z.string(),
  /** When it began, ms. */
  time: z.number(),
  surface: z.enum(SURFACES),
  method: z.string(),
  path: text,
  status: z.int(),
  durationMs: z.number().describe("Until the answer began."),
  requestId: text,
  token: z.object({ id: z.string(), name: text.nullable() }).nullable(),
  reader: text.nullable().default(null),
  degraded: texts.default([]),
  error: text.nullable().default(null),
  models: texts.default([]),
  /** The sum over its models. */
  inputTokens: z.number().default(0),
  outputTokens: z.number().default(0),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable().default(null),
  legs: z.record(z.string(), z.number()).default({}).describe("Milliseconds of each part."),
});
/** `isFirst`: false where a streamed call is recorded again at its end. */
export type CallRecord = z.infer<typeof callRecord> & { isFirst?: boolean };

/** Facts that a call notes while it runs. */
export type CallNotes = Partial<Omit<CallRecord, "id" | "time" | "isFirst">>;

/** Sums over all calls by the names of their series: they only grow. */
export type CallCounters = Record<string, number>;

/** Upper bounds of the histogram's buckets, seconds, as OpenMetrics writes numbers. */
const BOUNDS = "0.05 0.1 0.25 0.5 1.0 2.5 5.0 10.0 30.0 60.0 +Inf".split(" ");

export function countCall(counters: CallCounters, call: CallRecord): void {
  const add = (series: string, amount = 1) => {
    counters[series] = (counters[series] ?? 0) + amount;
  };
  // A streamed call says at its end whether it was degraded.
  if (call.degraded.length > 0) add("quarry_degraded_total");
  if (call.isFirst === false) return;
  const surface = `surface="${call.surface}"`;
  const seconds = call.durationMs / SECOND_MS;
  add(`quarry_calls_total{${surface},status="${call.status}"}`);
  for (const bound of BOUNDS) {
    const isWithin = bound === "+Inf" || seconds <= Number(bound);
    add(`quarry_call_duration_seconds_bucket{${surface},le="${bound}"}`, isWithin ? 1 : 0);
  }
  add(`quarry_call_duration_seconds_count{${surface}}`);
  add(`quarry_call_duration_seconds_sum{${surface}}`, seconds);
}
