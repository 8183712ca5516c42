import * as fc from "fast-check";
import { expect, test } from "vitest";

import { SlidingWindow, WINDOW_MS } from "../../../src/core/sliding-window.ts";
import { SEED } from "../../support/seed.ts";

const START = Date.UTC(2026, 0, 31);

test("no more than the limit pass in any window, and nobody is refused without cause", () => {
  const steps = fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 120 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (gaps, limit) => {
      let now = START;
      let window = new SlidingWindow();
      const admitted: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const inWindow = admitted.filter((at) => at > now - WINDOW_MS).length;
        const verdict = window.admit(now, limit);
        expect(verdict.allowed).toBe(inWindow < limit);
        expect(verdict.remaining).toBe(Math.max(0, limit - inWindow - 1));
        if (verdict.allowed) admitted.push(now);
        expect(window.admittedTimes).toEqual(admitted.filter((at) => at > now - WINDOW_MS));
        // As after an eviction.
        if (gap % 2 === 0) window = new SlidingWindow(window.admittedTimes);
      }
    }),
    { seed: SEED },
  );
});

test("a full window that never empties lets as many in as leave it", () => {
  const window = new SlidingWindow();
  const limit = 200;
  for (let at = 0; at < limit; at++) window.admit(START + at, limit);
  for (let at = 0; at < 10 * limit; at++) {
    const leaves = START + (Math.floor(at / limit) + 1) * WINDOW_MS + (at % limit);
    expect(window.admit(leaves - 1, limit).allowed).toBe(false);
    expect(window.admit(leaves, limit).allowed).toBe(true);
    expect(window.admittedTimes).toHaveLength(limit);
  }
});

const three = () => new SlidingWindow([START, START + 1_000, START + 2_000]);

test("a lowered limit waits until enough have left", () => {
  expect(three().admit(START + 10_000, 1).resetMs).toBe(52_000);
});

test("a clock that steps back frees nothing", () => {
  const window = new SlidingWindow([START]);
  expect(window.admit(START - 5_000, 2)).toMatchObject({ allowed: true, remaining: 0 });
  expect(window.admittedTimes).toEqual([START, START]);
});
