import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { encodeHalfFloats } from "../../../src/core/bytes/half-float.ts";
import type { ChunkId, FileId } from "../../../src/core/ids.ts";
import type { PlacedChunk, StagedChunk } from "../../../src/ports/index-versions.ts";
import { POSTINGS_LIMIT } from "../../../src/rag-index/search/query-terms.ts";
import { EXACT_SCAN_LIMIT_CHUNKS } from "../../../src/rag-index/search/search.ts";
import { factsOf, indexOf, write, search, stubOf, untilPurged } from "./support.ts";

const CHUNKS = EXACT_SCAN_LIMIT_CHUNKS + 100;
const CHUNKS_A_CALL = 5_000;
const vector = encodeHalfFloats([1, 0, 0, 0]);

const textOf = (at: number) => `report number${at}${at % 3 === 0 ? " thirds" : ""}`;

test("a word that stands nearly everywhere, in more chunks than are scanned", async () => {
  const index = indexOf("large");
  const fileId = "file big/all" as FileId;
  const staged = Array.from({ length: CHUNKS }, (_, at): StagedChunk => {
    const id = `chunk ${at}` as ChunkId;
    return { id, text: textOf(at), duplicateKey: `key ${at}`, vector };
  });
  // One vector was sent to a vector index, so all of them leave tombstones.
  const sentChunks = [{ id: "sent" as ChunkId, text: "sent", duplicateKey: "sent", vector }];
  const sentFile = "file sent" as FileId;
  await index.stage(sentFile, 1, sentChunks, { id: 1, at: 1, folder: "" });
  await index.remove([{ fileId: sentFile, revision: 1 }]);
  for (let at = 0; at < CHUNKS; at += CHUNKS_A_CALL) {
    await index.stage(fileId, 1, staged.slice(at, at + CHUNKS_A_CALL));
  }
  const chunks = staged.map(({ id }, position): PlacedChunk => {
    return { id, position, headings: [], languages: "en", page: null, start: 0, end: 0 };
  });
  expect(await index.activateVersion(factsOf("big/all"), 1, chunks)).toMatchObject({
    chunkCount: CHUNKS,
  });
  await write(index, "small", 1, [
    { text: "report report report", vector: Float32Array.of(0, 1, 0, 0) },
  ]);
  expect(CHUNKS).toBeGreaterThan(POSTINGS_LIMIT);
  const wish = { vector: null, limitPerLeg: 5 };
  expect((await search(index, "the reports", wish)).lexical).toHaveLength(5);
  expect((await search(index, "report number29000", wish)).lexical[0]).toBe(textOf(29_000));
  const small = { named: { files: ["small"], folders: [] }, metadata: [] };
  const narrow = await search(index, "report", { ...wish, restriction: small });
  expect(narrow.lexical).toEqual(["report report report"]);
  const big = { named: { files: [], folders: ["big"] }, metadata: [] };
  const wide = { limitPerLeg: 5, restriction: big, vector: Float32Array.of(0.6, 0.8, 0, 0) };
  const result = await search(index, "report", { ...wide, nearest: { matches: [], floor: null } });
  expect(await index.planRestriction(big)).toEqual([]);
  expect(result.vector).toEqual([]);
  expect((await search(index, "report", wide)).vector.length).toBeGreaterThan(4);
  await index.remove([{ fileId, revision: 2 }]);
  expect(await index.facts()).toMatchObject({ chunks: 1, files: 1, tombstones: CHUNKS + 1 });
  expect((await search(index, "number3", wish)).lexical).toEqual([]);
  const findReport = async () => (await search(index, "report number3", wish)).lexical;
  expect(await findReport()).toEqual(["report report report"]);
  await untilPurged("large");
  expect(await findReport()).toEqual(["report report report"]);
  await runInDurableObject(stubOf("large"), (_object, { storage: { sql } }) => {
    const { rows } = sql.exec<{ rows: number }>("SELECT count(*) AS rows FROM contents").one();
    expect(rows).toBe(1);
  });
});
