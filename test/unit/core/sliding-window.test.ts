import * as fc from "fast-check";
import { expect, test } from "vitest";

import { admit, packTimes, unpackTimes, WINDOW_MS } from "../../../src/core/sliding-window.ts";

const START = Date.UTC(2026, 0, 31);

test("no more than the limit pass in any window, and nobody is refused without cause", () => {
  const steps = fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 120 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (gaps, limit) => {
      let now = START;
      let passed: number[] = [];
      const admitted: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const inWindow = admitted.filter((at) => at > now - WINDOW_MS).length;
        const verdict = admit(passed, now, limit);
        expect(verdict.allowed).toBe(inWindow < limit);
        expect(verdict.remaining).toBe(Math.max(0, limit - inWindow - 1));
        if (verdict.allowed) admitted.push(now);
        passed = unpackTimes(packTimes(verdict.passed));
        expect(passed).toEqual(admitted.filter((at) => at > now - WINDOW_MS));
      }
    }),
  );
});

test("after the wait that a refusal names, and not before, there is room", () => {
  const passed = [START, START + 1_000, START + 2_000];
  const refused = admit(passed, START + 10_000, 3);
  expect(refused).toEqual({ allowed: false, passed, remaining: 0, resetMs: 50_000 });
  expect(admit(passed, START + 59_999, 3).allowed).toBe(false);
  expect(admit(passed, START + 60_000, 3).allowed).toBe(true);
});

test("a lowered limit waits until enough have left", () => {
  const passed = [START, START + 1_000, START + 2_000];
  expect(admit(passed, START + 10_000, 1).resetMs).toBe(52_000);
});

test("a clock that steps back frees nothing", () => {
  const verdict = admit([START], START - 5_000, 2);
  expect(verdict).toMatchObject({ allowed: true, passed: [START, START], remaining: 0 });
});

test("a clock that was an hour ahead shuts nobody out once it is right", () => {
  const ahead = START + 60 * WINDOW_MS;
  const refused = admit([ahead - 1, ahead], START, 2);
  expect(refused).toMatchObject({ allowed: false, resetMs: WINDOW_MS });
  expect(admit(refused.passed, START + WINDOW_MS, 2)).toMatchObject({ allowed: true });
});
