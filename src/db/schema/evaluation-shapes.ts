import { z } from "zod";

import { IDENTIFIER_MAX_LENGTH } from "../../core/ids.ts";
import { modelName } from "../../core/input/input-fields.ts";
import { searchSettings } from "../../core/input/search-settings.ts";

/** Something that must be found: a file and, unless null, a text in it. */
export const expectedShape = z.object({ file: z.string(), passage: z.string().nullable() });
export type Expected = z.infer<typeof expectedShape>;

/** What a run changes of the resource's own settings; absent: as the resource has it. */
export const settingShape = searchSettings.partial().extend({
  /** Another RAG or another inference that is asked instead: its identifier. */
  target: z.string().min(1).max(IDENTIFIER_MAX_LENGTH).optional(),
  /** Another chat model, of an inference. */
  model: modelName.optional(),
  reranker: modelName.nullable().optional(),
});
export type Setting = z.infer<typeof settingShape>;

/** What a run was made with, for people who read it later. */
export const factsShape = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
);
export type RunFacts = z.infer<typeof factsShape>;

/** Tokens, and what they cost; null where nothing has a price or prices have two currencies. */
export const spentShape = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cost: z.number().nullable(),
  currency: z.string().nullable(),
});
export type Spent = z.infer<typeof spentShape>;

const cost = z.object({ amount: z.number(), currency: z.string() }).nullable();
const spentInAll = { inputTokens: z.number(), outputTokens: z.number(), cost };

/** Figures of a run. Measures and shares are 0 to 1, times are ms. */
export const summaryShape = z.object({
  questions: z.number(),
  errors: z.number(),
  /** By name; null: no question asks for it. */
  measures: z.record(z.string(), z.number().nullable()),
  degradedShare: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  ...spentInAll,
  /** What judging the answers took, which is not in the figures above; null: none was judged. */
  judge: z.object(spentInAll).nullable(),
});
export type RunSummary = z.infer<typeof summaryShape>;

export const foundShape = z.object({
  file: z.string(),
  page: z.number().nullable(),
  score: z.number(),
});
