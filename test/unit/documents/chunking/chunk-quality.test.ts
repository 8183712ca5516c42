import { expect, it } from "vitest";

import { chunkQuality } from "../../../support/chunk-quality.ts";

/** Tolerance in 40 questions: half of what the bench shows, so that one changed answer passes. */
const MARGIN = 8;

it.each([
  ["small chunks hold many more whole answers", 100, { more: MARGIN, least: 0 }],
  ["chunks of the usual size hold nearly every answer", 400, { more: 0, least: 37 }],
])("by structure %s than plain stretches do", async (_what, size, { more, least }) => {
  const structure = await chunkQuality(size, "structure");
  const fixed = await chunkQuality(size, "fixed");
  expect(structure.questions).toBe(40);
  expect(structure.answered).toBeGreaterThanOrEqual(Math.max(least, fixed.answered + more));
});
