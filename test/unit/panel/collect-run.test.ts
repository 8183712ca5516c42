import { expect, test } from "vitest";

import { QuarryError } from "../../../src/core/errors.ts";
import type { EmitEvent } from "../../../src/inference/run-events.ts";
import { collectRun } from "../../../src/panel/pages/answers/run-result.tsx";

const failure = () => new QuarryError("model-failed", "Model call failed: provider answered 500");

const failing = async (...events: Parameters<EmitEvent>[0][]) =>
  await collectRun(async (emit) => {
    for (const event of events) await emit(event);
    throw failure();
  });

const remark = { type: "delta", text: "Let me look that up.", step: 0 } as const;
const searches = { type: "tool", id: "1", tool: "search", state: "started" } as const;

test("what a model said before it searched is no part of its answer", async () => {
  await expect(failing(remark, searches)).rejects.toThrow("provider answered 500");
  const partialAnswer = { type: "delta", text: "It is 42", step: 1 } as const;
  const outcome = await failing(remark, searches, partialAnswer);
  expect(outcome).toMatchObject({ kind: "broken", broken: { text: "It is 42" } });
});
