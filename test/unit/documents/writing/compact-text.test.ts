import * as fc from "fast-check";
import { expect, it } from "vitest";

import { CompactText } from "../../../../src/documents/writing/compact-text.ts";
import { SEED } from "../../../support/seed.ts";

const MIB = 1 << 20;

function compacted(parts: string[]): string {
  const text = new CompactText();
  for (const part of parts) text.append(part);
  expect(text.length).toBe(parts.join("").length);
  return text.take();
}

it("gives back what was appended, wherever it was cut", () => {
  const piece = fc.constantFrom("a", "é", "漢字", "🚒", "\n", "\ufeff", "");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (parts) => {
      expect(compacted(parts)).toBe(parts.join(""));
    }),
    { numRuns: 20, seed: SEED },
  );
});

it("divides no pair at the end of a settled piece", () => {
  const before = "x".repeat(1 << 17);
  expect(compacted([`${before}\ud83d`, "\ude92 after"])).toBe(`${before}🚒 after`);
  expect(compacted([`\ufeff${before}`, "\ud83d"])).toBe(`\ufeff${before}\ufffd`);
});

it("refuses more text than a Worker holds, and says what to do", () => {
  const text = new CompactText();
  const fill = (count: number, part: string) => {
    for (let at = 0; at < count; at++) text.append(part);
  };
  fill(32, "x".repeat(MIB));
  expect(() => fill(1, "x".repeat(MIB))).toThrow(
    "document has more than 32 MiB of text; split it into several",
  );
});
