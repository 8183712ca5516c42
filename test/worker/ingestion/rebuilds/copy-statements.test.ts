import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { findFileSource } from "../../../../src/catalog/file-sources/find-file-source.ts";
import { newId, type FileSourceId } from "../../../../src/core/ids.ts";
import { openDatabase } from "../../../../src/db/sql.ts";
import { continueCopies, copySource } from "../../../../src/ingestion/copies/copy-source.ts";
import { rowsOf, World } from "../../../support/ingestion-world.ts";
import { indexedRag, longText } from "./support.ts";

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
