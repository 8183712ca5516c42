import { expect, test } from "vitest";

import { TimeTogether } from "../../../../src/core/work/time-together.ts";

test("pieces of work side by side take the time once, one after the other both", async () => {
  let now = 0;
  const time = new TimeTogether(() => now);
  const ends: (() => void)[] = [];
  const piece = () => time.measure(() => new Promise<void>((end) => void ends.push(end)));
  const end = async (at: number, which: number, pieces: Promise<void>[]) => {
    now = at;
    ends[which]?.();
    await pieces[which];
  };
  const beside = [piece(), piece()];
  await end(30, 0, beside);
  await end(40, 1, beside);
  expect(time.ms).toBe(40);
  now = 100;
  const alone = [...beside, piece()];
  await end(105, 2, alone);
  expect(time.ms).toBe(45);
  await expect(time.measure(() => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  expect(time.ms).toBe(45);
});
