import { expect, test } from "vitest";

import { MemoryBudget } from "../../../src/rag-index/memory/memory-budget.ts";
import { bytesOfVectors, MEMORY_LIMIT_BYTES } from "../../../src/rag-index/memory/vector-memory.ts";

const LIMIT = 100;
/** More uses than something may be idle for. */
const MANY = 100;

function holderNamed(name: string, forgotten: string[]) {
  return { forget: () => void forgotten.push(name) };
}

test("all together never hold more than the limit, and entries in use stay", () => {
  const forgotten: string[] = [];
  const budget = new MemoryBudget(LIMIT);
  const [a, b, c] = ["a", "b", "c"].map((name) => holderNamed(name, forgotten));
  if (a === undefined || b === undefined || c === undefined) throw new Error("no holders");
  expect(budget.claim(a, LIMIT + 1)).toBe(false);
  expect(budget.claim(a, 60)).toBe(true);
  expect(budget.claim(b, 60)).toBe(false);
  expect(budget.claim(b, 40)).toBe(true);
  expect(budget.claim(c, 1)).toBe(false);
  expect(budget.claim(a, 61)).toBe(false);
  expect(budget.claim(c, 60)).toBe(true);
  expect(forgotten).toEqual([]);
});

test("idle entries make room, the longest idle first and no more than needed", () => {
  const forgotten: string[] = [];
  const budget = new MemoryBudget(LIMIT);
  const holders = ["a", "b", "c"].map((name) => holderNamed(name, forgotten));
  for (const holder of holders) expect(budget.claim(holder, 30)).toBe(true);
  const [, , busy] = holders;
  if (busy === undefined) throw new Error("no holders");
  for (let use = 0; use < MANY; use++) budget.use(busy);
  const late = holderNamed("late", forgotten);
  expect(budget.claim(late, 40)).toBe(true);
  expect(forgotten).toEqual(["a"]);
  expect(budget.claim(holderNamed("later", forgotten), 30)).toBe(true);
  expect(forgotten).toEqual(["a", "b"]);
  expect(budget.claim(holderNamed("last", forgotten), 30)).toBe(false);
  budget.release(busy);
  expect(budget.claim(holderNamed("last", forgotten), 30)).toBe(true);
});

test("vectors and the ids of their chunks share the limit", () => {
  // The size that docs/scale-and-cost.md gives for 1,024 dimensions.
  expect(bytesOfVectors(22_528, 1_024)).toBeLessThanOrEqual(MEMORY_LIMIT_BYTES);
  expect(bytesOfVectors(22_529, 1_024)).toBeGreaterThan(MEMORY_LIMIT_BYTES);
});
