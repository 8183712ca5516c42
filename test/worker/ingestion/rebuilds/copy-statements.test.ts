import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { newId, type FileSourceId, type RagId } from "../../../../src/core/ids.ts";
import { openDatabase } from "../../../../src/db/sql.ts";
import { continueCopies, copySource } from "../../../../src/ingestion/copies/copy-source.ts";
import { rowsOf, World } from "../../../support/ingestion-world.ts";
import { found, indexedRag, longText } from "./support.ts";

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
      const read = SCANNED.exec(detail)?.[1];
      if (read !== undefined && !parts.has(read)) scans.push(`${detail}: ${text}`);
    }
  }
  expect(scans).toEqual([]);
});

test("what is left out while a copy runs is hidden, though its index fails at first", async () => {
  const files = { "a.html": longText("moss"), "b.html": longText("fen") };
  const { world, source } = await indexedRag(new World(), files);
  const { source: original } = await findFileSource(world.services, { key: source });
  const copy = { name: "Copy", identifier: `${source}-copy` };
  const id = newId<FileSourceId>(Date.now());
  await copySource(world.services, { source: original, copy, id });
  let reads = 0;
  world.aroundBucket(async ({ name, args, go }) => {
    const isOriginal = name === "get" && String(args[0]).includes(source);
    if (isOriginal && ++reads <= 2) throw new Error("the first step fails");
    if (isOriginal)
      await rowsOf(
        `insert or ignore into search_exclusions (file_source_id, kind, value, path, created_at)
          values (?, 'file', 'a.html', 'a.html', 0)`,
        source,
      );
    return await go();
  });
  let tries = 0;
  world.aroundIndexes(({ name, args, go }) => {
    const isHiding = name === "restrictToScopes" && JSON.stringify(args).includes("a.html");
    if (isHiding && ++tries === 1) throw new Error("the index is overloaded");
    return go();
  });
  await world.deliver();
  expect(tries).toBeGreaterThan(1);
  const [made] = await rowsOf<{ id: RagId }>("select id from rags where file_source_id = ?", id);
  if (made === undefined) throw new Error("the copy has no RAG");
  expect(Object.keys((await found(world, made.id)).counts)).toEqual(["b.html"]);
  expect(await rowsOf("select copy_of from file_sources where id = ?", id)).toEqual([
    { copy_of: null },
  ]);
});

test("a file whose bytes are replaced while a copy runs is in the copy", async () => {
  const { world, source } = await indexedRag(new World(), { "a.html": longText("moss") });
  const { source: original } = await findFileSource(world.services, { key: source });
  const copy = { name: "Copy", identifier: `${source}-copy` };
  const id = newId<FileSourceId>(Date.now());
  await copySource(world.services, { source: original, copy, id });
  let isReplaced = false;
  world.aroundBucket(async ({ name, args, go }) => {
    if (name === "get" && String(args[0]).includes(source) && !isReplaced) {
      isReplaced = true;
      await world.put(source, "a.html", longText("gorse"));
      await env.FILES.delete(String(args[0]));
    }
    return await go();
  });
  await world.deliver();
  const hashes = "select sha256 from files where file_source_id = ?";
  expect(await rowsOf(hashes, id)).toEqual(await rowsOf(hashes, source));
});
