import { expect, test } from "vitest";

import { readLimited } from "../../../src/core/read-limited.ts";

const LIMIT = 300_000;

function streamOf(parts: number, bytesEach: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent === parts) controller.close();
      else controller.enqueue(new Uint8Array(bytesEach).fill(++sent));
    },
  });
}

test.each([
  ["nothing is announced", null],
  ["the length is announced", 200_000],
  ["too little is announced", 10],
  ["too much is announced", 250_000],
  ["nonsense is announced", 1e12],
])("a body is read whole when %s", async (_case, announced) => {
  const bytes = await readLimited(streamOf(200, 1_000), LIMIT, announced);
  expect(bytes?.byteLength).toBe(200_000);
  expect([bytes?.[0], bytes?.[999], bytes?.[1_000], bytes?.[199_999]]).toEqual([1, 1, 2, 200]);
});

test("a body over the limit is refused, whatever was announced", async () => {
  expect(await readLimited(streamOf(301, 1_000), LIMIT, 5)).toBeNull();
  expect(await readLimited(new ArrayBuffer(LIMIT + 1), LIMIT)).toBeNull();
});

test("an empty body has no bytes", async () => {
  expect((await readLimited(streamOf(0, 1), LIMIT, 0))?.byteLength).toBe(0);
});
