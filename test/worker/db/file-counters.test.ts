import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId, type FileId } from "../../../src/core/ids.ts";
import { claimFiles } from "../../../src/db/files/claim-files.ts";
import { finishFiles, type FileEnd } from "../../../src/db/files/finish-files.ts";
import {
  readFilesAfter,
  readFileSlices,
  readPathPage,
} from "../../../src/db/files/public-files.ts";
import { writeFiles } from "../../../src/db/files/write-files.ts";
import { countedDatabase } from "../../support/counted-rows.ts";
import { World, ragWorld, statement } from "../../support/ingestion-world.ts";
import { fileRows, workRows } from "../../support/rows-of-files.ts";

test("a RAG's counters follow every change of its files", async () => {
  const { world, source, rag } = await ragWorld();
  const counters = async () => {
    const { pending, indexed, deleted, vectors } = (await world.counters(rag)) ?? {};
    return [pending, indexed, deleted, vectors];
  };
  await env.DB.batch([fileRows(source, 2), workRows(rag, source, { status: "pending" })]);
  expect(await counters()).toEqual([2, 0, 0, 0]);
  const change = (path: string, set: string) =>
    statement(`update rag_files set ${set} where rag_id = ? and path = ?`, rag, path).run();
  await change("000001.md", "status = 'indexed', chunk_count = 7");
  await change("000002.md", "status = 'deleted'");
  expect(await counters()).toEqual([0, 1, 1, 7]);
  await statement("delete from files where file_source_id = ?", source).run();
  expect(await counters()).toEqual([0, 0, 0, 0]);
});

const NOW = 1_000;
const FILES = 40;
/** Rows for a file that is new, claimed and indexed: of tables and indexes, some for the batch. */
const ROWS_WRITTEN_PER_FILE = 11.6;

test("files that are written, claimed and finished together are counted together", async () => {
  const world = new World();
  const source = await world.addSource();
  const [whole, scoped] = [await world.addRag(source), await world.addRag(source, ["1.txt"])];
  const { counts, db } = countedDatabase();
  const files = Array.from({ length: FILES }, (_, at) => ({
    id: newId<FileId>(NOW),
    path: `${at}.txt`,
    name: `${at}.txt`,
    size: 1,
    mimeType: "text/plain",
    version: `${at}`,
    sha256: `${at}`,
    metadata: null,
    isNew: true,
  }));
  const upload = { sourceId: source, now: NOW, claimedUntil: NOW };
  const { messages } = await writeFiles(db, files, upload);
  expect(messages).toHaveLength(FILES + 1);
  expect(await world.counters(whole)).toMatchObject({ pending: FILES, indexed: 0 });
  expect(await world.counters(scoped)).toMatchObject({ pending: 1, indexed: 0 });

  // A message may come twice in a batch, or be outdated.
  const [first, second, ...rest] = messages.filter(({ ragId }) => ragId === whole);
  if (first === undefined || second === undefined) throw new Error("files are pending");
  const claims = [...messages, first, { ...first, revision: 1 }];
  await claimFiles(db, claims, { id: "lease", until: NOW, now: NOW });
  expect(await world.counters(whole)).toMatchObject({ pending: 0, processing: FILES });
  expect(await world.counters(scoped)).toMatchObject({ pending: 0, processing: 1 });

  const end: Omit<FileEnd, keyof typeof first> = {
    status: "indexed",
    chunkCount: 2,
    fingerprint: "f",
    contentId: "c",
    notes: null,
    errorMessage: null,
    errorCode: null,
    errorIsOutside: false,
    claimedUntil: 0,
    isCounted: true,
  };
  const ends: FileEnd[] = [
    { ...first, ...end, status: "error", chunkCount: 0 },
    { ...second, ...end, status: "pending", chunkCount: null, claimedUntil: NOW },
    ...rest.map((file) => ({ ...file, ...end })),
  ];
  await finishFiles(db, ends, { id: "lease", now: NOW }, new Map());
  const after = { pending: 1, processing: 0, indexed: FILES - 2, error: 1, deleted: 0 };
  expect(await world.counters(whole)).toEqual({ ...after, vectors: 2 * (FILES - 2) });
  expect(await world.counters(scoped)).toMatchObject({ pending: 0, processing: 1 });
  expect(counts.written / FILES).toBeLessThan(ROWS_WRITTEN_PER_FILE);

  // One file alone is counted by the triggers again.
  const third = rest[0] ?? first;
  await writeFiles(db, [{ ...fileOf(third), isNew: false, version: "new" }], upload);
  expect(await world.counters(whole)).toMatchObject({ pending: 2, indexed: FILES - 3 });

  function fileOf({ fileId }: { fileId: FileId }) {
    const file = files.find(({ id }) => id === fileId);
    if (file === undefined) throw new Error("the file was written");
    return file;
  }
});

test("files of any status are listed by path, and a page reads its own rows", async () => {
  const world = new World();
  const source = await world.addSource();
  const ragId = await world.addRag(source);
  const statuses = ["pending", "processing", "indexed", "error", "deleted"];
  const paths = Array.from({ length: 500 }, (_, at) => `${at % 2}/${1000 + at}.txt`);
  const files = paths.map((path, at) => ({ path, id: newId<FileId>(NOW), at: statuses[at % 5] }));
  await env.DB.batch([
    statement(
      `insert into files (id, file_source_id, path, name, size, mime_type, version, metadata, created_at)
       select value ->> 'id', ?2, value ->> 'path', 'n', 1, 'text/plain', '1', '{}', 0
       from json_each(?1)`,
      JSON.stringify(files),
      source,
    ),
    statement(
      `insert into rag_files (rag_id, generation, file_id, path, status, revision)
       select ?2, 1, value ->> 'id', value ->> 'path', value ->> 'at', 1 from json_each(?1)`,
      JSON.stringify(files),
      ragId,
    ),
  ]);
  const { counts, db } = countedDatabase();
  const live = { ragId, generation: 1 };
  const sorted = paths.toSorted();
  const all = { status: null, path: null };
  const [page] = await readFileSlices(db, [{ ...live, offset: 30, limit: 20, filter: all }]);
  expect(page?.map(({ path }) => path)).toEqual(sorted.slice(30, 50));
  const after = await readFilesAfter(db, live, all, sorted[99] ?? "", 20);
  expect(after.map(({ path }) => path)).toEqual(sorted.slice(100, 120));
  // A look at all files is 500 rows for each of the two.
  expect(counts.read).toBeLessThan(350);

  const folder = { status: null, path: "1/" };
  const below = await readPathPage(db, { ...live, offset: 0, limit: 10, filter: folder });
  expect(below.total).toBe(250);
  expect(below.files.map(({ path }) => path)).toEqual(sorted.slice(250, 260));
  // "1/1001" is the beginning of a name, and not a file or a folder.
  for (const [path, count] of [
    ["1/1001.txt", 1],
    ["1/1001", 0],
    ["1", 250],
  ] as const) {
    const filter = { status: null, path };
    expect((await readPathPage(db, { ...live, offset: 0, limit: 1, filter })).total).toBe(count);
  }
  const failed = { status: "error" as const, path: "1/" };
  const some = await readPathPage(db, { ...live, offset: 0, limit: 10, filter: failed });
  expect(some.total).toBe(50);
  expect(new Set(some.files.map(({ status }) => status))).toEqual(new Set(["error"]));
});
