import { beforeEach, describe, expect, test } from "vitest";

import {
  METADATA_INDEXES,
  vectorizeIndex,
} from "../../../../src/adapters/cloudflare/vectorize-index.ts";
import type { FileId, RagId, VectorId } from "../../../../src/core/ids.ts";
import type { IndexedVector } from "../../../../src/ports/vector-index.ts";
import { VectorizeDouble } from "../../../doubles/vectorize/vectorize-double.ts";

const DIMENSIONS = 8;
const DELAY_MS = 60_000;
const space = { ragId: "01900000-0000-7000-8000-000000000001" as RagId, generation: 1 };
const otherSpace = { ...space, generation: 2 };

let now = 0;
let double: VectorizeDouble;

beforeEach(() => {
  now = 1_000_000;
  double = new VectorizeDouble({
    dimensions: DIMENSIONS,
    now: () => now,
    visibleAfterMs: DELAY_MS,
    metadataIndexes: METADATA_INDEXES,
  });
});

function vectorAt(angle: number): Float32Array {
  const values = new Float32Array(DIMENSIONS);
  values[0] = Math.cos(angle);
  values[1] = Math.sin(angle);
  return values;
}

function vector(number: number, folder = ""): IndexedVector {
  return {
    id: `chunk-${number}` as VectorId,
    values: vectorAt(number / 1_000),
    fileId: `file-${number}` as FileId,
    folder,
  };
}

const index = () => vectorizeIndex(double);
const idsOf = (matches: { id: string }[]) => matches.map(({ id }) => id);

describe("the Vectorize adapter", () => {
  test("writes thousands of vectors and finds the nearest in its own namespace only", async () => {
    const vectors = Array.from({ length: 2_500 }, (_, number) => vector(number));
    await index().upsert(space, vectors);
    await index().upsert(otherSpace, [{ ...vector(0), id: "elsewhere" as VectorId }]);
    now += DELAY_MS;
    const { matches } = await index().query(space, vectorAt(0), { topK: 100, filter: null });
    expect(matches).toHaveLength(100);
    expect(idsOf(matches)).not.toContain("elsewhere");
    expect(matches[0]?.score).toBe(1);
  });

  test("removes more ids than one call takes", async () => {
    const vectors = Array.from({ length: 250 }, (_, number) => vector(number));
    await index().upsert(space, vectors);
    await index().remove(vectors.map(({ id }) => id));
    now += DELAY_MS;
    const nothing = { matches: [], floor: null };
    expect(await index().query(space, vectorAt(0), { topK: 10, filter: null })).toEqual(nothing);
  });

  test("tells which ids show, twenty a call; a chunk with two vectors is one match", async () => {
    const versionOf = (number: number, storing: string) => ({
      ...vector(number),
      id: `chunk-${number}.${storing}` as VectorId,
    });
    const vectors = Array.from({ length: 45 }, (_, number) => versionOf(number, "1"));
    await index().upsert(space, [...vectors, versionOf(0, "2")]);
    const ids = vectors.map(({ id }) => id);
    const at = (folder: string) => ids.map((vectorId) => ({ vectorId, folder }));
    expect(await index().findPresent(at(""))).toEqual(new Set());
    now += DELAY_MS;
    const before = double.calls.length;
    const unknown = { vectorId: "chunk-99.1" as VectorId, folder: "" };
    expect(await index().findPresent([...at(""), unknown])).toEqual(new Set(ids));
    expect(double.calls.slice(before).map(({ size }) => size)).toEqual([20, 20, 6]);
    expect(await index().findPresent(at("elsewhere"))).toEqual(new Set());
    expect(await index().findNear(space, vectorAt(0))).toHaveLength(46);
    expect(await index().findNear(otherSpace, vectorAt(0))).toEqual([]);
    const { matches } = await index().query(space, vectorAt(0), { topK: 3, filter: null });
    expect(idsOf(matches)).toEqual(["chunk-0", "chunk-1", "chunk-2"]);
  });

  test("says up to when writes show", async () => {
    await index().upsert(space, [vector(1)]);
    const writtenAt = now;
    expect(await index().processedUpTo()).toBeLessThan(writtenAt);
    now += DELAY_MS;
    expect(await index().processedUpTo()).toBe(writtenAt);
  });

  test("restricts to files, however many are named", async () => {
    await index().upsert(
      space,
      Array.from({ length: 900 }, (_, number) => vector(number)),
    );
    now += DELAY_MS;
    const fileIds = Array.from({ length: 400 }, (_, at) => `file-${at + 500}` as FileId);
    const { matches } = await index().query(space, vectorAt(0), {
      topK: 5,
      filter: { fileIds },
    });
    expect(matches).toHaveLength(5);
    for (const { id } of matches)
      expect(Number(id.slice("chunk-".length))).toBeGreaterThanOrEqual(500);
  });

  test("restricts to folders of different and of great depth", async () => {
    const deep = Array.from({ length: 12 }, (_, at) => `level-${at}-${"x".repeat(40)}`);
    await index().upsert(space, [
      vector(1, "hr"),
      vector(2, "hr/leave"),
      vector(3, "it"),
      vector(4, deep.join("/")),
      vector(5),
    ]);
    now += DELAY_MS;
    const search = async (...folders: string[]) =>
      idsOf(
        (await index().query(space, vectorAt(0), { topK: 10, filter: { folders } })).matches,
      ).sort();
    expect(await search("hr")).toEqual(["chunk-1", "chunk-2"]);
    expect(await search("hr/leave", "it")).toEqual(["chunk-2", "chunk-3"]);
    expect(await search(deep.join("/"))).toEqual(["chunk-4"]);
    const filter = { fileIds: ["file-5" as FileId], folders: ["hr/leave"] };
    const { matches: either } = await index().query(space, vectorAt(0), { topK: 10, filter });
    expect(idsOf(either).sort()).toEqual(["chunk-2", "chunk-5"]);
  });

  test("tries a failing write again and says plainly when it stays down", async () => {
    double.failure = new Error("VECTOR_UPSERT_ERROR (code = 10000): unavailable\nat somewhere");
    await expect(index().upsert(space, [vector(1)])).rejects.toThrow(
      "vector index: VECTOR_UPSERT_ERROR (code = 10000): unavailable",
    );
    expect(double.calls).toHaveLength(3);
  });
});
