import { expect, test } from "vitest";

import { encodeHalfFloats } from "../../../src/core/bytes/half-float.ts";
import { scoreByNeighbours } from "../../../src/retrieval/score-by-neighbours.ts";
import type { ScoredChunk } from "../../../src/retrieval/score-chunks.ts";

/** Passages with these values, in directions given in degrees. */
const best = (...passages: [value: number, degrees?: number][]) =>
  passages.map(([value, degrees]) => {
    const angle = ((degrees ?? 0) * Math.PI) / 180;
    const vector = encodeHalfFloats([Math.cos(angle), Math.sin(angle)]);
    const chunk = degrees === undefined ? {} : { vector };
    return { chunk: { value, chunk } as unknown as ScoredChunk };
  });

test("the first stays; what is close to good passages goes before what stands alone", () => {
  const scores = scoreByNeighbours(best([1, 0], [0.8, 90], [0.75, 5], [0.1, 180]));
  const [first = 0, alone = 0, close = 0, poor = 0] = scores;
  expect([first, close, alone, poor]).toEqual(scores.toSorted((a, b) => b - a));
});

test("passages whose vectors are missing keep their values", () => {
  const [, second = 0, third = 0] = scoreByNeighbours(best([1], [0.5], [0.2]));
  expect(second - third).toBeCloseTo(0.3);
});

test("a long answer keeps its first 50; behind them, what is close moves up", () => {
  const values = Array.from({ length: 80 }, (_, at) => 1 - at / 100);
  // The last is close to the first; the others stand around them.
  const passages = values.map((value, at): [number, number] => [value, at === 79 ? 1 : at * 4.5]);
  const orderOf = (scores: number[]) =>
    [...scores.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const long = orderOf(scoreByNeighbours(best(...passages)));
  const short = orderOf(scoreByNeighbours(best(...passages.slice(0, 75))));
  expect(long.slice(0, 50)).toEqual(short.slice(0, 50));
  expect(long.toSorted((a, b) => a - b)).toEqual([...values.keys()]);
  expect(long.indexOf(79)).toBeLessThan(60);
});
