import { expect, test } from "vitest";

import { MINUTE_MS, SECOND_MS } from "../../../src/core/clock.ts";
import { DocumentRoom } from "../../../src/core/extraction-memory.ts";

const visit = (bytes: number) => ({ bytes, until: 0 });

test("documents share the room until it is full", () => {
  const room = new DocumentRoom(10);
  const [first, second, third] = [visit(4), visit(6), visit(1)];
  expect([first, second, third].map((each) => room.enter(each, 0))).toEqual([true, true, false]);
  room.leave(second);
  expect(room.enter(third, 1)).toBe(true);
});

test("what is larger than the room is there alone", () => {
  const room = new DocumentRoom(10);
  const [small, large, later] = [visit(1), visit(25), visit(1)];
  expect(room.enter(small, 0)).toBe(true);
  expect(room.enter(large, 0)).toBe(false);
  room.leave(small);
  expect(room.enter(large, 1)).toBe(true);
  expect(room.enter(later, 1)).toBe(false);
});

test("small documents do not keep a large one waiting that came before them", () => {
  const room = new DocumentRoom(10);
  const [inside, large, small] = [visit(4), visit(10), visit(1)];
  room.enter(inside, 0);
  expect(room.enter(large, 1)).toBe(false);
  expect(room.enter(small, 2)).toBe(false);
  room.leave(inside);
  expect(room.enter(small, 3)).toBe(false);
  expect(room.enter(large, 4)).toBe(true);
  room.leave(large);
  expect(room.enter(small, 5)).toBe(true);
});

test("who gives up waiting, or asks no more, holds up nobody", () => {
  const room = new DocumentRoom(10);
  const [inside, leaving, vanished, small] = [visit(4), visit(10), visit(10), visit(1)];
  room.enter(inside, 0);
  room.enter(leaving, 1);
  room.enter(vanished, 2);
  room.leave(leaving);
  expect(room.enter(small, 3)).toBe(false);
  expect(room.enter(small, 3 + 6 * SECOND_MS)).toBe(true);
});

test("a consumer that was ended in the middle has left by the time that none can live", () => {
  const room = new DocumentRoom(10);
  room.enter(visit(10), 0);
  const next = visit(10);
  expect(room.enter(next, 14 * MINUTE_MS)).toBe(false);
  expect(room.enter(next, 15 * MINUTE_MS)).toBe(true);
});
