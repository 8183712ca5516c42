import { expect, it } from "vitest";

import { foldSpace } from "../../../../src/documents/writing/fold-space.ts";

/** A long text is folded in pieces of this length. */
const PIECE = 1 << 16;

it.each([
  ["runs of any white space", " a \t\n b\u3000\u00a0c ", "a b c"],
  ["white space that is no blank", "a\tb\u0085c\u00a0d", "a b c d"],
  ["none", "a b", "a b"],
])("folds %s", (_what, text, folded) => {
  expect(foldSpace(text)).toBe(folded);
});

it.each([PIECE - 3, PIECE - 2, PIECE - 1, PIECE])(
  "folds white space across %i characters as anywhere",
  (length) => {
    const word = "x".repeat(length);
    expect(foldSpace(`${word} \t b`)).toBe(`${word} b`);
    expect(foldSpace(`${word}\t${" ".repeat(2 * PIECE)}`)).toBe(word);
    expect(foldSpace(`${" ".repeat(length)}${word} b`)).toBe(`${word} b`);
  },
);
