import { expect, test } from "vitest";

import { joinBytes } from "../../../src/core/bytes/join-bytes.ts";
import { MANIFEST } from "../../../src/core/bytes/zip/format.ts";
import { writeZip } from "../../../src/core/bytes/zip/write-zip.ts";
import { mapParallel } from "../../../src/core/work/parallel.ts";
import { openArchive, PIECE_BYTES, pieceKey } from "../../../src/ingestion/archive/archive-file.ts";
import type { FileStore } from "../../../src/ports/file-store.ts";

const PARTS = 45;
const PART_BYTES = 200_000;
const contentOf = (at: number) => new Uint8Array(PART_BYTES).fill(at);
const nameOf = (at: number) => `files/docs/${at}`;

async function archive(): Promise<Uint8Array> {
  const parts = Array.from({ length: PARTS }, (_, at) => ({
    name: nameOf(at),
    content: contentOf(at),
  }));
  const hashes = Object.fromEntries(parts.map(({ name }) => [name, "0".repeat(64)]));
  const facts = { format: 1, createdAt: "", version: "", fileSources: {}, rags: {} };
  const manifest = new TextEncoder().encode(JSON.stringify({ ...facts, parts: hashes }));
  const files = async function* () {
    yield* parts;
    yield { name: MANIFEST, content: manifest };
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of writeZip(files(), new Date(0))) pieces.push(piece);
  return joinBytes(pieces);
}

/** A bucket with the pieces of an upload, which counts the bytes that are read. */
function bucketOf(bytes: Uint8Array) {
  const pieces = new Map(
    Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, at) => [
      pieceKey("id", at),
      bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
    ]),
  );
  const counts = { read: 0 };
  const list = async () => {
    const objects = Array.from(pieces, ([key, { length: size }]) => ({ key, size }));
    return { objects, truncated: false };
  };
  const get = async (key: string, { range }: { range: { offset: number; length: number } }) => {
    const { offset, length } = range;
    counts.read += length;
    const part = pieces.get(key)?.slice(offset, offset + length);
    return part === undefined ? null : { arrayBuffer: async () => part.buffer };
  };
  return { files: { list, get } as unknown as FileStore, counts };
}

test("parts that are read at the same time are fetched once", async () => {
  const bytes = await archive();
  const { files, counts } = bucketOf(bytes);
  const { names, bytes: readPart, sizeOf } = await openArchive(files, "id");
  expect(sizeOf(names)).toBe(PARTS * PART_BYTES);
  counts.read = 0;
  const parts = await mapParallel(names, 6, async (name) => await readPart(name));
  expect(parts.map((part) => part?.length)).toEqual(names.map(() => PART_BYTES));
  expect(parts.map((part) => part?.[PART_BYTES - 1])).toEqual(names.map((_, at) => at));
  expect(counts.read).toBeLessThan(bytes.length + PIECE_BYTES / 4);
});
