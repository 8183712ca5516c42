import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { excludeFromSearch } from "../../../../src/catalog/file-sources/exclude-from-search.ts";
import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { removeFileSource } from "../../../../src/catalog/file-sources/remove-file-source.ts";
import { updateFileSource } from "../../../../src/catalog/file-sources/update-file-source.ts";
import { newId, type FileSourceId, type RagId } from "../../../../src/core/ids.ts";
import { findOriginalOfCopy } from "../../../../src/db/catalog/source-copy-store.ts";
import { openDatabase } from "../../../../src/db/sql.ts";
import {
  continueCopies,
  continueCopy,
  copySource,
} from "../../../../src/ingestion/copies/copy-source.ts";
import {
  describePushedFile,
  movePushedFiles,
  removePushedFiles,
  setReaders,
} from "../../../../src/ingestion/uploads/pushed-files.ts";
import { rowsOf, World } from "../../../support/ingestion-world.ts";
import { find, indexedRag, longText } from "./support.ts";

const PART = /^(?:MATERIALIZE|CO-ROUTINE) (\w+)/;
const SCANNED = /^SCAN (?!CONSTANT ROW|folders|.* VIRTUAL TABLE)(\w+)/;

test("a copy's statements read no whole table, its steps are few", async () => {
  const statements = new Set<string>();
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name === "prepare")
        return (text: string) => {
          statements.add(text);
          return target.prepare(text);
        };
      return (Reflect.get(target, name) as () => unknown).bind(target);
    },
  });
  const { world, source } = await indexedRag(new World(), {
    "a.html": longText("moss"),
    "b.html": longText("fen"),
  });
  world.services.db = openDatabase(database);
  const { source: original } = await findFileSource(world.services, { key: source });
  const calls: string[] = [];
  world.aroundIndexes(({ name, go }) => {
    calls.push(name);
    return go();
  });
  let [reading, readAtOnce] = [0, 0];
  world.aroundBucket(async ({ name, args, go }) => {
    const isOriginal = name === "get" && String(args[0]).includes(source);
    if (isOriginal) readAtOnce = Math.max(readAtOnce, ++reading);
    const result = await go();
    if (isOriginal) reading -= 1;
    return result;
  });
  const copy = { name: "Copy", identifier: `${source}-copy` };
  const id = newId<FileSourceId>(Date.now());
  await copySource(world.services, { source: original, copy, id });
  await world.deliver();
  await continueCopies(world.services);
  expect(readAtOnce).toBe(2);
  // Nothing is left out of search, so that only the RAG's scopes are told to its index.
  expect(calls.filter((name) => name === "restrictToScopes")).toHaveLength(1);
  expect(statements.size).toBeGreaterThan(10);
  const scans: string[] = [];
  for (const text of statements) {
    const last = Math.max(0, ...Array.from(text.matchAll(/\?(\d+)/g), ([, n]) => Number(n)));
    const values = Array.from({ length: last }, () => null);
    const plan = await rowsOf<{ detail: string }>(`explain query plan ${text}`, ...values);
    const details = plan.map(({ detail }) => detail);
    // Parts of a statement are read whole, but by what they were themselves found with.
    const parts = new Set(details.map((detail) => PART.exec(detail)?.[1]));
    for (const detail of details) {
      const table = SCANNED.exec(detail)?.[1];
      if (table !== undefined && !parts.has(table)) scans.push(`${detail}: ${text}`);
    }
  }
  expect(scans).toEqual([]);
});

test("a copy is equal to an original that changes while it is copied", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((name) => `${name}.html`);
  const files = Object.fromEntries(names.map((name) => [name, longText(name)]));
  const { world, source, rag } = await indexedRag(new World(), files);
  const { services } = world;
  const leaveOut = (path: string, excluded: boolean) =>
    excludeFromSearch(services, {
      source: { id: source },
      path,
      passage: null,
      excluded,
      by: null,
    });
  await leaveOut("a.html", true);
  const { source: original } = await findFileSource(services, { key: source });
  const readBy = (readers: string[]) =>
    setReaders(services, { source: original, path: "h.html", readers });
  await readBy(["domain:example.com"]);
  const copy = { name: "Copy", identifier: `${source}-copy` };
  const id = newId<FileSourceId>(Date.now());
  await copySource(services, { source: original, copy, id });
  const { source: unfinished } = await findFileSource(services, { key: id });
  const second = { name: "Second", identifier: `${source}-second` };
  await expect(
    copySource(services, { source: unfinished, copy: second, id: newId(Date.now()) }),
  ).rejects.toThrow("not complete yet");
  const readBoth = async (selection: string, order: string) =>
    await Promise.all(
      [id, source].map((key) =>
        rowsOf(`select ${selection} file_source_id = ? order by ${order}`, key),
      ),
    );
  const exclusions = () => readBoth("value from search_exclusions where", "value");
  const snapshots: unknown[] = [];
  let isChanged = false;
  world.aroundBucket(async ({ name, go }) => {
    const result = await go();
    // The copy's files are stored, and nobody has looked after what came since.
    if (name === "put" && !isChanged) {
      isChanged = true;
      await leaveOut("a.html", false);
      await leaveOut("b.html", true);
      snapshots.push(...(await exclusions()));
      await removePushedFiles(services, { source: original, paths: ["c.html"] });
      world.now += 1_000;
      await movePushedFiles(services, {
        source: original,
        moves: [
          { from: "d.html", to: "moved.html" },
          { from: "f.html", to: "deleted.html" },
          { from: "i.html", to: "renewed.html" },
        ],
      });
      await world.put(source, "g.html", longText("other"));
      await world.put(source, "renewed.html", longText("heather"));
      const paths = ["deleted.html", "g.html"];
      await removePushedFiles(services, { source: original, paths });
      await readBy(["group:few@example.com"]);
      await describePushedFile(services, { source: original, path: "e.html", metadata: { a: 1 } });
      await world.put(source, "0.html", longText("gorse"));
    }
    return result;
  });
  await world.deliver();
  expect(snapshots.slice(0, 2)).toEqual([[{ value: "b.html" }], [{ value: "b.html" }]]);
  const [ofCopy, ofOriginal] = await readBoth(
    "path, sha256, metadata, modified_at, audience from files where deleted_at is null and",
    "path",
  );
  expect(ofOriginal).toHaveLength(7);
  expect(ofCopy).toEqual(ofOriginal);
  const [ragOfCopy] = await rowsOf<{ id: RagId }>(
    "select id from rags where file_source_id = ?",
    id,
  );
  if (ragOfCopy === undefined) throw new Error("the copy has no RAG");
  expect(Object.keys((await find(world, rag)).counts)).not.toContain("b.html");
  expect(await find(world, ragOfCopy.id)).toEqual(await find(world, rag));
  expect(await rowsOf("select copy_of from file_sources where id = ?", id)).toEqual([
    { copy_of: null },
  ]);
});

test("a copy follows bytes that are replaced and permissions while it runs", async () => {
  const paths = ["a.html", "both.html", "late.html"];
  const files = Object.fromEntries(paths.map((path) => [path, longText("moss")]));
  const { world, source } = await indexedRag(new World(), files);
  const { source: original } = await findFileSource(world.services, { key: source });
  const copy = { name: "Copy", identifier: `${source}-copy` };
  const id = newId<FileSourceId>(Date.now());
  await copySource(world.services, { source: original, copy, id });
  for (const path of ["own.html", "both.html"]) await world.put(id, path, longText("bramble"));
  const progress = async () => await findOriginalOfCopy(world.services.db, id);
  const snapshots: unknown[] = [];
  world.aroundBucket(async ({ name, args, go }) => {
    if (name !== "get" || !String(args[0]).includes(source)) return await go();
    snapshots.push(await progress());
    if (snapshots.length === 1) {
      await world.put(source, "a.html", longText("gorse"));
      await env.FILES.delete(String(args[0]));
      const patch = { permissions: "on" as const, defaultReaders: ["group:few@example.com"] };
      const changed = await findFileSource(world.services, { key: source });
      await updateFileSource(world.services, { source: changed, patch });
    }
    // Its page is read already.
    if (snapshots.length === paths.length) await world.put(id, "late.html", longText("bramble"));
    return await go();
  });
  await world.deliver();
  for (const error of [null, "A file was replaced while it was copied"])
    expect(snapshots).toContainEqual({ name: original.name, error });
  expect(await progress()).toBeNull();
  const permissions = "select permissions, default_readers from file_sources where id = ?";
  expect(await rowsOf(permissions, id)).toEqual(await rowsOf(permissions, source));
  const readersOf = async (key: string) => (await rowsOf(permissions, key))[0];
  const restrict = async (key: string, group: string) => {
    const patch = { permissions: "on" as const, defaultReaders: [`group:${group}@example.com`] };
    await updateFileSource(world.services, {
      source: await findFileSource(world.services, { key }),
      patch,
    });
  };
  const [later, restricted] = [newId<FileSourceId>(Date.now()), newId<FileSourceId>(Date.now())];
  const { source: current } = await findFileSource(world.services, { key: source });
  for (const [key, name] of [
    [later, "later"],
    [restricted, "restricted"],
  ] as const) {
    const names = { name, identifier: `${source}-${name}` };
    await copySource(world.services, { source: current, copy: names, id: key });
  }
  await restrict(restricted, "tenant");
  const ofTenant = await readersOf(restricted);
  await restrict(source, "fewer");
  await world.deliver();
  expect(await readersOf(later)).toEqual(await readersOf(source));
  expect(await readersOf(restricted)).toEqual(ofTenant);
  const hashes = "select sha256 from files where path = 'a.html' and file_source_id = ?";
  expect(await rowsOf(hashes, id)).toEqual(await rowsOf(hashes, source));
  // Files of its own stay.
  const own = "select path from files where size = ? and deleted_at is null and file_source_id = ?";
  expect(await rowsOf(`${own} order by path`, longText("bramble").length, id)).toEqual([
    { path: "both.html" },
    { path: "late.html" },
    { path: "own.html" },
  ]);
  const all = "select path from files where deleted_at is null and file_source_id = ?";
  expect(await rowsOf(all, id)).toHaveLength(4);
});

test("a step that comes again opens no complete copy, an original waits for its copy", async () => {
  const world = new World();
  const original = await findFileSource(world.services, { key: await world.addSource() });
  await world.put(original.source.id, "a.html", longText("moss"));
  const copy = { name: "Copy", identifier: `${original.source.id}-copy` };
  const id = newId<FileSourceId>(Date.now());
  await copySource(world.services, { source: original.source, copy, id });
  await expect(removeFileSource(world.services, { source: original })).rejects.toThrow("copied");
  world.aroundBucket(async ({ name, go }) => {
    if (name === "put") await rowsOf("update file_sources set copy_of = null where id = ?", id);
    return await go();
  });
  await continueCopy(world.services, { fileSourceId: id, after: null, isChanged: false });
  expect(await rowsOf("select copy_of from file_sources where id = ?", id)).toEqual([
    { copy_of: null },
  ]);
  await removeFileSource(world.services, { source: original });
});
