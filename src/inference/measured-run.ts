import { newDelimiterKey } from "../text/prompt-delimiters.ts";
import type { ModelUse } from "../ports/job-queue.ts";
import { newMeter } from "./retrying-model.ts";
import type { Meter } from "./retrying-model.ts";
import { recordUsage, startPriceLookup, usageOf } from "./record-usage.ts";
import type { UsageOutcome, UsageSubject } from "./record-usage.ts";
import type { InferenceResult, InferenceServices } from "./types.ts";

type Finished = Omit<InferenceResult, "usage" | "timings" | "systemPrompt"> & {
  contextMs: number;
  rerankingMs: number;
};

/** What a run receives and fills in. */
export type RunTools = {
  /** Of the delimiters; see text/prompt-delimiters.ts. */
  key: string;
  meter: Meter;
  /** Usage of embedding and reranking so far; counted even when the run fails later. */
  uses: ModelUse[];
};

type Run = (tools: RunTools) => Promise<Finished>;
type MeasuredSubject = UsageSubject & { model: string };

/**
 * Measures and records a run, whatever its outcome; usage is sent after the answer. When a caller
 * disconnects, the model's work is aborted and what it used is counted.
 */
export function measured(
  services: InferenceServices,
  subject: MeasuredSubject,
  systemPrompt: string,
  run: Run,
): Promise<InferenceResult> {
  const running = measure(services, subject, systemPrompt, run);
  services.inBackground(running.catch(() => undefined));
  return running;
}

async function measure(
  services: InferenceServices,
  subject: MeasuredSubject,
  systemPrompt: string,
  run: Run,
): Promise<InferenceResult> {
  const startedAt = services.now();
  const meter = newMeter();
  const uses: ModelUse[] = [];
  const price = startPriceLookup(services, subject.model);
  const record = async (outcome: UsageOutcome["outcome"]) => {
    const latencyMs = services.now() - startedAt;
    const usage = usageOf(meter, await price.soon());
    recordUsage(services, subject, { outcome, latencyMs, usage, uses });
    return { usage, latencyMs };
  };
  let finished: Finished;
  try {
    finished = await run({ key: newDelimiterKey(), meter, uses });
  } catch (thrown) {
    await record("error");
    throw thrown;
  }
  const { contextMs, rerankingMs, ...result } = finished;
  const { usage, latencyMs } = await record(result.degradations.length > 0 ? "degraded" : "ok");
  const timings = { contextMs, rerankingMs, modelMs: meter.modelMs, totalMs: latencyMs };
  return { ...result, systemPrompt, timings, usage };
}
