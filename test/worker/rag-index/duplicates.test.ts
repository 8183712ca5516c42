import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import type { RagIndex } from "../../../src/ports/rag-index.ts";
import { factsOf, indexOf, put, search, stubOf, versionOf } from "./support.ts";

const EQUAL = "The same notice everywhere.";
const remove = (name: string, path: string, revision: number) =>
  indexOf(name).remove([{ fileId: `file ${path}` as FileId, revision }]);

test("of equal chunks the first answers, and when it goes the next one", async () => {
  const index = indexOf("equal-succession");
  await put(index, "1.md", 1, [EQUAL]);
  await put(index, "2.md", 1, [`the SAME  notice\neverywhere.`]);
  await put(index, "3.md", 1, [EQUAL, "Something else."]);
  const notices = async () => {
    const { lexicalPlaces, vectorPlaces } = await search(index, "same notice");
    const vector = vectorPlaces.filter((place) => /same/i.test(place));
    expect(vector).toEqual(lexicalPlaces);
    return lexicalPlaces;
  };
  expect(await notices()).toEqual([`1.md: ${EQUAL}`]);
  await remove("equal-succession", "1.md", 2);
  expect(await notices()).toEqual(["2.md: the SAME  notice\neverywhere."]);
  await evictDurableObject(stubOf("equal-succession"));
  await put(index, "2.md", 2, ["Now another text."]);
  expect(await notices()).toEqual([`3.md: ${EQUAL}`]);
  await put(index, "4.md", 1, [EQUAL]);
  expect(await notices()).toEqual([`3.md: ${EQUAL}`]);
  await put(index, "3.md", 2, ["Something else."]);
  expect(await notices()).toEqual([`4.md: ${EQUAL}`]);
});

test("equal chunks of one file and one activation are duplicates, too", async () => {
  const index = indexOf("within");
  await put(index, "a.md", 1, [EQUAL, EQUAL, EQUAL]);
  const found = await search(index, "notice");
  expect(found.lexical).toEqual([EQUAL]);
  expect(found.vector).toEqual([EQUAL]);
  const all = await search(index, "notice", { includeDuplicates: true });
  expect(all.lexical).toHaveLength(3);
  expect(all.vector).toHaveLength(3);
});

test("under a restriction the first eligible one stands in, and only it", async () => {
  const index = indexOf("standing in");
  for (const path of ["a/1.md", "b/2.md", "b/3.md", "c/4.md"]) await put(index, path, 1, [EQUAL]);
  const within = (...folders: string[]) =>
    search(index, "notice", { restriction: { named: { files: [], folders }, metadata: [] } });
  const found = await within("b", "c");
  expect(found.lexicalPlaces).toEqual([`b/2.md: ${EQUAL}`]);
  expect(found.vectorPlaces).toEqual([`b/2.md: ${EQUAL}`]);
  expect((await within("c")).vectorPlaces).toEqual([`c/4.md: ${EQUAL}`]);
  expect((await within("a", "c")).vectorPlaces).toEqual([`a/1.md: ${EQUAL}`]);
});

test("a hidden original does not keep its duplicate from answering", async () => {
  const index = indexOf("hidden original");
  await put(index, "out/1.md", 1, [EQUAL]);
  await put(index, "in/2.md", 1, [EQUAL]);
  expect((await search(index, "notice")).vectorPlaces).toEqual([`out/1.md: ${EQUAL}`]);
  await index.restrictToScopes([{ type: "path", value: "in/" }]);
  expect((await search(index, "notice")).vectorPlaces).toEqual([`in/2.md: ${EQUAL}`]);
  await index.restrictToScopes(null);
  expect((await search(index, "notice")).lexicalPlaces).toEqual([`out/1.md: ${EQUAL}`]);
});

test("an earlier equal chunk that comes late becomes the original", async () => {
  const index = indexOf("late");
  const fileId = "file a.md" as FileId;
  const early = await versionOf(fileId, [EQUAL]);
  await index.stage(fileId, 1, early.staged);
  await put(index, "b.md", 1, [EQUAL]);
  expect((await search(index, "notice")).vectorPlaces).toEqual([`b.md: ${EQUAL}`]);
  await index.activateVersion(factsOf("a.md"), 1, early.placed);
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
      const { staged, placed } = await versionOf(file.fileId, parts);
      return { file, revision: 1, staged, chunks: placed };
    }),
  );
  const [steps, once] = [indexOf("by steps"), indexOf("at once")];
  // Vectors are in memory before the others come.
  for (const index of [steps, once]) {
    const { staged, placed } = await versionOf(factsOf("z.md").fileId, ["zeta stone"]);
    await index.stage(factsOf("z.md").fileId, 1, staged);
    await index.activateVersion(factsOf("z.md"), 1, placed);
    await search(index, "stone");
  }
  for (const { file, staged, chunks } of versions) {
    await steps.stage(file.fileId, 1, staged);
    await steps.activateVersion(file, 1, chunks);
  }
  const written = await once.writeVersions(versions);
  expect(written.map(({ stored }) => stored.length)).toEqual([3, 3, 0, 2]);
  const everything = async (index: RagIndex) => ({
    facts: await index.facts(),
    seen: await search(index, "stone"),
    copies: await search(index, "stone", { includeDuplicates: true }),
    headings: await search(index, "stones"),
  });
  const removeFromBoth = async (path: string) => {
    const gone = [{ fileId: factsOf(path).fileId, revision: 2 }];
    await Promise.all([steps.remove(gone), once.remove(gone)]);
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
  // The same ids again are another version of a removed file.
  expect(
    (await once.writeVersions(versions.slice(0, 1))).map(({ activation }) => activation),
  ).toEqual([{ outcome: "superseded", revision: 2 }]);
});
