import { jsonLog } from "../../../src/core/log.ts";
import type { RunListener } from "../../../src/inference/run-events.ts";
import type { InferenceResult } from "../../../src/inference/types.ts";

export type Run = (listening: RunListener) => Promise<InferenceResult>;

export const log = jsonLog(() => {});

export const resultOf = (more: Partial<InferenceResult> = {}): InferenceResult => ({
  response: [{ type: "text", text: "All of it." }],
  items: [],
  questions: [],
  toolCalls: [],
  functionCalls: [],
  finish: "stop",
  systemPrompt: "",
  degradations: [],
  timings: { contextMs: 0, rerankingMs: 0, modelMs: 0, totalMs: 0 },
  usage: { inputTokens: 7, cachedTokens: 5, outputTokens: 2, totalTokens: 3, cost: null },
  uses: [],
  ...more,
});
