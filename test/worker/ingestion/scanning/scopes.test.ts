import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { removeFileSource } from "../../../../src/catalog/file-sources/remove-file-source.ts";
import { showOnlyScopes } from "../../../../src/catalog/rags/enforce-scopes.ts";
import { findRag } from "../../../../src/catalog/rags/find-rag.ts";
import { removeScope } from "../../../../src/catalog/rags/scopes.ts";
import type { RagId } from "../../../../src/core/ids.ts";
import { findFileDetail } from "../../../../src/db/files/file-store.ts";
import { findFileStatuses, readFileSlices } from "../../../../src/db/files/public-files.ts";
import { findFileWithStatus } from "../../../../src/db/files/source-file-list.ts";
import { sweep } from "../../../../src/ingestion/maintenance/sweep.ts";
import { reindexRag } from "../../../../src/ingestion/rebuilds/reindex-rag.ts";
import type { Services } from "../../../../src/services.ts";
import { World, ragWorld, statement } from "../../../support/ingestion-world.ts";

async function setScopes(rag: RagId, values: string[]): Promise<void> {
  await env.DB.batch([
    statement("update rags set scope_mode = 'scoped' where id = ?", rag),
    statement("delete from rag_scopes where rag_id = ?", rag),
    ...values.map((value) =>
      statement("insert into rag_scopes values (?, 'path', ?, 0)", rag, value),
    ),
  ]);
}

const applyScopes = (world: World, ragId: RagId) =>
  world.services.queue.scan({ kind: "apply-scopes", ragId, after: null });

test("what leaves a scope is hidden at once, and what enters it is indexed", async () => {
  const world = new World();
  const source = await world.addSource();
  const rag = await world.addRag(source, ["docs/", "top.txt"]);
  await world.put(source, "docs/a.txt", "A note, a.");
  await world.put(source, "docs/deep/b.txt", "A note, b.");
  await world.put(source, "docsx/c.txt", "A note, c.");
  await world.put(source, "top.txt", "A note, top.");
  await world.put(source, "top.txt.bak", "A note, backup.");
  await world.deliver();
  const paths = async () => (await world.rows(rag)).map(({ path }) => path);
  expect(await paths()).toEqual(["docs/a.txt", "docs/deep/b.txt", "top.txt"]);

  await setScopes(rag, ["docs/deep/", "docsx/"]);
  await showOnlyScopes(world.services, rag);
  expect(Object.keys(await world.texts(rag))).toEqual(["docs/deep/b.txt"]);
  await applyScopes(world, rag);
  await world.deliver();
  expect(await paths()).toEqual(["docs/deep/b.txt", "docsx/c.txt"]);
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["docs/deep/b.txt", "docsx/c.txt"]);
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, deleted: 0, vectors: 2 });
  expect(await world.index(rag).facts()).toMatchObject({ chunks: 2, files: 2 });

  await setScopes(rag, ["docs/"]);
  await applyScopes(world, rag);
  await world.deliver();
  expect(Object.keys(await world.texts(rag)).sort()).toEqual(["docs/a.txt", "docs/deep/b.txt"]);
});

test("lost messages about the scopes of many RAGs are all sent again within a minute", async () => {
  const world = new World();
  const source = await world.addSource();
  const rags = await Promise.all(Array.from({ length: 60 }, () => world.addRag(source)));
  await statement("update rags set scopes_due_at = 1").run();
  await sweep(world.services);
  const messages = rags.map((ragId) => ({ kind: "apply-scopes", ragId, after: null }));
  expect(world.waiting.map(({ body }) => body)).toEqual(expect.arrayContaining(messages));
});

test("a file that left a scope is listed nowhere, a deleted one only until then", async () => {
  const world = new World();
  const source = await world.addSource();
  const id = await world.addRag(source, ["a/", "b/"]);
  for (const path of ["a/1.txt", "a/gone.txt", "b/2.txt"]) {
    await world.put(source, path, `A note, ${path}.`);
  }
  await world.deliver();
  await world.drop(source, "a/gone.txt");
  const { db } = world.services;
  const listFiles = async () => {
    const filter = { status: null, path: null };
    const slice = { ragId: id, generation: 1, offset: 0, limit: 10, filter };
    const [files = []] = await readFileSlices(db, [slice]);
    return files.map(({ path, status }) => `${path} ${status}`);
  };
  expect(await listFiles()).toEqual(["a/1.txt indexed", "a/gone.txt deleted", "b/2.txt indexed"]);

  const rag = await findRag(world.services, { key: id });
  await removeScope(world.services, { rag, scope: { type: "path", value: "a/" } });
  expect(await listFiles()).toEqual(["b/2.txt indexed"]);
  const live = [{ ragId: id, generation: 1 }];
  expect(await findFileStatuses(db, source, live, ["a/1.txt"])).toEqual([]);
  expect(await findFileWithStatus(db, source, "a/1.txt")).toMatchObject({ status: null });
  expect((await findFileDetail(db, source, "a/1.txt"))?.rags).toEqual([]);
  expect(await world.counters(id)).toMatchObject({ indexed: 1, deleted: 0, vectors: 1 });

  await world.deliver();
  expect((await world.rows(id)).map(({ path }) => path)).toEqual(["b/2.txt"]);
  expect(await world.index(id).facts()).toMatchObject({ files: 1 });
});

test("a later RAG indexes what the source has; a reindex embeds each text once more", async () => {
  const world = new World();
  const source = await world.addSource();
  await world.put(source, "a.txt", "A note, a.");
  await world.put(source, "b.txt", "A note, b.");
  const rag = await world.addRag(source);
  await applyScopes(world, rag);
  await world.deliver();
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, vectors: 2 });

  const embedded = world.countEmbedded();
  await reindexRag(world.services, { ragId: rag });
  await world.deliver();
  expect(await world.counters(rag)).toMatchObject({ indexed: 2, vectors: 2 });
  expect(embedded.toSorted()).toEqual(["A note, a.", "A note, b."]);
});

test("a removed RAG, then its source, leave nothing behind", async () => {
  const { world, source, rag } = await ragWorld();
  await world.putAndIndex(source, { "a.html": "A note, a." });
  const index = world.index(rag);
  await env.DB.batch([
    statement("update rags set removed_at = 1 where id = ?", rag),
    statement("update file_sources set removed_at = 1 where id = ?", source),
  ]);
  await world.services.queue.scan({ kind: "purge-rag", ragId: rag });
  await world.services.queue.scan({ kind: "purge-source", fileSourceId: source });
  await world.deliver();
  expect(await index.facts()).toMatchObject({ chunks: 0, files: 0 });
  const counts = await statement(
    `select (select count(*) from rags where id = ?1) + (select count(*) from rag_files
       where rag_id = ?1) + (select count(*) from files where file_source_id = ?2)
       + (select count(*) from file_sources where id = ?2) as rows`,
    rag,
    source,
  ).first<{ rows: number }>();
  expect(counts).toEqual({ rows: 0 });
  expect((await env.FILES.list({ prefix: `sources/${source}/` })).objects).toEqual([]);
});

test("a text that a late job writes for a removed source goes with it", async () => {
  const world = new World();
  const source = await world.addSource();
  await world.put(source, "a.txt", "A note.");
  await removeFileSource(world.services, {
    source: await findFileSource(world.services, { key: source }),
  });
  await world.deliver();
  const objectKeys = async () =>
    (await env.FILES.list({ prefix: `sources/${source}/` })).objects.map(({ key }) => key);
  expect(await objectKeys()).toEqual([]);
  await env.FILES.put(`sources/${source}/file/text/late`, "A note.");
  await world.sweepAfter(17);
  expect(await objectKeys()).toEqual([]);
  const row = statement("select 1 from file_sources where id = ?", source);
  expect(await row.first()).toBeNull();
});

test("of two scope changes at once the later holds, whichever reaches the index last", async () => {
  const world = new World();
  const source = await world.addSource();
  const id = await world.addRag(source, ["a/", "b/"]);
  await world.putAndIndex(source, { "a/1.txt": "A note, a.", "b/2.txt": "A note, b." });
  const rag = await findRag(world.services, { key: id });
  const remove = (services: Services, value: string) =>
    removeScope(services, { rag, scope: { type: "path", value } });
  // The first change has read the scopes, and tells the index only when the second is through.
  const { ragIndexes } = world.services;
  let isFirst = true;
  const overtaken: Services = {
    ...world.services,
    ragIndexes: (address) => {
      const index = ragIndexes(address);
      const restrictToScopes: typeof index.restrictToScopes = async (scopes) => {
        if (isFirst) {
          isFirst = false;
          await remove(world.services, "b/");
        }
        await index.restrictToScopes(scopes);
      };
      return new Proxy(index, {
        get: (stub, name) =>
          name === "restrictToScopes" ? restrictToScopes : (Reflect.get(stub, name) as unknown),
      });
    },
  };
  await remove(overtaken, "a/");
  expect(await world.texts(id)).toEqual({});

  // Files are hidden although the queue fails.
  await setScopes(id, ["a/", "b/"]);
  await showOnlyScopes(world.services, id);
  const { queue } = world.services;
  const scan = () => Promise.reject(new Error("queue is down"));
  const failing = { ...world.services, queue: { ...queue, scan } };
  await expect(remove(failing, "a/")).rejects.toThrow("is down");
  expect(Object.keys(await world.texts(id))).toEqual(["b/2.txt"]);
});

test("a change of scopes is told to every part of an index", async () => {
  const { world, rag } = await ragWorld();
  await statement("update rag_generations set shards = 3 where rag_id = ?", rag).run();
  const shards: number[] = [];
  const { ragIndexes } = world.services;
  const listening: typeof ragIndexes = (address) => {
    shards.push(address.shard);
    return ragIndexes(address);
  };
  await showOnlyScopes({ ...world.services, ragIndexes: listening }, rag);
  expect(new Set(shards)).toEqual(new Set([0, 1, 2]));
});
