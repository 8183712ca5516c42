import { expect, test } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import type { RagIndex } from "../../../src/ports/rag-index.ts";
import { factsOf, indexOf, write, search, versionOf } from "./support.ts";

const EQUAL = "The same notice everywhere.";

test("equal chunks of one file and one activation are duplicates, too", async () => {
  const index = indexOf("within");
  await write(index, "a.md", 1, [EQUAL, EQUAL, EQUAL]);
  const result = await search(index, "notice");
  expect(result.lexical).toEqual([EQUAL]);
  expect(result.vector).toEqual([EQUAL]);
  const all = await search(index, "notice", { includeDuplicates: true });
  expect(all.lexical).toHaveLength(3);
  expect(all.vector).toHaveLength(3);
});

test("an earlier equal chunk that comes late becomes the original", async () => {
  const index = indexOf("late");
  const fileId = "file a.md" as FileId;
  const early = await versionOf(fileId, [EQUAL]);
  await index.stage(fileId, 1, early.staged);
  await write(index, "b.md", 1, [EQUAL]);
  expect((await search(index, "notice")).vectorPlaces).toEqual([`b.md: ${EQUAL}`]);
  await index.activateVersion(factsOf("a.md"), 1, early.chunks);
  expect((await search(index, "notice")).vectorPlaces).toEqual([`a.md: ${EQUAL}`]);
});

test("new files written in one step are as if they were staged and activated", async () => {
  const texts = {
    "a.md": ["alpha stone", "beta stone", "Alpha  stone"],
    "b/c.md": ["beta stone", "gamma stone", "gamma stone"],
    "empty.md": [],
    "d.md": ["gamma stone", "delta stone"],
  };
  const versions = await Promise.all(
    Object.entries(texts).map(async ([path, passages]) => {
      const file = factsOf(path, { externalId: `drive ${path}`, metadata: { kind: ["note"] } });
      const parts = passages.map((text) => ({ text, headings: ["Stones", path] }));
      const { staged, chunks } = await versionOf(file.fileId, parts);
      return { file, revision: 1, staged, chunks };
    }),
  );
  const [steps, once] = [indexOf("by steps"), indexOf("at once")];
  // Vectors are in memory before the others come.
  for (const index of [steps, once]) {
    const { staged, chunks } = await versionOf(factsOf("z.md").fileId, ["zeta stone"]);
    await index.stage(factsOf("z.md").fileId, 1, staged);
    await index.activateVersion(factsOf("z.md"), 1, chunks);
    await search(index, "stone");
  }
  for (const { file, staged, chunks } of versions) {
    await steps.stage(file.fileId, 1, staged);
    await steps.activateVersion(file, 1, chunks);
  }
  const results = await once.writeVersions(versions);
  expect(results.map(({ stored }) => stored.length)).toEqual([3, 3, 0, 2]);
  const everything = async (index: RagIndex) => ({
    facts: await index.facts(),
    seen: await search(index, "stone"),
    copies: await search(index, "stone", { includeDuplicates: true }),
    headings: await search(index, "stones"),
  });
  const removeFromBoth = async (path: string) => {
    const removals = [{ fileId: factsOf(path).fileId, revision: 2 }];
    await Promise.all([steps.remove(removals), once.remove(removals)]);
  };
  expect(await everything(once)).toEqual(await everything(steps));
  expect((await search(once, "stone")).lexical.sort()).toEqual([
    "alpha stone",
    "beta stone",
    "delta stone",
    "gamma stone",
    "zeta stone",
  ]);
  // Copies in other files take the place of what is removed.
  for (const path of ["a.md", "b/c.md"]) {
    await removeFromBoth(path);
    expect(await everything(once)).toEqual(await everything(steps));
  }
  expect((await search(once, "gamma")).lexicalPlaces).toEqual(["d.md: gamma stone"]);
  // Equal ids belong to another version of a removed file.
  expect(
    (await once.writeVersions(versions.slice(0, 1))).map(({ activation }) => activation),
  ).toEqual([{ outcome: "superseded", revision: 2 }]);
});
