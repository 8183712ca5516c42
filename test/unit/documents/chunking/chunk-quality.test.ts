import { join } from "node:path";
import { expect, it } from "vitest";
import { chunkQuality, passageQuality } from "../../../support/chunk-quality.ts";

const DOCUMENTS = join(import.meta.dirname, "../../../fixtures/documents");

/** Chunks, tokens. */
const SMALL = 100;
const USUAL = 400;
/** Of 40 questions: half of what the bench shows, so that a small change of one answer passes. */
const MARGIN = 8;

it("small chunks by structure hold many more whole answers than plain stretches do", async () => {
  const [structure, fixed] = await Promise.all([
    chunkQuality(SMALL, "structure"),
    chunkQuality(SMALL, "fixed"),
  ]);
  expect(structure.questions).toBe(40);
  expect(structure.answered).toBeGreaterThanOrEqual(fixed.answered + MARGIN);
});

it("nearly every answer is whole in one of the first five chunks of the usual size", async () => {
  const [structure, fixed] = await Promise.all([
    chunkQuality(USUAL, "structure"),
    chunkQuality(USUAL, "fixed"),
  ]);
  expect(structure.answered).toBeGreaterThanOrEqual(37);
  expect(structure.answered).toBeGreaterThanOrEqual(fixed.answered);
});

it("random passages from documents of all kinds stay whole more often, too", async () => {
  const structure = await passageQuality(DOCUMENTS, SMALL, "structure");
  const fixed = await passageQuality(DOCUMENTS, SMALL, "fixed");
  expect(structure.questions).toBeGreaterThan(200);
  expect(structure.answered).toBeGreaterThanOrEqual(fixed.answered + structure.questions * 0.07);
});
