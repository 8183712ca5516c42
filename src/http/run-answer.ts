import type { InferenceResult, Timings, ToolCall } from "../inference/types.ts";
import { chunkAnswer, degradedFor } from "./answers.ts";
import type { Caller } from "./caller.ts";

type RunOptions = { includeSources?: boolean | undefined; includeSystemPrompt: boolean };

/** The common answer of an inference run and an agent turn, as this caller may see it. */
export function runAnswer(
  result: Omit<InferenceResult, "response">,
  asked: RunOptions,
  caller: Caller,
) {
  const { items, toolCalls, systemPrompt, degradations, timings, usage } = result;
  return {
    items: items.map((chunk) => chunkAnswer(chunk, asked.includeSources)),
    toolCalls: toolCalls.map((call) => toolCallFor(caller, call)),
    ...(asked.includeSystemPrompt ? { systemPrompt } : {}),
    ...degradedFor(caller, degradations),
    ...(caller.isAdmin ? { timings, usage } : {}),
  };
}

function toolCallFor({ isAdmin }: Caller, { id, tool, ok, debug }: ToolCall) {
  return isAdmin ? { id, tool, ok, debug } : { id, tool, ok };
}

/** `X-Inference-Timings`, in the syntax of Server-Timing. */
export function timingHeader({ contextMs, rerankingMs, modelMs, totalMs }: Timings): string {
  const parts = { context: contextMs, reranking: rerankingMs, model: modelMs, total: totalMs };
  return Object.entries(parts)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(", ");
}
