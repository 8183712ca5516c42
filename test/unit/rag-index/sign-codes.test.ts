import { expect, test } from "vitest";

import { hash32 } from "../../../src/core/hash.ts";
import { SignCoder } from "../../../src/rag-index/vectors/sign-codes.ts";

const COMPONENTS = 1_009;

const vectorOf = (dimensions: number, nth: number) =>
  Float32Array.from({ length: dimensions }, (_, at) => {
    return ((at * 7_919 + nth * 104_729) % COMPONENTS) / COMPONENTS - 0.5;
  });

test("a vector has the code that indexes have stored for it, bit for bit", () => {
  const expected: [number, number][] = [
    [64, 3_787_513_296],
    [100, 1_767_344_463],
    [512, 3_820_327_598],
    [1_024, 4_266_589_384],
  ];
  const actual = expected.map(([dimensions]) => {
    const coder = new SignCoder(dimensions);
    const code = new Uint8Array(coder.bytes);
    const codes = Array.from({ length: 50 }, (_, nth) => {
      const factor = coder.encode(vectorOf(dimensions, nth), code, 0);
      return `${code.join(",")} ${factor}`;
    });
    return [dimensions, hash32(codes.join(""))];
  });
  expect(actual).toEqual(expected);
});
