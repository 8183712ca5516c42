import { expect, test } from "vitest";

import { MINUTE_MS, SECOND_MS } from "../../../../src/core/time.ts";
import { ExtractionMemory } from "../../../../src/core/work/extraction-memory.ts";

const reservation = (bytes: number) => ({ bytes, until: 0 });

test("what is larger than the limit is worked on alone", () => {
  const memory = new ExtractionMemory(10);
  const [small, large, later] = [reservation(1), reservation(25), reservation(1)];
  expect(memory.reserve(small, 0)).toBe(true);
  expect(memory.reserve(large, 0)).toBe(false);
  memory.release(small);
  expect(memory.reserve(large, 1)).toBe(true);
  expect(memory.reserve(later, 1)).toBe(false);
});

test("small documents do not keep a large one waiting that came before them", () => {
  const memory = new ExtractionMemory(10);
  const [granted, large, small] = [reservation(4), reservation(10), reservation(1)];
  memory.reserve(granted, 0);
  expect(memory.reserve(large, 1)).toBe(false);
  expect(memory.reserve(small, 2)).toBe(false);
  memory.release(granted);
  expect(memory.reserve(small, 3)).toBe(false);
  expect(memory.reserve(large, 4)).toBe(true);
  memory.release(large);
  expect(memory.reserve(small, 5)).toBe(true);
});

test("who gives up waiting, or asks no more, holds up nobody", () => {
  const memory = new ExtractionMemory(10);
  const [granted, leaving, vanished, small] = [
    reservation(4),
    reservation(10),
    reservation(10),
    reservation(1),
  ];
  memory.reserve(granted, 0);
  memory.reserve(leaving, 1);
  memory.reserve(vanished, 2);
  memory.release(leaving);
  expect(memory.reserve(small, 3)).toBe(false);
  expect(memory.reserve(small, 3 + 6 * SECOND_MS)).toBe(true);
});

test("a consumer that was ended in the middle has left by the time that none can live", () => {
  const memory = new ExtractionMemory(10);
  memory.reserve(reservation(10), 0);
  const next = reservation(10);
  expect(memory.reserve(next, 14 * MINUTE_MS)).toBe(false);
  expect(memory.reserve(next, 15 * MINUTE_MS)).toBe(true);
});
