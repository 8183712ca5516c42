import { expect, test } from "vitest";

import { takingTurns } from "../../../../src/core/work/take-turns.ts";

const TURN_BYTES = 256 * 1_024;

/** A `pass` that lasts until the test ends it. */
function passes() {
  const open: (() => void)[] = [];
  const pass = async () => await new Promise<void>((over) => void open.push(over));
  const settled = async () => await new Promise((over) => void setImmediate(over));
  const endOne = async () => {
    await settled();
    open.shift()?.();
    await settled();
  };
  return { pass, endOne };
}

test("little work waits for nobody", async () => {
  const takeTurn = takingTurns(passes().pass);
  for (let piece = 0; piece < 4; piece++) await takeTurn(TURN_BYTES / 5);
});

test("pieces of work side by side go on one after the other", async () => {
  const { pass, endOne } = passes();
  const takeTurn = takingTurns(pass);
  const done: number[] = [];
  const pieces = [1, 2, 3].map(async (piece) => {
    await takeTurn(TURN_BYTES);
    done.push(piece);
  });
  expect(done).toEqual([]);
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await endOne();
    expect(done).toEqual(expected);
  }
  await Promise.all(pieces);
});
