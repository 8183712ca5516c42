import { QuarryError } from "../../../core/errors.ts";
import type { EmitEvent } from "../../../inference/run-events.ts";
import type { InferenceResult } from "../../../inference/types.ts";
import type { RetrievedChunk } from "../../../retrieval/score-chunks.ts";

/** An answer whose model failed while it was writing. */
type BrokenAnswer = { text: string; items: RetrievedChunk[]; reason: string };

export type RunOutcome =
  | { kind: "whole"; result: InferenceResult }
  | { kind: "broken"; broken: BrokenAnswer };

/**
 * Listens to a run, so that what its model wrote is kept when the model fails midway. `forward`
 * listens as well.
 * @throws QuarryError `unprocessable` where the model failed before it wrote anything: what its
 *   provider says belongs next to the prompt, not on its own page.
 */
export async function collectRun(
  run: (emit: EmitEvent) => Promise<InferenceResult>,
  forward?: EmitEvent,
): Promise<RunOutcome> {
  const items: RetrievedChunk[] = [];
  let parts: string[] = [];
  let writing = -1;
  const emit: EmitEvent = async (event) => {
    if (event.type === "retrieval") items.push(...event.items);
    // What it said before a tool ran is no part of its answer.
    if (event.type === "tool" && event.state === "started") parts = [];
    if (event.type === "delta") {
      // A further call of the model begins a new text.
      if (event.step !== writing) parts = [];
      writing = event.step;
      parts.push(event.text);
    }
    await forward?.(event);
  };
  try {
    return { kind: "whole", result: await run(emit) };
  } catch (thrown) {
    if (!(thrown instanceof QuarryError) || thrown.kind !== "model-failed") throw thrown;
    const text = parts.join("");
    if (text.trim() === "") throw new QuarryError("unprocessable", thrown.message);
    return { kind: "broken", broken: { text, items, reason: thrown.message } };
  }
}
