import { expect, test } from "vitest";

import { QuarryError } from "../../../src/core/errors.ts";
import type { Tell } from "../../../src/inference/run-events.ts";
import { heardRun } from "../../../src/panel/pages/answers/heard-run.ts";

const failure = () => new QuarryError("model-failed", "Model call failed: provider answered 500");

const failing = async (...events: Parameters<Tell>[0][]) =>
  await heardRun(async (tell) => {
    for (const event of events) await tell(event);
    throw failure();
  });

const said = { type: "delta", text: "Let me look that up.", step: 0 } as const;
const searches = { type: "tool", id: "1", tool: "search", state: "started" } as const;

test("what a model said before it searched is no part of its answer", async () => {
  await expect(failing(said, searches)).rejects.toThrow("provider answered 500");
  const begun = { type: "delta", text: "It is 42", step: 1 } as const;
  const outcome = await failing(said, searches, begun);
  expect(outcome).toMatchObject({ kind: "broken", broken: { text: "It is 42" } });
});
