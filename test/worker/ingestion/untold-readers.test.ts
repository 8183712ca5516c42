import { expect, test } from "vitest";

import { recountRag, resolveReaders } from "../../../src/access/readers.ts";
import { findFileSource } from "../../../src/catalog/file-sources/find-file-source.ts";
import { updateFileSource } from "../../../src/catalog/file-sources/update-file-source.ts";
import { findRag } from "../../../src/catalog/rags/find-rag.ts";
import type { FileSourceId, RagId } from "../../../src/core/ids.ts";
import { MAX_UNSENT } from "../../../src/db/access/member-store.ts";
import { returnToIndex } from "../../../src/ingestion/rebuilds/reindex-rag.ts";
import { setReaders } from "../../../src/ingestion/uploads/pushed-files.ts";
import { putFile } from "../../../src/ingestion/uploads/put-file.ts";
import { retrieve } from "../../../src/retrieval/retrieve.ts";
import { countedDatabase, noRows } from "../../support/counted-rows.ts";
import { crashAtCalls } from "../../support/crash.ts";
import { bytesOf, ragWorld, rowsOf, statement, World } from "../../support/ingestion-world.ts";
import { requestOf } from "../../support/retrieval-requests.ts";
import { lastRun, scan } from "../sources/scanning.ts";
import { deliverBut, ofGeneration, patch, states } from "./rebuilds/support.ts";

const [ANN, BOB] = ["ann@x.org", "bob@y.org"];
/** Read to learn the groups of a reader who is in none, and the source's default readers. */
const ROWS_OF_GROUPS = 9;
/** More than are told at once. */
const PATHS = Array.from({ length: 11 }, (_, at) => `${at}.txt`);

async function share(world: World, id: FileSourceId) {
  const fileSource = await findFileSource(world.services, { key: id });
  await updateFileSource(world.services, { source: fileSource, patch: { permissions: "on" } });
  for (const path of PATHS) await push(world, id, { path, text: `A note of ${path}.`, to: ANN });
}

/** A RAG of files that Ann may read, all of them indexed. */
async function sharedWorld() {
  const setup = await ragWorld();
  await share(setup.world, setup.source);
  await setup.world.deliver();
  return setup;
}

async function push(
  { services }: World,
  id: FileSourceId,
  { path, text, to }: { path: string; text: string; to: string },
) {
  const file = { path, body: bytesOf(text), contentLength: null, mimeType: "text/plain" };
  await putFile(services, { ...file, metadata: null, source: { id }, readers: [`user:${to}`] });
}

const revoke = async (
  { services }: World,
  id: FileSourceId,
  path: string,
  readers: string[] = [],
) => await setReaders(services, { source: { id }, path, readers });

const readingOf = (reader: string) => {
  return { reader, groups: [], header: null, groupsHeader: null };
};

async function readBy({ services }: World, key: RagId, reader: string) {
  return await resolveReaders(services.db, readingOf(reader), [await findRag(services, { key })]);
}

/** How many passages a person finds. */
async function hits(world: World, key: RagId, reader = ANN): Promise<number> {
  const rags = await readBy(world, key, reader);
  const request = requestOf(rags, { queries: ["note"], topK: 50, includeDuplicates: true });
  return (await retrieve(world.services, request)).chunks.length;
}

/** Indexes of these RAGs are told nothing, and answer all else; counts by RAG what is tried. */
function silenced(world: World, silent: Set<RagId>) {
  const attempts = new Map<RagId, unknown[]>();
  world.aroundIndexes(({ name, go, args }, { ragId }) => {
    if (name !== "writeReaders") return go();
    attempts.set(ragId, [...(attempts.get(ragId) ?? []), args]);
    if (silent.has(ragId)) throw new Error("does not answer");
    return go();
  });
  return attempts;
}

const untold = async (source: FileSourceId) =>
  (await rowsOf("select 1 from reader_changes where file_source_id = ?", source)).length;

test("a removed permission counts everywhere before an index can be told", async () => {
  const world = new World();
  const shared = await world.addSourceAndRag();
  const sibling = await world.addRag(shared.source);
  const later = await world.addSourceAndRag();
  for (const { source } of [shared, later]) await share(world, source);
  await world.deliver();
  for (const rag of [sibling, later.rag]) expect(await hits(world, rag)).toBe(PATHS.length);

  const silent = new Set([shared.rag, later.rag]);
  silenced(world, silent);
  const fails = async (...change: Parameters<typeof revoke>) =>
    await expect(revoke(...change)).rejects.toThrow("does not answer");
  for (const { source } of [shared, later])
    for (const path of PATHS) await fails(world, source, path);
  for (const rag of [shared.rag, sibling, later.rag]) expect(await hits(world, rag)).toBe(0);
  await fails(world, shared.source, "0.txt", [`user:${BOB}`]);
  expect(await hits(world, shared.rag, BOB)).toBe(0);
  expect(await hits(world, sibling, BOB)).toBe(1);
  silent.delete(later.rag);
  await world.sweepAfter(1);
  expect([await untold(later.source), (await untold(shared.source)) > 0]).toEqual([0, true]);
  silent.clear();
  await world.sweepAfter(1);
  expect(await untold(shared.source)).toBe(0);
  expect([await hits(world, shared.rag), await hits(world, shared.rag, BOB)]).toEqual([0, 1]);
});

test("between recording and telling, all other files are found, by one more question", async () => {
  const { world, source, rag } = await sharedWorld();
  const resultCounts: number[] = [];
  world.aroundIndexes(async ({ name, go }) => {
    if (name === "writeReaders") resultCounts.push(await hits(world, rag));
    return await go();
  });
  await revoke(world, source, "3.txt");
  expect(resultCounts).toEqual([PATHS.length - 1]);
  const { db, counts } = countedDatabase();
  const readableRags = await readBy(world, rag, ANN);
  Object.assign(counts, noRows());
  await resolveReaders(db, readingOf(ANN), readableRags);
  expect(counts).toEqual({ calls: 1, read: ROWS_OF_GROUPS + 1, written: 0 });
});

test("whoever may read a new version of a file finds nothing of the one before", async () => {
  const { world, source, rag } = await sharedWorld();
  const both = async () => [await hits(world, rag), await hits(world, rag, BOB)];
  await push(world, source, { path: "3.txt", text: "Another note.", to: BOB });
  expect(await both()).toEqual([PATHS.length - 1, 0]);
  // The job that indexes the version knows older readers than the index.
  world.beforeEmbedding(
    async () => await revoke(world, source, "3.txt", [`user:${BOB}`, "group:hr"]),
  );
  await world.deliver();
  expect(await both()).toEqual([PATHS.length - 1, 1]);
});

test("nor of a first version that was being indexed when another came", async () => {
  const { world, source, rag } = await sharedWorld();
  const resultCounts: number[] = [];
  const atEmbedding = [
    async () => await push(world, source, { path: "new.txt", text: "A later note.", to: BOB }),
    async () => void resultCounts.push(await hits(world, rag, BOB)),
  ];
  world.beforeEmbedding(async () => await atEmbedding.shift()?.());
  await push(world, source, { path: "new.txt", text: "A first note.", to: ANN });
  await world.deliver();
  expect([...resultCounts, await hits(world, rag, BOB)]).toEqual([0, 1]);
});

test("nor of the one in an index that a RAG returns to", async () => {
  const { world, source, rag } = await sharedWorld();
  await patch(world, rag, { chunkSize: 32, chunkOverlap: 0 });
  await world.deliver();
  await push(world, source, { path: "3.txt", text: "Another note.", to: BOB });
  world.waiting = [];
  await returnToIndex(world.services, { ragId: rag });
  await deliverBut(world, ofGeneration(1));
  await world.services.queue.scan({ kind: "build", ragId: rag });
  await deliverBut(world, ofGeneration(1));
  expect(await states(rag)).toEqual(["1 live", "2 retired"]);
  const both = async () => [await hits(world, rag), await hits(world, rag, BOB)];
  expect(await both()).toEqual([PATHS.length - 1, 0]);
  await world.sweepAfter(1, 3);
  expect(await both()).toEqual([PATHS.length - 1, 1]);
});

test("where an index does not answer, files are stored and scanned all the same", async () => {
  const { world, source, rag } = await sharedWorld();
  silenced(world, new Set([rag]));
  await push(world, source, { path: "3.txt", text: "Another note.", to: BOB });
  expect([await hits(world, rag), await hits(world, rag, BOB)]).toEqual([PATHS.length - 1, 0]);
  await scan(world, source);
  expect(await lastRun(source)).toMatchObject({ error: null, finished: 1 });
  expect(await untold(source)).toBe(1);
});

test("where too many changes are untold, searches end with 503, and lists are right", async () => {
  const { world, source, rag } = await sharedWorld();
  const change = async (files: number, id = source) => {
    await statement(
      `with recursive n(at) as (select 1 union all select at + 1 from n where at < ${files})
       insert into files (id, file_source_id, path, name, size, mime_type, version, metadata,
         created_at) select ?1 || at, ?1, 'more/' || at, '', 0, '', '', '{}', 0 from n`,
      id,
    ).run();
    await statement(
      `insert into reader_changes (file_source_id, file_ids, at) select ?1,
         json_group_array(id), 0 from files where file_source_id = ?1 and path glob 'more/*'`,
      id,
    ).run();
  };
  await change(MAX_UNSENT);
  expect(await hits(world, rag)).toBe(PATHS.length);
  await statement("delete from files where path glob 'more/*'").run();
  await change(MAX_UNSENT + 1);
  await expect(hits(world, rag)).rejects.toMatchObject({ kind: "busy" });
  const [readable] = await readBy(world, rag, ANN);
  if (readable === undefined) throw new Error("no RAG");
  expect(await recountRag(world.services.db, { ...readable, processedFiles: 0 })).toMatchObject({
    processedFiles: PATHS.length,
  });
  await world.sweepAfter(1);
  expect(await hits(world, rag)).toBe(PATHS.length);
  // Those of a source without permissions are nobody's concern.
  const open = await world.addSourceAndRag();
  await change(MAX_UNSENT + 1, open.source);
  const keys = [rag, open.rag];
  const rags = await Promise.all(keys.map((key) => findRag(world.services, { key })));
  const [closedRag] = await resolveReaders(world.services.db, readingOf(ANN), rags);
  expect(closedRag).toMatchObject({ readBy: { untold: [] } });
});

type SourcePatch = Parameters<typeof updateFileSource>[1]["patch"];

test.for<[name: string, before: SourcePatch[], change: SourcePatch]>([
  ["have another default", [], { defaultReaders: [`user:${BOB}`] }],
  [
    "are switched on again",
    [{ permissions: "off" }, { defaultReaders: [`user:${BOB}`] }],
    { permissions: "on" },
  ],
])(
  "wherever a worker dies, those before find nothing once files %s",
  async ([, before, change]) => {
    const points = await crashAtCalls(
      async (crash) => {
        const { world, source, rag } = await ragWorld();
        const update = async (patch: SourcePatch) => {
          const fileSource = await findFileSource(world.services, { key: source });
          await updateFileSource(world.services, { source: fileSource, patch });
        };
        await world.putAndIndex(source, { "a.txt": "A note." });
        await update({ permissions: "on", defaultReaders: [`user:${ANN}`] });
        await world.deliver();
        expect([await hits(world, rag), await hits(world, rag, BOB)]).toEqual([1, 0]);
        for (const patch of before) await update(patch);
        await world.workUntil(crash, async () => {
          await update(change);
          await world.deliver();
        });
        world.waiting = [];
        const { source: storedSource } = await findFileSource(world.services, { key: source });
        const isStored =
          storedSource.permissions === "on" && storedSource.defaultReaders[0] === `user:${BOB}`;
        if (isStored) expect(await hits(world, rag)).toBe(0);
        else await update(change);
        expect(await hits(world, rag)).toBe(0);
        await world.sweepAfter(1);
        expect([await hits(world, rag), await hits(world, rag, BOB)]).toEqual([0, 1]);
      },
      { every: 4, moment: (at) => (at % 8 === 1 ? "after" : "before") },
    );
    expect(points).toBeGreaterThan(1);
  },
);

test("a push that began before the default readers changed lets in only those after", async () => {
  const { world, source, rag } = await ragWorld();
  const change = async (defaultReaders: string[]) => {
    const fileSource = await findFileSource(world.services, { key: source });
    const patch = { permissions: "on" as const, defaultReaders };
    return (await updateFileSource(world.services, { source: fileSource, patch })).source;
  };
  const before = await change([`user:${ANN}`]);
  await change([`user:${BOB}`]);
  const file = { path: "a.txt", body: bytesOf("A note."), contentLength: null, metadata: null };
  await putFile(world.services, { ...file, mimeType: "text/plain", source: before });
  await world.deliver();
  expect([await hits(world, rag), await hits(world, rag, BOB)]).toEqual([0, 1]);
});

test("a dead index is not told all again by each call, and keeps the others told", async () => {
  const { world, source, rag: dead } = await ragWorld();
  const alive = await world.addRag(source);
  await share(world, source);
  await world.deliver();
  await statement(
    `with recursive n(at) as (select 1 union all select at + 1 from n where at < 400)
     insert into reader_changes (file_source_id, file_ids, at)
     select ?1, (select json_group_array(id) from files where file_source_id = ?1), at from n`,
    source,
  ).run();
  const attempts = silenced(world, new Set([dead]));
  await expect(revoke(world, source, "0.txt")).rejects.toThrow("does not answer");
  const calls = (rag: RagId) => attempts.get(rag)?.length ?? 0;
  expect(calls(dead)).toBeLessThanOrEqual(20);
  // Older changes, too, which earlier calls may not have come to.
  expect(calls(alive)).toBeGreaterThan(10);
});
