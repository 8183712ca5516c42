import { expect, test } from "vitest";

import { chunkIdOf } from "../../../src/core/hash.ts";
import type { FileId, RagId } from "../../../src/core/ids.ts";
import type { StoredVersion, VersionCursor } from "../../../src/ports/index-versions.ts";
import type { RagIndex } from "../../../src/ports/rag-index.ts";
import { factsOf, indexOf, write, search } from "./support.ts";

const EQUAL = "The same notice everywhere.";
const PATHS = ["c.md", "a.md", "long.md", "b.md"];

async function readAll(index: RagIndex): Promise<StoredVersion[]> {
  const versions = new Map<FileId, StoredVersion>();
  const fileIds = PATHS.map((path) => factsOf(path).fileId);
  for (let cursor: VersionCursor | null = { fileIds, from: 0 }; cursor !== null;) {
    const page = await index.readVersions(cursor);
    for (const version of page.versions) {
      const earlier = versions.get(version.fileId);
      if (earlier === undefined) versions.set(version.fileId, version);
      else earlier.chunks.push(...version.chunks);
    }
    cursor = page.next;
  }
  return [...versions.values()];
}

async function copyTo(index: RagIndex, { fileId, revision, chunks }: StoredVersion) {
  const path = fileId.replace("file ", "");
  const withIds = await Promise.all(
    chunks.map(async (chunk) => {
      // Equal ids: they decide between chunks with equal scores.
      const facts = { ragId: "rag" as RagId, generation: 1, fileId, embeddedText: chunk.text };
      return { ...chunk, id: await chunkIdOf({ ...facts, occurrence: 0 }) };
    }),
  );
  const version = { file: factsOf(path), revision, staged: withIds, chunks: withIds };
  const [result] = await index.writeVersions([version]);
  return result?.activation;
}

test("a copy keeps texts, vectors, places and which of equal passages is the original", async () => {
  const [original, copy] = [indexOf("copied"), indexOf("copy of it")];
  const long = Array.from({ length: 600 }, (_, at) => `stone number ${at}`);
  const passages: Record<string, string[]> = { "long.md": long, "a.md": ["beta stone", EQUAL] };
  for (const path of PATHS)
    await write(original, path, 3, passages[path] ?? [EQUAL, `${path} only`]);
  const versions = await readAll(original);
  expect(versions.map(({ chunks }) => chunks.length)).toEqual([2, 2, 600, 2]);
  // In another order, and each a second time, as after a crash.
  for (const version of [...versions.toReversed(), ...versions]) {
    expect(await copyTo(copy, version)).toMatchObject({ outcome: "activated" });
  }
  const everything = async (index: RagIndex) => ({
    facts: await index.facts(),
    notice: await search(index, "notice"),
    copies: await search(index, "notice", { includeDuplicates: true }),
    long: await search(index, "stone number 577"),
  });
  expect(await everything(copy)).toEqual(await everything(original));
  expect((await search(copy, "notice")).vectorPlaces[0]).toBe(`c.md: ${EQUAL}`);
  // The one that was inserted next becomes the original, in both.
  for (const index of [original, copy]) {
    await index.remove([{ fileId: factsOf("c.md").fileId, revision: 4 }]);
  }
  expect(await everything(copy)).toEqual(await everything(original));
  // Later texts have numbers of their own.
  await write(copy, "new.md", 1, ["gamma stone"]);
  expect((await search(copy, "gamma")).lexical).toEqual(["gamma stone"]);
});

test("files that are not live are left out of a copy", async () => {
  const index = indexOf("partly");
  await write(index, "a.md", 1, ["alpha"]);
  await write(index, "b.md", 1, ["beta"]);
  await index.remove([{ fileId: factsOf("a.md").fileId, revision: 2 }]);
  const fileIds = ["a.md", "b.md", "never.md"].map((path) => factsOf(path).fileId);
  const { versions, next } = await index.readVersions({ fileIds, from: 0 });
  expect(versions.map(({ fileId, revision }) => [fileId, revision])).toEqual([["file b.md", 1]]);
  expect(next).toBeNull();
  expect(await indexOf("empty").readVersions({ fileIds, from: 0 })).toEqual({
    versions: [],
    next: null,
  });
});
