import { expect, test } from "vitest";

import { indexBodies } from "../../../src/adapters/cloudflare/job-queue.ts";
import type { FileId, RagId } from "../../../src/core/ids.ts";
import { queueBySize } from "../../../src/ingestion/indexing/queue-by-size.ts";
import type { JobQueue } from "../../../src/ports/job-queue.ts";

const KIB = 1_024;

const unused = async () => undefined;

async function sentFor(sizes: (number | null)[]): Promise<string[][]> {
  const batches: string[][] = [];
  const index: JobQueue["index"] = async (messages, { together = false } = {}) => {
    for (const body of indexBodies(messages, together)) {
      batches.push(("files" in body ? body.files : [body]).map(({ fileId }) => fileId));
    }
  };
  const files = sizes.map((size, at) => ({
    ragId: "rag" as RagId,
    generation: 1,
    fileId: `${at}` as FileId,
    revision: 1,
    size,
  }));
  await queueBySize({ queue: { index, scan: unused, usage: unused } }, files);
  return batches;
}

test("small files share messages, and each larger one has its own", async () => {
  expect(await sentFor([KIB, 65 * KIB, 64 * KIB, 5_000 * KIB])).toEqual([["1"], ["3"], ["0", "2"]]);
  const many = await sentFor(Array.from({ length: 60 }, () => KIB));
  expect(many.map(({ length }) => length)).toEqual([25, 25, 10]);
  expect(await sentFor([])).toEqual([]);
});

test("a file whose size is unknown has a message of its own, an empty one has not", async () => {
  expect(await sentFor([null, KIB, 0])).toEqual([["0"], ["1", "2"]]);
});
