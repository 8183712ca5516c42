import { expect, test } from "vitest";

import type { Embedded, FileWork } from "../../../src/ingestion/indexing/file-work.ts";
import { storeEmbedded } from "../../../src/ingestion/indexing/store-embedded.ts";
import type { FileVersion } from "../../../src/ports/index-versions.ts";
import type { Services } from "../../../src/services.ts";

/** A file of as many chunks as are held; `held` null: they are stored at once. */
const workOf = (fileId: string, held: FileWork["held"]) =>
  ({
    file: { ragId: "rag", generation: 1, shards: 1, vectorsIn: "embedded", fileId, path: fileId },
    markdown: "text",
    chunks: [],
    held,
    activation: null,
    failure: null,
  }) as unknown as FileWork;

const embedded = (id: string) =>
  [
    { chunk: { id, header: null, start: 0, end: 4 }, vector: new Float32Array(2) },
  ] as unknown as Embedded[];

test("slices that are embedded side by side store the version of a small file once", async () => {
  const stored: string[] = [];
  const large = Promise.withResolvers<[]>();
  const begun = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const index = {
    stage: async () => await large.promise,
    writeVersions: async (versions: FileVersion[]) => {
      stored.push(...versions.map(({ file, staged }) => `${file.fileId} ${staged.length}`));
      begun.resolve();
      if (stored.length === 1) await writing.promise;
      return versions.map(() => ({ stored: [], activation: { outcome: "activated" } }));
    },
  };
  const services = {
    vectorIndex: null,
    ragIndexes: () => index,
    takeTurn: async () => undefined,
  } as unknown as Services;
  const small = workOf("small", { chunks: [], wanted: 2, isTaken: false });
  const failed = workOf("failed", { chunks: [], wanted: 1, isTaken: false });
  failed.failure = { thrown: new Error("refused") };
  const one = storeEmbedded(
    services,
    new Map([
      [small, embedded("a")],
      [failed, embedded("c")],
      [workOf("large", null), embedded("b")],
    ]),
  );
  const other = storeEmbedded(services, new Map([[small, embedded("d")]]));
  // The first slice ends while the version is being written.
  await begun.promise;
  large.resolve([]);
  await one;
  writing.resolve();
  await other;
  expect(stored).toEqual(["small 2"]);
  expect(small.activation).toEqual({ outcome: "activated" });
});
