import { expect, test } from "vitest";

import { readAs } from "../../../src/access/readers.ts";
import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { updateFileSource } from "../../../src/catalog/file-sources/update-file-source.ts";
import { findRag } from "../../../src/catalog/rags/find-rag.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { setReaders } from "../../../src/ingestion/uploads/set-readers.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { World, bytesOf } from "../../support/ingestion-world.ts";
import { requestOf } from "../../support/retrieval-requests.ts";

const ANN = "ann@x.org";
/** More than are told at once. */
const PATHS = Array.from({ length: 11 }, (_, at) => `${at}.txt`);

async function share(world: World, id: FileSourceId) {
  const found = await findFileSource(world.services, { key: id });
  await updateFileSource(world.services, { source: found, patch: { permissions: "on" } });
  for (const path of PATHS) {
    const body = bytesOf(`A note of ${path}.`);
    const file = { path, body, contentLength: null, mimeType: "text/plain", metadata: null };
    await putFile(world.services, { ...file, source: { id }, readers: [`user:${ANN}`] });
  }
}

/** Each change is recorded, and told to the indexes that answer. */
async function revoke(world: World, id: FileSourceId) {
  for (const path of PATHS) {
    const told = { source: { id }, path, readers: [] };
    await expect(setReaders(world.services, told)).rejects.toThrow("does not answer");
  }
}

/** How many passages Ann finds. */
async function found({ services }: World, key: RagId): Promise<number> {
  const reading = { reader: ANN, groups: [], header: null, groupsHeader: null };
  const rags = await readAs(services.db, reading, [await findRag(services, { key })]);
  const request = requestOf(rags, { queries: ["note"], topK: 50, includeDuplicates: true });
  return (await retrieve(services, request)).chunks.length;
}

test("an index that does not answer keeps no removed permission from others", async () => {
  const world = new World();
  const shared = await world.addSourceAndRag();
  const sibling = await world.addRag(shared.source);
  const later = await world.addSourceAndRag();
  for (const { source } of [shared, later]) await share(world, source);
  await world.deliver();
  for (const rag of [sibling, later.rag]) expect(await found(world, rag)).toBe(PATHS.length);

  const silent = new Set([shared.rag, later.rag]);
  world.aroundIndexes(({ name, go }, { ragId }) => {
    if (name === "writeReaders" && silent.has(ragId)) throw new Error("does not answer");
    return go();
  });
  for (const { source } of [shared, later]) await revoke(world, source);
  expect(await found(world, sibling)).toBe(0);
  silent.delete(later.rag);
  await world.sweepAfter(1);
  expect(await found(world, later.rag)).toBe(0);
  silent.clear();
  await world.sweepAfter(1);
  expect(await found(world, shared.rag)).toBe(0);
});
