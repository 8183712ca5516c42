import { scheduler } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";

import { inWaves } from "../../../../src/core/work/in-waves.ts";

afterEach(() => void vi.unstubAllGlobals());

test("what is ready after the first wave comes in a later one", async () => {
  vi.stubGlobal("scheduler", scheduler);
  const slow = Promise.withResolvers<string>();
  const waves: string[][] = [];
  const pace = { limit: 2, waitMs: 1 };
  const work = async (item: string) => (item === "slow" ? await slow.promise : item);
  for await (const wave of inWaves(["slow", "quick"], pace, work)) {
    waves.push(wave);
    slow.resolve("slow");
  }
  expect(waves).toEqual([["quick"], ["slow"]]);
});
