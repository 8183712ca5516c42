import { expect, test } from "vitest";

import { batchesOf, indexBodies } from "../../../../src/adapters/cloudflare/job-queue.ts";
import { newId, type FileId, type RagId } from "../../../../src/core/ids.ts";
import { inlineTextOf } from "../../../../src/ingestion/uploads/store-files.ts";

/** Bytes that Cloudflare bills as one message, and that it takes in one call. */
const BILLED_BYTES = 64_000;
const CALL_BYTES = 256_000;

const encoder = new TextEncoder();
const sizeOf = (value: unknown) => encoder.encode(JSON.stringify(value)).byteLength;

test.each(["moss ", "Grüße ", "🌱", '"', "\u0001", "\n"])(
  "a batch of files full of %j is sent within the limits, each file once",
  (word) => {
    let text = "";
    const more = word.repeat(15);
    while (inlineTextOf(encoder.encode(text + more)) !== null) text += more;
    const ragIds = [newId<RagId>(0), newId<RagId>(1)];
    const fileIds = Array.from({ length: 500 }, (_, at) => newId<FileId>(at));
    const messages = ragIds.flatMap((ragId) =>
      fileIds.map((fileId) => ({ ragId, fileId, generation: 1, revision: 1_800_000_000_000 })),
    );
    const texts = new Map(fileIds.map((id) => [id, { version: crypto.randomUUID(), text }]));
    const calls = batchesOf(indexBodies(messages, true, texts));
    for (const call of calls) {
      expect(call.length).toBeLessThanOrEqual(100);
      expect(sizeOf(call)).toBeLessThan(CALL_BYTES);
      for (const body of call) expect(sizeOf(body)).toBeLessThan(BILLED_BYTES);
    }
    const files = calls.flat().flatMap((body) => ("files" in body ? body.files : []));
    expect(files).toEqual(messages);
    expect(calls.flat()).toHaveLength(40);
  },
);

test("messages without texts are sent a hundred at a time", () => {
  const ragId = newId<RagId>(0);
  const messages = Array.from({ length: 250 }, (_, at) => {
    return { ragId, fileId: newId<FileId>(at), generation: 1, revision: 1 };
  });
  expect(batchesOf(indexBodies(messages, false)).map(({ length }) => length)).toEqual([
    100, 100, 50,
  ]);
});

test("only bytes that are exactly a short text in UTF-8 travel as a text", () => {
  const marked = encoder.encode("\ufeffA note.");
  expect(encoder.encode(inlineTextOf(marked) ?? "")).toEqual(marked);
  expect(inlineTextOf(Uint8Array.of(0x41, 0xfc))).toBeNull();
  expect(inlineTextOf(encoder.encode("x".repeat(5_000)))).toBeNull();
  expect(inlineTextOf(null)).toBeNull();
});
