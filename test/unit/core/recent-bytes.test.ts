import { expect, test } from "vitest";

import { RecentBytes } from "../../../src/core/recent-bytes.ts";

/** Bytes of two entries of the tests, with what each takes besides. */
const ROOM_FOR_TWO = 2 * (3 + 1_024);
const bytes = (...values: number[]) => Uint8Array.from(values);

test("bytes are given once, as they were added", () => {
  const recent = new RecentBytes(ROOM_FOR_TWO);
  recent.add("a", bytes(1, 2, 3));
  expect(recent.take("a")).toEqual(bytes(1, 2, 3));
  expect(recent.take("a")).toBeNull();
});

test("beyond the limit the oldest leave first", () => {
  const recent = new RecentBytes(ROOM_FOR_TWO);
  for (const key of ["a", "b", "c"]) recent.add(key, bytes(1, 2, 3));
  expect(["a", "b", "c"].map((key) => recent.take(key) !== null)).toEqual([false, true, true]);
});

test("what was taken makes room, and what is added again counts once", () => {
  const recent = new RecentBytes(ROOM_FOR_TWO);
  recent.add("a", bytes(1, 2, 3));
  recent.add("a", bytes(1, 2, 3));
  recent.add("b", bytes(4, 5, 6));
  recent.take("a");
  recent.add("c", bytes(7, 8, 9));
  expect(["b", "c"].map((key) => recent.take(key))).toEqual([bytes(4, 5, 6), bytes(7, 8, 9)]);
});

test("neither more than the limit is kept nor a view of a larger buffer", () => {
  const recent = new RecentBytes(ROOM_FOR_TWO);
  recent.add("large", new Uint8Array(ROOM_FOR_TWO));
  recent.add("view", bytes(1, 2, 3).subarray(1));
  expect([recent.take("large"), recent.take("view")]).toEqual([null, null]);
});
