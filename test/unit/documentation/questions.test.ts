import { join } from "node:path";
import { expect, test } from "vitest";

import { readQuestions } from "../../bench/support/documentation.ts";

const FOLDER = join(import.meta.dirname, "../../bench/questions");
const readSet = (name: string) => readQuestions(join(FOLDER, `${name}.txt`));

test("What is learned from asks of no document that the measured sets ask", () => {
  const measured = [...readSet("first"), ...readSet("second")];
  const training = readSet("training");

  const files = new Set(measured.flatMap((question) => question.files));
  const shared = training.filter((question) => question.files.some((file) => files.has(file)));
  const texts = [...measured, ...training].map(({ text }) => text.toLowerCase());

  expect(training.length).toBeGreaterThan(0);
  expect(shared).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});

test("Each question of the training set names what answers it, and where", () => {
  const unsaid = readSet("training").filter(
    ({ kind, files, passage }) => kind === "none" || files.length === 0 || passage === "",
  );

  expect(unsaid).toEqual([]);
});
