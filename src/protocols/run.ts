import type { PublicAgent, PublicInference } from "../db/access/principal-lookup.ts";
import { runAgent, SEARCH } from "../inference/run-agent.ts";
import type { RunContext } from "../inference/run-events.ts";
import { runInference } from "../inference/run-inference.ts";
import type { InferenceResult } from "../inference/types.ts";
import type { Services } from "../services.ts";

export type Runner =
  | { kind: "inference"; inference: PublicInference }
  | { kind: "agent"; agent: PublicAgent };

export type Run = RunContext & {
  runner: Runner;
  prompt: string;
  /** The query of an inference's search; absent: the question of the turns. */
  query?: string | undefined;
  jsonSchema?: string | undefined;
};

/** @throws QuarryError `invalid`, `model-failed` */
export async function run(services: Services, request: Run): Promise<InferenceResult> {
  const { runner, prompt, query, jsonSchema, ...common } = request;
  if (runner.kind === "agent") {
    return await runAgent(services, { agent: runner.agent, prompt, jsonSchema, ...common });
  }
  const { inference } = runner;
  const { nativeRag, rags } = inference;
  // An inference that searches nothing by itself takes no query.
  const searches = nativeRag && rags.length > 0 ? { semanticSearch: [query ?? prompt] } : {};
  const input = { prompt, jsonSchema, ...SEARCH, ...searches, useAllFiles: true };
  const searchesTurns = query === undefined;
  return await runInference(services, { inference, input, searchesTurns, ...common });
}
