import { expect, test, vi } from "vitest";

import { Lane, type InLane } from "../../../../src/core/work/lane.ts";

const LEASE_MS = 60_000;

test("questions go before indexing that waits longer, and RAGs take turns", async () => {
  vi.useFakeTimers();
  const lane = new Lane(1);
  const order: string[] = [];
  const enter = async (name: string, place: Partial<InLane>) => {
    const end = await lane.begin({ leaseMs: LEASE_MS, ...place });
    order.push(name);
    return end;
  };
  const endFirst = await enter("large 1", { group: "large" });
  const work = [
    enter("large 2", { group: "large" }),
    enter("small 1", { group: "small" }),
    enter("question 1", { isAhead: true }),
    enter("question 2", { isAhead: true }),
  ];
  const ends = work.map(async (entry) => (await entry)());
  endFirst();
  await vi.advanceTimersByTimeAsync(LEASE_MS / 2);
  await Promise.all(ends);
  expect(order).toEqual(["large 1", "question 1", "question 2", "small 1", "large 2"]);
});
