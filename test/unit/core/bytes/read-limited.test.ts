import { expect, test } from "vitest";

import { readLimited } from "../../../../src/core/bytes/read-limited.ts";

const LIMIT = 300_000;

function streamOf(parts: number, bytesEach: number): ReadableStream<Uint8Array> {
  let sentParts = 0;
  return new ReadableStream({
    pull(controller) {
      if (sentParts === parts) controller.close();
      else controller.enqueue(new Uint8Array(bytesEach).fill(++sentParts));
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

/** As workerd gives a request's body: whoever reads brings the memory. */
function byteStream(bytes: Uint8Array, onCancel: () => void = () => undefined) {
  let at = 0;
  return new ReadableStream({
    type: "bytes",
    autoAllocateChunkSize: 4_096,
    pull(controller) {
      const request = controller.byobRequest;
      const view = request?.view;
      if (!request || !view) throw new Error("no memory to fill");
      const part = bytes.subarray(at, at + Math.min(view.byteLength, 30_000));
      at += part.length;
      if (part.length === 0) controller.close();
      else new Uint8Array(view.buffer, view.byteOffset).set(part);
      request.respond(part.length);
    },
    cancel: onCancel,
  });
}

test("a stream of bytes is read whole, and given up once it is over the limit", async () => {
  const bytes = Uint8Array.from({ length: LIMIT + 1 }, (_, at) => at % 251);
  expect(await readLimited(byteStream(bytes), LIMIT + 1)).toEqual(bytes);
  expect((await readLimited(byteStream(new Uint8Array()), LIMIT))?.byteLength).toBe(0);
  let isCancelled = false;
  const long = byteStream(bytes, () => {
    isCancelled = true;
  });
  expect(await readLimited(long, LIMIT)).toBeNull();
  expect(isCancelled).toBe(true);
});

test("an empty body has no bytes", async () => {
  expect((await readLimited(streamOf(0, 1), LIMIT, 0))?.byteLength).toBe(0);
});
