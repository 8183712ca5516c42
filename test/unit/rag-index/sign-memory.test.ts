import { expect, test } from "vitest";

import { SignBlock } from "../../../src/rag-index/memory/sign-memory.ts";

test("a chunk that left does not come back when what equals it is marked", () => {
  const block = new SignBlock(8);
  block.add({ chunk: 1, duplicate: false }, new Uint8Array(8), 1);
  block.mark(0, true);
  expect(block.at(0)).toEqual({ chunk: 1, duplicate: true });
  block.free(0);
  block.mark(0, false);
  expect(block.at(0)).toBeNull();
});
