import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { joinBytes } from "../../../src/core/bytes/join-bytes.ts";
import type { FileSourceId } from "../../../src/core/ids.ts";
import { listExportedRags, listExportedSources } from "../../../src/db/archive/export-store.ts";
import { listImports } from "../../../src/db/archive/import-store.ts";
import { exportContent } from "../../../src/ingestion/archive/export-content.ts";
import { giveUpImport, continueImport, takeImport } from "../../../src/panel/archive/run-import.ts";
import type { FileVersion, StoredVersion } from "../../../src/ports/index-versions.ts";
import type { VersionCursor } from "../../../src/ports/index-versions.ts";
import { archiveOf, contextOf, copiesOf, importInto } from "../../support/archive-imports.ts";
import { upload, WISH } from "../../support/archive-imports.ts";
import { crashAtCalls } from "../../support/crash.ts";
import { ragWorld, rowsOf, type World } from "../../support/ingestion-world.ts";

async function wishOf({ services: { db } }: World, source: FileSourceId) {
  const rags = (await listExportedRags(db)).filter(({ fileSourceId }) => fileSourceId === source);
  const own = (await listExportedSources(db)).filter(({ id }) => id === source);
  const sources = own.map((entry) => Object.assign(entry, { rags }));
  return { sources, settings: {}, more: [], vectors: true, partPerFile: true, version: "" };
}

test("an import that dies at any call is continued, and doubles nothing", async () => {
  const { world, source, rag } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note", "b.md": "# B\n\nsecond note" });
  const bytes = await archiveOf(world, source);
  const expected = await world.texts(rag);
  let last = "";
  const points = await crashAtCalls(
    async (crash) => {
      await world.workUntil(crash, async () => void (await importInto(world, bytes)));
      if (crash.hasCrashed && (await copiesOf(source)).length === 0) {
        const orphans = await rowsOf(`select 1 from files f where f.path = 'a.md'
          and f.file_source_id not in (select id from file_sources)`);
        expect(orphans).toEqual([]);
      }
      world.now += 300_000;
      // The settings are the last step; an import that had come to it is over for whoever asks.
      if ((await copiesOf(source)).length === 0) await importInto(world, bytes);
      const copies = await copiesOf(source);
      expect(copies).toHaveLength(1);
      last = copies[0]?.rag ?? "";
      expect(await world.texts(last as typeof rag)).toEqual(expected);
      const rows = await rowsOf("select path from files where file_source_id = ?1", copies[0]?.id);
      expect(rows).toHaveLength(2);
      for (const row of await listImports(world.services.db)) {
        await giveUpImport(world.services, row);
      }
      await env.DB.batch([
        env.DB.prepare("delete from rags where id = ?1").bind(last),
        env.DB.prepare("delete from file_sources where id = ?1").bind(copies[0]?.id),
      ]);
    },
    { every: 6, moment: (at) => (at % 2 === 0 ? "after" : "before") },
  );
  expect(points).toBeGreaterThan(4);
  const { objects } = await env.FILES.list({ prefix: "archives/" });
  expect(objects).toEqual([]);
});

test("what changes during an export is whole or absent", async () => {
  const { world, source } = await ragWorld();
  const note = (path: string, version: number) => `# Note\n\nnote ${path} version ${version}`;
  const paths = Array.from({ length: 40 }, (_, at) => `${at}.md`);
  await world.putAndIndex(source, Object.fromEntries(paths.map((path) => [path, note(path, 0)])));
  const { services } = world;
  const wish = await wishOf(world, source);
  const parts = new Map<string, Uint8Array[]>();
  const change = async (step: number) => {
    const path = paths[(step * 7) % paths.length] ?? "";
    if (step % 4 === 0) await world.drop(source, path);
    else await world.put(source, path, note(path, step));
    if (step % 2 > 0) await world.deliver();
  };
  let step = 0;
  // Between two parts of the export one file changes, and now and then one goes.
  for await (const { name, content } of exportContent(services, wish)) {
    parts.set(name, [...(parts.get(name) ?? []), content]);
    step += 1;
    if (step % 3 === 0) await change(step);
  }
  const textOf = (name: string) => new TextDecoder().decode(joinBytes(parts.get(name) ?? []));
  const lines = (name: RegExp) =>
    [...parts.keys()]
      .filter((part) => name.test(part))
      .flatMap((part) => textOf(part).split("\n").filter(Boolean))
      .map(
        (line) =>
          JSON.parse(line) as Record<string, string> & { rags: Record<string, { status: string }> },
      );
  const files = lines(/^files\/[^/]+\.jsonl$/);
  const passages = Map.groupBy(lines(/passages/), ({ path }) => path);
  expect(files.length).toBeGreaterThan(20);
  let indexed = 0;
  for (const { path = "", rags: states } of files) {
    const bytes = textOf(`files/${source}/${path}`);
    expect(bytes).toContain(`note ${path} version`);
    if (Object.values(states)[0]?.status !== "indexed") continue;
    indexed += 1;
    const texts = passages.get(path)?.map(({ text }) => text) ?? [];
    expect(texts).toEqual([bytes]);
  }
  expect(indexed).toBeGreaterThan(10);
  expect(indexed).toBeLessThan(files.length);
  expect([...parts.values()].every((contents) => contents.length === 1)).toBe(true);
});

test("passages of a file at which an index begins another page are in the archive", async () => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note", "b.md": "# B\n\nsecond note" });
  world.aroundIndexes(async ({ name, args, go }) => {
    const page = await go();
    if (name !== "readVersions") return page;
    const [first, second] = (page as { versions: StoredVersion[] }).versions;
    if (second === undefined) return page;
    const [{ fileIds }] = args as [VersionCursor];
    // As where the first file alone fills a page.
    const versions = [first, { ...second, chunks: [] }];
    return { versions, next: { fileIds: fileIds.slice(1), from: 0 } };
  });
  const { plan } = await importInto(world, await archiveOf(world, source));
  expect(plan).toMatchObject({ files: 2, passages: 2 });
});

test("a bucket that fails for a moment ends no import", async () => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note" });
  const id = await upload(world, await archiveOf(world, source));
  let reads = 0;
  world.aroundBucket(async ({ name, go }) => {
    if (name === "get" && ++reads === 1) throw new Error("unreachable");
    return await go();
  });
  await expect(continueImport(contextOf(world), id, WISH)).rejects.toThrow("unreachable");
  expect(await continueImport(contextOf(world), id, WISH)).toMatchObject({ state: "done" });
});

test("a dry run of an import that has begun changes nothing", async () => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note" });
  const id = await upload(world, await archiveOf(world, source));
  const go = async (dryRun: boolean) =>
    await continueImport(contextOf(world), id, { ...WISH, dryRun });
  let isDown = true;
  world.aroundIndexes(async ({ go: through }) => {
    if (isDown) throw new Error("unreachable");
    return await through();
  });
  await expect(go(false)).rejects.toThrow("index: failed");
  isDown = false;
  await expect(go(true)).rejects.toThrow("This import has begun");
  expect(await copiesOf(source)).toEqual([]);
  expect(await go(false)).toMatchObject({ state: "done" });
});

test("calls about one archive do not end each other's work", async () => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note" });
  const bytes = await archiveOf(world, source);
  const ids: string[] = [];
  for (world.now += 1; ids.length < 2; world.now += 1) ids.push(await upload(world, bytes));
  const [first = "", second = ""] = ids;
  const go = async (id: string, dryRun = false, suffix = "2") =>
    await continueImport(contextOf(world), id, { ...WISH, dryRun, suffix });
  for (const id of [first, second]) {
    expect(await go(id, true)).toMatchObject({ id, state: "checked" });
  }
  await takeImport(world.services, first);
  await expect(go(second)).rejects.toMatchObject({ kind: "busy", retryAfterSeconds: 25 });
  world.now += 300_000;
  expect(await go(second)).toMatchObject({ id: first, state: "done" });
  expect(await go(first)).toMatchObject({ id: first, state: "done", plan: { files: 1 } });
  const importId = await upload(world, bytes);
  expect(await go(importId, true, "3")).toMatchObject({ state: "checked" });
  world.now += 25 * 3_600_000;
  await upload(world, bytes);
  expect((await listImports(world.services.db)).map(({ id }) => id)).not.toContain(importId);
});

test.each([
  { at: "restrictToScopes", onConflict: "replace" },
  { at: "writeVersions", onConflict: "rename" },
] as const)("of two calls that end an import one makes it visible: $at", async (call) => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note", "b.md": "# B\n\nsecond note" });
  const id = await upload(world, await archiveOf(world, source));
  const go = async () =>
    await continueImport(contextOf(world), id, { ...WISH, onConflict: call.onConflict });
  let isFirst = true;
  world.aroundIndexes(async ({ name, go: through }) => {
    if (name === call.at && isFirst) {
      isFirst = false;
      world.now += 300_000;
      expect(await go()).toMatchObject({ state: "done" });
    }
    return await through();
  });
  await expect(go()).rejects.toMatchObject({ kind: "busy" });
  expect(await go()).toMatchObject({ state: "done", plan: { files: 2 } });
  const live = "select path from files where file_source_id = ?1 and deleted_at is null";
  expect(await rowsOf(live, source)).toHaveLength(2);
});

test.each([
  ["while it writes", "writeVersions"],
  ["at its last step", "restrictToScopes"],
])("an import whose names are taken %s leaves nothing behind", async (_, call) => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note" });
  const bytes = await archiveOf(world, source);
  world.now += 1;
  const otherArchive = await archiveOf(world, source);
  let isFirst = true;
  world.aroundIndexes(async ({ name, go }) => {
    const writesFirst = isFirst && name === call;
    if (writesFirst) isFirst = false;
    if (writesFirst) expect(await importInto(world, otherArchive)).toMatchObject({ state: "done" });
    return await go();
  });
  await expect(importInto(world, bytes)).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining(`Made or removed during the import: ${source}-2`),
  });
  expect(await copiesOf(source)).toHaveLength(1);
  const states = (await listImports(world.services.db)).map(({ state }) => state);
  expect(states).not.toContain("writing");
  expect(await rowsOf("select 1 from archive_files")).toEqual([]);
});

test("texts and vectors of a file in several parts are sent once", async () => {
  const { world, source, rag } = await ragWorld();
  const sentences = Array.from({ length: 400 }, (_, at) => `A longer note, number ${at}.`);
  await world.putAndIndex(source, { "a.md": `# A\n\n${sentences.join(" ")}` });
  const expected = await world.texts(rag);
  const calls: [staged: number, places: object[]][] = [];
  world.aroundIndexes(async ({ name, args, go }) => {
    if (name === "writeVersions") {
      const [versions] = args as [FileVersion[]];
      for (const { staged, chunks } of versions) calls.push([staged.length, chunks]);
    }
    const page = await go();
    if (name !== "readVersions") return page;
    const [{ fileIds, from }] = args as [VersionCursor];
    if (from > 0) return page;
    // As where one passage fills a page.
    const { versions } = page as { versions: StoredVersion[] };
    for (const { chunks } of versions) chunks.splice(1);
    return { versions, next: { fileIds, from: 1 } };
  });
  await importInto(world, await archiveOf(world, source, "files"));
  const all = expected["a.md"]?.length ?? 0;
  expect(all).toBeGreaterThan(1);
  expect(calls.map(([staged, places]) => [staged, places.length])).toEqual([
    [1, 1],
    [all - 1, all],
  ]);
  expect(JSON.stringify(calls)).not.toMatch(/"text"|"vector"/);
  const [copy] = await copiesOf(source);
  const imported = await world.texts(copy?.rag as typeof rag);
  // Passages that the words of the search do not tell apart come in any order.
  expect(imported["a.md"]?.toSorted()).toEqual(expected["a.md"]?.toSorted());
});

test("passages of an index that was replaced meanwhile are not those of its files", async () => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note" });
  const wish = await wishOf(world, source);
  // The generation that was live when the export began; revisions are equal in both.
  for (const rag of wish.sources.flatMap(({ rags }) => rags)) rag.generation = 7;
  const { ragIndexes } = world.services;
  const services = { ...world.services };
  services.ragIndexes = (address) => ragIndexes({ ...address, generation: 1 });
  const texts: string[] = [];
  for await (const { name, content } of exportContent(services, wish)) {
    if (name.endsWith(".jsonl")) texts.push(new TextDecoder().decode(content));
  }
  expect(texts).toEqual([expect.stringContaining('"status":"pending"')]);
});

test("a replaced source keeps a secret that was renewed meanwhile", async () => {
  const { world, source } = await ragWorld();
  await world.putAndIndex(source, { "a.md": "# A\n\nfirst note" });
  const id = await upload(world, await archiveOf(world, source));
  world.aroundIndexes(async ({ name, go }) => {
    const renewed = "update file_sources set webhook_secret_hash = 'renewed' where id = ?1";
    if (name === "restrictToScopes") await env.DB.prepare(renewed).bind(source).run();
    return await go();
  });
  await continueImport(contextOf(world), id, { ...WISH, onConflict: "replace" });
  const rows = await rowsOf(
    "select webhook_secret_hash as hash from file_sources where id = ?1",
    source,
  );
  expect(rows).toEqual([{ hash: "renewed" }]);
});
