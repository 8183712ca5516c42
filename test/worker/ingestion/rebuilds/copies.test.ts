import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { copyRag } from "../../../../src/catalog/rags/copy-rag.ts";
import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import { newId, type FileSourceId, type RagId } from "../../../../src/core/ids.ts";
import { copySource } from "../../../../src/ingestion/copies/copy-source.ts";
import { returnToIndex } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import { takeOverRag } from "../../../../src/ingestion/rebuilds/take-over-rag.ts";
import { crashAtCalls } from "../../../support/crash.ts";
import { rowsOf, World } from "../../../support/ingestion-world.ts";
import {
  deliverBut,
  find,
  indexedRag,
  longText,
  patch,
  states,
  tenMinutesLater,
} from "./support.ts";

const FILES = { "a.html": longText("moss"), "b.html": longText("fen") };
const ragAt = async (world: World, key: string) => await findRag(world.services, { key });

let copies = 0;
async function copyOf(world: World, ragId: RagId, change: object = {}) {
  const rag = await ragAt(world, ragId);
  const name = `Copy ${++copies} of ${ragId.slice(-6)}`;
  return await copyRag(world.services, { rag, copy: { name, ...change } });
}

async function takeOver(world: World, rag: RagId, from: RagId) {
  await takeOverRag(world.services, { rag: await ragAt(world, rag), from });
}

test("a copy answers as its RAG does, and no embedder is called", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  await patch(world, rag, {
    chunkSize: 32,
    chunkOverlap: 0,
    scopeMode: "scoped",
    scopes: [{ type: "path", value: "a.html" }],
  });
  await world.deliver();
  const embedded = world.countEmbedded();
  const copy = await copyOf(world, rag);
  expect(copy).toMatchObject({ chunkSize: 32, chunkOverlap: 0, scopeMode: "scoped" });
  await world.deliver();
  expect(embedded).toEqual([]);
  const answer = await find(world, rag);
  expect(Object.keys(answer.counts)).toEqual(["a.html"]);
  expect(await find(world, copy.id)).toEqual(answer);
});

test("a copy with other passages is built from texts that were read", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  const copy = await copyOf(world, rag, { chunkSize: 32, searchMode: "semantic" });
  expect(copy).toMatchObject({ chunkSize: 32, chunkOverlap: 16, searchMode: "semantic" });
  await world.deliver();
  expect((await find(world, copy.id)).counts["a.html"]).toBeGreaterThan(
    before.counts["a.html"] ?? 9,
  );
  // Both follow their source.
  await world.putAndIndex(source, { "a.html": longText("bracken") });
  expect((await find(world, rag)).texts.join(" ")).toContain("bracken");
  expect((await find(world, copy.id)).texts.join(" ")).toContain("bracken");
});

test("a copy outlives its RAG", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  const copy = await copyOf(world, rag);
  await world.deliver();
  await rowsOf("update rags set removed_at = 1 where id = ?", rag);
  world.waiting.push({ queue: "quarry-scan", body: { kind: "purge-rag", ragId: rag } });
  await world.deliver();
  await world.putAndIndex(source, { "a.html": longText("bracken") });
  expect((await find(world, copy.id)).texts.join(" ")).toContain("bracken");
});

test("a RAG takes over a copy, keeps its id, and returns", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  const before = await find(world, rag);
  const settings = { chunkSize: 32, recencyHalfLifeDays: 30, leaveOutUnrelated: true };
  const copy = await copyOf(world, rag, { ...settings, searchMode: "semantic" });
  await world.deliver();
  const ofCopy = await find(world, copy.id);
  const embedded = world.countEmbedded();
  await takeOver(world, rag, copy.id);
  await expect(ragAt(world, copy.id)).rejects.toThrow("Not found");
  // The present index answers until the other one is ready; a file changes meanwhile.
  expect(await find(world, rag)).toEqual(before);
  await deliverBut(world, ({ queue }) => queue === "quarry-index");
  expect(await find(world, rag)).toEqual(before);
  await world.deliver();
  expect(embedded.filter((text) => text !== "note parts")).toEqual([]);
  expect(await ragAt(world, rag)).toMatchObject({ ...settings, searchMode: "semantic" });
  expect(await find(world, rag)).toEqual(ofCopy);
  await world.sweepAfter(6);
  expect(await rowsOf("select 1 from rags where id = ?", copy.id)).toEqual([]);
  await world.putAndIndex(source, { "b.html": longText("bracken") });
  await returnToIndex(world.services, { ragId: rag });
  await world.deliver();
  expect(await ragAt(world, rag)).toMatchObject({ chunkSize: 400 });
  const { counts, texts } = await find(world, rag);
  expect(counts).toEqual(before.counts);
  expect(texts.join(" ")).toContain("bracken");
  await tenMinutesLater(world);
  expect(await states(rag)).toEqual(["1 live", "2 dropped"]);
});

test("a copy that is not ready, covers other files or is linked is not taken over", async () => {
  const { world, rag } = await indexedRag(new World(), FILES);
  const copy = await copyOf(world, rag);
  await expect(takeOver(world, rag, copy.id)).rejects.toThrow("still being built");
  await world.deliver();
  const scope = [{ type: "path" as const, value: "a.html" }];
  await patch(world, copy.id, { scopeMode: "scoped", scopes: scope });
  await world.deliver();
  await expect(takeOver(world, rag, copy.id)).rejects.toThrow("its source or its scopes");
  await patch(world, copy.id, { scopeMode: "global", scopes: [] });
  await world.deliver();
  await patch(world, copy.id, { chunkSize: 64 });
  await world.deliver((envelopes) => envelopes.filter(({ queue }) => queue === "quarry-scan"));
  await expect(takeOver(world, rag, copy.id)).rejects.toThrow("still being built");
  await world.sweepAfter(5, 15);
  const second = await world.addSourceAndRag();
  await expect(takeOver(world, rag, second.rag)).rejects.toThrow("its source or its scopes");
  await expect(takeOver(world, rag, rag)).rejects.toThrow("not a copy");
  await rowsOf(
    "insert into inferences (id, name, identifier, system_prompt, model, created_at) values (?1, ?1, ?1, '', '', 0)",
    `i-${copy.id}`,
  );
  await rowsOf(
    "insert into inference_rags (inference_id, rag_id) values (?1, ?2)",
    `i-${copy.id}`,
    copy.id,
  );
  await expect(takeOver(world, rag, copy.id)).rejects.toThrow("linked");
  expect(await ragAt(world, rag)).toMatchObject({ chunkSize: 400 });
  expect(await states(rag)).toEqual(["1 live"]);
});

test("a worker that dies at any call of a take-over leaves nothing half", async () => {
  const points = await crashAtCalls(
    async (crash) => {
      const { world, rag } = await indexedRag(new World(), { "a.html": longText("moss") });
      const copy = await copyOf(world, rag, { chunkSize: 32 });
      await world.deliver();
      const target = await ragAt(world, rag);
      await world.workUntil(crash, async () => {
        await takeOverRag(world.services, { rag: target, from: copy.id });
        await world.deliver();
      });
      await world.deliver();
      await world.sweepAfter(3, 15, 15);
      const { chunkSize } = await ragAt(world, rag);
      const isThere =
        (await rowsOf("select 1 from rags where id = ? and removed_at is null", copy.id)).length >
        0;
      expect({ chunkSize, isThere }).toEqual(
        isThere ? { chunkSize: 400, isThere } : { chunkSize: 32, isThere },
      );
      const count = (await find(world, rag)).counts["a.html"] ?? 0;
      if (isThere) expect(count).toBe(1);
      else expect(count).toBeGreaterThan(1);
    },
    { every: 5 },
  );
  expect(points).toBeGreaterThan(5);
});

async function sourceCopy(world: World, from: FileSourceId, identifier: string) {
  const { source } = await findFileSource(world.services, { key: from });
  const id = newId<FileSourceId>(Date.now());
  await copySource(world.services, { source, copy: { name: identifier, identifier }, id });
  return id;
}

const name = () => `copy-${++copies}-${Math.abs(Date.now() % 100_000)}`;

test("a copy of a source has its files and RAGs, and no embedder is called", async () => {
  const { world, source, rag } = await indexedRag(new World(), FILES);
  await world.put(source, "c.html", longText("gorse"), { metadata: { team: "hr" } });
  await world.deliver();
  await world.drop(source, "b.html");
  await world.deliver();
  await rowsOf(
    "insert into search_exclusions (file_source_id, kind, value, path, created_at) values (?, 'file', 'a.html', 'a.html', 0)",
    source,
  );
  const embedded = world.countEmbedded();
  const identifier = name();
  const copy = await sourceCopy(world, source, identifier);
  await world.deliver();
  expect(embedded).toEqual([]);
  const [ragOfCopy = { id: rag, identifier: "" }] = await rowsOf<{ id: RagId; identifier: string }>(
    "select id, identifier from rags where file_source_id = ?",
    copy,
  );
  expect(ragOfCopy.identifier).toBe(
    `${rag.slice(0, 63 - identifier.length).replace(/-$/, "")}-${identifier}`,
  );
  const { counts } = await find(world, ragOfCopy.id);
  expect(counts).toEqual({ "c.html": 1 });
  const files = await rowsOf(
    "select path, metadata, sha256, modified_at from files where file_source_id = ? order by path",
    copy,
  );
  expect(files).toEqual(
    await rowsOf(
      "select path, metadata, sha256, modified_at from files where file_source_id = ? and deleted_at is null order by path",
      source,
    ),
  );
  expect(await rowsOf("select copy_of from file_sources where id = ?", copy)).toEqual([
    { copy_of: null },
  ]);
  // Each goes its own way from here on.
  await world.putAndIndex(source, { "c.html": longText("bracken") });
  expect((await find(world, ragOfCopy.id)).texts.join(" ")).not.toContain("bracken");
});

test("a worker that dies at any call of a copy of a source leaves nothing half", async () => {
  const points = await crashAtCalls(
    async (crash) => {
      const { world, source } = await indexedRag(new World(), { "a.html": longText("moss") });
      const original = await findFileSource(world.services, { key: source });
      const identifier = name();
      const id = newId<FileSourceId>(Date.now());
      await world.workUntil(crash, async () => {
        await copySource(world.services, {
          source: original.source,
          copy: { name: identifier, identifier },
          id,
        });
        await world.deliver();
      });
      await world.sweepAfter(6, 15, 15);
      const rags = await rowsOf<{ id: RagId }>("select id from rags where file_source_id = ?", id);
      const sources = await rowsOf("select copy_of from file_sources where id = ?", id);
      if (sources.length === 0) return;
      expect(sources).toEqual([{ copy_of: null }]);
      expect(rags).toHaveLength(1);
      for (const { id: ragId } of rags)
        expect((await find(world, ragId)).counts).toEqual({ "a.html": 1 });
    },
    { every: 6 },
  );
  expect(points).toBeGreaterThan(5);
});

test("copies of RAGs with long names have names that fit, each its own", async () => {
  const { world, source, rag } = await indexedRag(new World(), { "a.html": longText("moss") });
  const original = await ragAt(world, rag);
  const common = `long-${++copies}-${"n".repeat(40)}`;
  for (const end of ["a", "b"]) {
    const copy = { name: `${"n".repeat(199)}${end}`, identifier: `${common}-${end}` };
    await copyRag(world.services, { rag: original, copy });
  }
  const long = `${name()}-`.padEnd(64, "x");
  for (const identifier of [long, long.slice(0, 40)])
    await expect(sourceCopy(world, source, identifier)).rejects.toThrow("too long");
  const copy = await sourceCopy(world, source, `s-${++copies}`);
  await world.deliver();
  expect(await rowsOf("select 1 from rags where file_source_id = ?", copy)).toHaveLength(3);
  expect(await rowsOf("select copy_of from file_sources where id = ?", copy)).toEqual([
    { copy_of: null },
  ]);
});

test("what is left out of search is left out of a copy before it has a file", async () => {
  const { world, source } = await indexedRag(new World(), { "a.html": longText("moss") });
  await rowsOf(
    "insert into search_exclusions (file_source_id, kind, value, path, created_at) values (?, 'file', 'a.html', 'a.html', 0)",
    source,
  );
  const copy = await sourceCopy(world, source, name());
  const counts: number[] = [];
  world.aroundBucket(async ({ name, go }) => {
    const rows = await rowsOf("select 1 from search_exclusions where file_source_id = ?", copy);
    if (name === "put") counts.push(rows.length);
    return await go();
  });
  await world.deliver();
  expect(counts[0]).toBe(1);
});

test("a RAG whose reranker is missing by now is copied with its source", async () => {
  const { world, source, rag } = await indexedRag(new World(), { "a.html": longText("moss") });
  await rowsOf("update rags set reranker = 'nowhere/judge' where id = ?", rag);
  const copy = await sourceCopy(world, source, name());
  await world.deliver();
  expect(await rowsOf("select path from files where file_source_id = ?", copy)).toHaveLength(1);
  expect(await rowsOf("select reranker from rags where file_source_id = ?", copy)).toEqual([
    { reranker: "nowhere/judge" },
  ]);
});
