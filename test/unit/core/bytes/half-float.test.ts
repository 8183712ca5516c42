import * as fc from "fast-check";
import { expect, test } from "vitest";

import { decodeHalfFloats, encodeHalfFloats } from "../../../../src/core/bytes/half-float.ts";
import { SEED } from "../../../support/seed.ts";

const bitsOf = (value: number) => {
  const [low = 0, high = 0] = encodeHalfFloats([value]);
  return high * 256 + low;
};

test("known values have IEEE's bits", () => {
  expect([0, -0, 1, -2, 65_504, 2 ** -24, 2 ** -14, 1 / 3, 65_520].map(bitsOf)).toEqual([
    0, 0x8000, 0x3c00, 0xc000, 0x7bff, 1, 0x0400, 0x3555, 0x7c00,
  ]);
  expect(decodeHalfFloats(encodeHalfFloats([Number.NaN]))).toEqual(Float32Array.of(Number.NaN));
});

test("ties go to the even neighbour and carry into the exponent", () => {
  expect([1 + 2 ** -11, 1 + 3 * 2 ** -11, 2 - 2 ** -12].map(bitsOf)).toEqual([
    0x3c00, 0x3c02, 0x4000,
  ]);
});

test("what was stored comes back, and anything else within half a step", () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (value) => {
      const [decoded = 0] = decodeHalfFloats(encodeHalfFloats([value]));
      expect(Math.abs(decoded - value)).toBeLessThanOrEqual(
        Math.max(2 ** -25, Math.abs(value) * 2 ** -11),
      );
      expect(bitsOf(decoded)).toBe(bitsOf(value));
    }),
    { seed: SEED },
  );
});

test("bytes at an odd offset are read too", () => {
  const bytes = new Uint8Array([9, ...encodeHalfFloats([0.5, -0.25])]);
  expect(decodeHalfFloats(bytes.subarray(1))).toEqual(Float32Array.of(0.5, -0.25));
});
