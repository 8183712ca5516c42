import { expect, test } from "vitest";

import { partOf } from "../../../src/protocols/mcp/file-text.ts";

test("a long text is read in parts that together are the text", () => {
  const text = "ab🦦cd🦦🦦e".repeat(7);
  for (const limit of [2, 3, 5, 100]) {
    const parts: string[] = [];
    let start: number | null = 0;
    while (start !== null) {
      const { text: part, next }: ReturnType<typeof partOf> = partOf(text, { start, limit });
      expect(part.length).toBeLessThanOrEqual(limit);
      expect(part.isWellFormed()).toBe(true);
      parts.push(part);
      start = next;
    }
    expect(parts.join("")).toBe(text);
  }
  expect(partOf(text, { start: 10_000, limit: 5 })).toEqual({ text: "", next: null });
});
