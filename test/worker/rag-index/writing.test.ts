import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { type ChunkId, type FileId, vectorIdOf } from "../../../src/core/ids.ts";
import { HOUR_MS } from "../../../src/core/time.ts";
import { usesVectorize } from "../../support/tested-adapters.ts";
import { factsOf, indexOf, write, search, stubOf, versionOf } from "./support.ts";

const ids = (version: { chunks: { id: ChunkId }[] }) => version.chunks.map(({ id }) => id);

test("staged chunks are invisible until activation, and not asked for twice", async () => {
  const index = indexOf("staging");
  const facts = factsOf("a.md");
  const version = await versionOf(facts.fileId, ["quartz", "granite"]);
  expect(await index.missing([{ fileId: facts.fileId, ids: ids(version) }])).toEqual(ids(version));
  await index.stage(facts.fileId, 1, version.staged.slice(0, 1));
  await index.stage(facts.fileId, 1, version.staged.slice(0, 1));
  expect(await index.missing([{ fileId: facts.fileId, ids: ids(version) }])).toEqual(
    ids(version).slice(1),
  );
  expect((await search(index, "quartz")).vector).toEqual([]);
  expect(await index.facts()).toEqual({ chunks: 0, files: 0, staged: 1, tombstones: 0 });
  const early = await index.activateVersion(facts, 1, version.chunks);
  expect(early).toEqual({ outcome: "incomplete", missing: ids(version).slice(1) });
  await index.stage(facts.fileId, 1, version.staged);
  const activated = { outcome: "activated", chunkCount: 2 };
  expect(await index.activateVersion(facts, 1, version.chunks)).toEqual(activated);
  expect(await index.activateVersion(facts, 1, version.chunks)).toEqual(activated);
  expect(await index.facts()).toEqual({ chunks: 2, files: 1, staged: 0, tombstones: 0 });
  expect((await search(index, "quartz")).lexical).toEqual(["quartz"]);
});

test("a new version replaces the old one in one step and keeps what is the same", async () => {
  const index = indexOf("versions");
  const facts = factsOf("a.md");
  await write(index, facts, 1, ["alpha stone", "beta stone"]);
  const next = await versionOf(facts.fileId, ["beta stone", "gamma stone"]);
  expect(await index.missing([{ fileId: facts.fileId, ids: ids(next) }])).toEqual(
    ids(next).slice(1),
  );
  await index.stage(facts.fileId, 2, next.staged);
  expect((await search(index, "stone")).lexical.sort()).toEqual(["alpha stone", "beta stone"]);
  await index.activateVersion(facts, 2, next.chunks);
  const result = await search(index, "stone");
  expect(result.lexical.sort()).toEqual(["beta stone", "gamma stone"]);
  expect(result.hydrated.find(({ text }) => text === "beta stone")?.position).toBe(0);
  const tombstones = usesVectorize ? 1 : 0;
  expect(await index.facts()).toEqual({ chunks: 2, files: 1, staged: 0, tombstones });
});

test("two versions of one file in one call leave the words of the second alone", async () => {
  const index = indexOf("twice-in-a-call");
  const file = factsOf("a.md");
  const versions = await Promise.all(
    [
      ["alpha stone", "beta stone"],
      ["beta stone", "gamma stone"],
    ].map(async (texts, at) => {
      const { staged, chunks } = await versionOf(file.fileId, texts);
      return { file, revision: at + 1, staged, chunks };
    }),
  );
  await index.writeVersions(versions);
  expect((await search(index, "stone")).lexical.sort()).toEqual(["beta stone", "gamma stone"]);
  expect((await search(index, "alpha")).lexical).toEqual([]);
  await index.remove([{ fileId: file.fileId, revision: 3 }]);
  expect((await search(index, "stone")).lexical).toEqual([]);
});

test("versions of several files are written in one step, a void one beside the others", async () => {
  const index = indexOf("several");
  await write(index, "old.md", 1, ["alpha stone", "beta stone"]);
  await write(index, "newer.md", 5, ["delta stone"]);
  const versions = await Promise.all(
    [
      { path: "old.md", texts: ["beta stone", "gamma stone"] },
      { path: "newer.md", texts: ["late stone"] },
      { path: "new.md", texts: ["Gamma  stone", "epsilon stone"] },
    ].map(async ({ path, texts }) => {
      const file = factsOf(path);
      const { staged, chunks } = await versionOf(file.fileId, texts);
      const missingIds = new Set(
        await index.missing([{ fileId: file.fileId, ids: ids({ chunks }) }]),
      );
      const added = staged.filter(({ id }) => missingIds.has(id));
      return { file, revision: 2, staged: added, chunks };
    }),
  );
  const results = await index.writeVersions(versions);
  expect(results.map(({ stored }) => stored.length)).toEqual([1, 0, 2]);
  const activated = { outcome: "activated", chunkCount: 2 };
  const outcomes = results.map(({ activation }) => activation);
  expect(outcomes).toEqual([activated, { outcome: "superseded", revision: 5 }, activated]);
  const result = await search(index, "stone");
  const expected = ["beta stone", "delta stone", "epsilon stone", "gamma stone"];
  expect(result.lexical.sort()).toEqual(expected);
  expect(result.vector.sort()).toEqual(expected);
  // A second delivery adds nothing and changes nothing.
  const repeat = await index.writeVersions(versions);
  expect(repeat.map(({ stored }) => stored.length)).toEqual([0, 0, 0]);
  expect(await index.facts()).toMatchObject({ chunks: 5, files: 3, staged: 0 });
});

test("headings are searched, weigh more than text, and can change without the text", async () => {
  const index = indexOf("headings");
  const text = "Ask the front desk.";
  await write(index, "a.md", 1, [{ text, headings: ["Parking"] }]);
  await write(index, "b.md", 1, ["Parking is free on Sundays.", "Ask again later."]);
  const parking = await search(index, "parking", { vector: null });
  expect(parking.lexical).toEqual([text, "Parking is free on Sundays."]);
  await write(index, "a.md", 2, [{ text, headings: ["Visitors"] }]);
  const after = await search(index, "parking", { vector: null });
  expect(after.lexical).toEqual(["Parking is free on Sundays."]);
  const visitors = await search(index, "visitor", { vector: null });
  expect(visitors.lexical).toEqual([text]);
  await write(index, "a.md", 3, []);
  expect((await search(index, "visitor", { vector: null })).lexical).toEqual([]);
});

test("older work is refused, and so is work that a removal came before", async () => {
  const index = indexOf("revisions");
  const facts = factsOf("a.md");
  await write(index, facts, 5, ["five"]);
  expect(await write(index, facts, 4, ["four"])).toEqual({ outcome: "superseded", revision: 5 });
  const moved = factsOf("elsewhere.md", { fileId: facts.fileId });
  expect(await index.describeFile(moved, 4)).toEqual({ outcome: "superseded", revision: 5 });
  await index.remove([{ fileId: facts.fileId, revision: 3 }]);
  expect((await search(index, "five")).lexical).toEqual(["five"]);
  await index.remove([{ fileId: facts.fileId, revision: 6 }]);
  await index.remove([{ fileId: facts.fileId, revision: 6 }]);
  expect((await search(index, "five")).vector).toEqual([]);
  expect(await write(index, facts, 5, ["five"])).toEqual({ outcome: "superseded", revision: 6 });
  expect(await write(index, facts, 6, ["six"])).toEqual({ outcome: "superseded", revision: 6 });
  expect((await index.facts()).staged).toBe(0);
  expect(await write(index, facts, 7, ["seven"])).toEqual({ outcome: "activated", chunkCount: 1 });
});

test("a removal at any moment of an index job lets nothing come back", async () => {
  const facts = factsOf("a.md");
  const { staged, chunks } = await versionOf(facts.fileId, ["one", "two"]);
  const moments = [0, 1, 2, 3, 4].flatMap((moment) => [
    { moment, revision: 1 },
    { moment, revision: 2 },
  ]);
  for (const { moment, revision } of moments) {
    const index = indexOf(`removal ${revision} at ${moment}`);
    const removeAt = async (now: number) => {
      if (now === moment) await index.remove([{ fileId: facts.fileId, revision }]);
    };
    await removeAt(0);
    await index.stage(facts.fileId, 1, staged.slice(0, 1));
    await removeAt(1);
    await index.stage(facts.fileId, 1, staged.slice(1));
    await removeAt(2);
    const activation = await index.activateVersion(facts, 1, chunks);
    expect(activation.outcome).toBe(moment < 3 ? "superseded" : "activated");
    await removeAt(3);
    await index.activateVersion(facts, 1, chunks);
    await removeAt(4);
    const result = await search(index, "one two");
    expect([result.lexical, result.vector]).toEqual([[], []]);
    expect(await index.facts()).toMatchObject({ chunks: 0, files: 0, staged: 0 });
  }
});

test("the end of an older job leaves what a newer one has staged", async () => {
  const index = indexOf("two jobs");
  const facts = factsOf("a.md");
  const newer = await versionOf(facts.fileId, ["shared", "new"]);
  const older = await versionOf(facts.fileId, ["shared", "old"]);
  await index.stage(facts.fileId, 1, older.staged);
  await index.stage(facts.fileId, 2, newer.staged);
  expect(await index.activateVersion(facts, 1, older.chunks)).toMatchObject({
    outcome: "activated",
  });
  expect(await index.activateVersion(facts, 2, newer.chunks)).toMatchObject({
    outcome: "activated",
  });
  expect((await search(index, "shared old new")).lexical.sort()).toEqual(["new", "shared"]);
  expect(await index.facts()).toMatchObject({ chunks: 2, staged: 0 });
});

test("a file's facts change without its chunks; an unknown file is absent", async () => {
  const index = indexOf("describe");
  const facts = factsOf("old/a.md");
  expect(await index.describeFile(facts, 1)).toEqual({ outcome: "absent" });
  await write(index, facts, 1, ["a word"]);
  const moved = factsOf("new/b.md", { fileId: facts.fileId, url: "https://example.org/b" });
  expect(await index.describeFile(moved, 2)).toEqual({ outcome: "described" });
  expect(await index.describeFile(moved, 2)).toEqual({ outcome: "described" });
  const [hit] = (await search(index, "word")).hydrated;
  expect(hit?.file).toMatchObject({ path: "new/b.md", name: "b.md", url: "https://example.org/b" });
  expect(await index.facts()).toMatchObject({ files: 1, chunks: 1 });
});

test("an index that was only asked answers as an empty one and keeps no storage", async () => {
  const index = indexOf("only asked");
  const { fileId } = factsOf("a.md");
  const chunk = "e".repeat(40) as ChunkId;
  const vector = vectorIdOf(chunk, 1);
  const selection = { files: [], folders: ["a"] };
  expect(await index.missing([{ fileId, ids: [chunk] }])).toEqual([chunk]);
  expect(await index.vectors(fileId, [chunk])).toEqual([]);
  expect(await search(index, "word")).toMatchObject({ lexical: [], vector: [], hydrated: [] });
  const restricted = await search(index, "word", {
    restriction: { named: selection, metadata: [] },
  });
  expect([restricted.lexical, restricted.vector]).toEqual([[], []]);
  expect(await index.facts()).toEqual({ chunks: 0, files: 0, staged: 0, tombstones: 0 });
  expect(await index.listFiles(null, 10)).toEqual([]);
  expect(await index.sample(3)).toEqual([]);
  expect(await index.inFlightBatches(10)).toEqual([]);
  expect(await index.vectorsToUpsert(1, 10)).toEqual([]);
  expect(await index.queueMoved(10)).toBe(0);
  expect(await index.tombstones(0, 10)).toEqual([]);
  expect(await index.orphansAmong([vector])).toEqual([vector]);
  const page = { vectors: [], sample: null, upTo: 0, isLast: true };
  expect(await index.nextPageToVerify(10)).toEqual(page);
  const verified = await index.recordVerifiedPage(page, { missing: [vector], orphans: [vector] });
  expect(verified).toEqual({ missing: 0, orphans: 0 });
  await index.confirmSeen([1], 1);
  await index.confirmRemoved([vector], 1);
  expect(await index.ledger()).toEqual({ inFlight: 0, moved: 0, purgeDueAt: null });
  expect(await index.abandon(10)).toBe(false);
  await runInDurableObject(stubOf("only asked"), (_object, { storage: { sql } }) => {
    const { tables } = sql.exec("SELECT count(*) AS tables FROM sqlite_master").one();
    expect(tables).toBe(0);
  });
});

test("tombstones of sent vectors are listed until removed, and once more", async () => {
  const index = indexOf("tombstones");
  // Nothing was sent yet, so nothing is to be removed.
  const unsent = factsOf("unsent.md");
  const version = await versionOf(unsent.fileId, ["never sent"]);
  await index.stage(unsent.fileId, 1, version.staged);
  await index.activateVersion(unsent, 1, version.chunks);
  await index.remove([{ fileId: unsent.fileId, revision: 2 }]);
  expect(await index.tombstones(0, 10)).toEqual([]);
  const facts = factsOf("a.md");
  const { staged } = await versionOf(facts.fileId, ["gone", "back"]);
  const storedChunks = await index.stage(facts.fileId, 1, staged, { id: 1, at: 1, folder: "" });
  await write(index, facts, 1, ["gone", "back"]);
  await index.remove([{ fileId: facts.fileId, revision: 2 }]);
  const ids = storedChunks.map(({ vectorId }) => vectorId).sort();
  expect(await index.tombstones(0, 10)).toEqual(ids);
  expect(await index.tombstones(0, 1)).toHaveLength(1);
  const back = await index.stage(facts.fileId, 3, staged.slice(1));
  // A text that returns gets a new id.
  expect(ids).not.toContain(back[0]?.vectorId);
  await index.confirmRemoved(ids, 1_000);
  await index.confirmRemoved(ids, 1_000);
  expect(await index.tombstones(1_000, 10)).toEqual([]);
  expect(await index.tombstones(HOUR_MS, 10)).toEqual(ids);
  await index.confirmRemoved(ids, HOUR_MS);
  expect(await index.facts()).toEqual({ chunks: 0, files: 0, staged: 1, tombstones: 0 });
});

test("a vector that was seen is scanned until searches that began before are over", async () => {
  const index = indexOf("trust");
  const facts = factsOf("a.md");
  const { staged, chunks } = await versionOf(facts.fileId, ["seen"]);
  await index.stage(facts.fileId, 1, staged, { id: 1, at: 1, folder: "" });
  await index.activateVersion(facts, 1, chunks);
  await index.confirmSeen([1], HOUR_MS);
  await index.confirmSeen([], HOUR_MS + 9_999);
  expect(await index.ledger()).toMatchObject({ inFlight: 1 });
  await index.confirmSeen([], HOUR_MS + 10_000);
  expect(await index.ledger()).toMatchObject({ inFlight: 0 });
});

test("live files are listed in order of id, page by page", async () => {
  const index = indexOf("listing");
  for (const name of ["c", "a", "b", "d"]) await write(index, name, 3, [`text ${name}`]);
  await index.remove([{ fileId: "file b" as FileId, revision: 4 }]);
  const first = await index.listFiles(null, 2);
  expect(first).toEqual([
    { fileId: "file a", revision: 3, chunkCount: 1 },
    { fileId: "file c", revision: 3, chunkCount: 1 },
  ]);
  const second = await index.listFiles("file c" as FileId, 2);
  expect(second.map(({ fileId }) => fileId)).toEqual(["file d"]);
});

test("all of it survives an eviction; destruction leaves nothing", async () => {
  const index = indexOf("lifetime");
  await write(index, "a.md", 2, ["lasting words", "more words"]);
  await write(index, "b.md", 2, ["lasting words"]);
  await index.restrictToScopes([{ type: "path", value: "a.md" }]);
  const before = await search(index, "lasting");
  await evictDurableObject(stubOf("lifetime"));
  expect(await search(index, "lasting")).toEqual(before);
  expect(before.lexicalPlaces).toEqual(["a.md: lasting words"]);
  expect(await write(index, "a.md", 1, ["older"])).toEqual({ outcome: "superseded", revision: 2 });
  await index.destroy();
  await index.destroy();
  expect((await search(index, "lasting")).vector).toEqual([]);
  expect(await index.facts()).toEqual({ chunks: 0, files: 0, staged: 0, tombstones: 0 });
  expect(await write(index, "a.md", 1, ["anew"])).toEqual({ outcome: "activated", chunkCount: 1 });
});
