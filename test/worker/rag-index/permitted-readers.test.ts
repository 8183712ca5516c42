import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import { HOUR_MS } from "../../../src/core/time.ts";
import type { FileFacts } from "../../../src/ports/index-versions.ts";
import { chance, pickAt } from "../../support/dice.ts";
import { factsOf, indexOf, write, requestFor, stubOf } from "./support.ts";

/** `RANDOM_STEPS=10` takes ten times the steps. */
const STEPS = 600 * Number(env.RANDOM_STEPS ?? 1);
const FILES = ["a/1", "a/2", "a/b/3", "c/4", "c/5", "6", "7", "8"];
const PRINCIPALS = ["everyone", "user:ann", "user:bob", "group:hr", "group:all", "domain:x"];
const TEXTS = ["granite one", "granite two", "granite three", "Granite ONE", "granite five"];

const some = (step: number, use: string, odds: number) =>
  PRINCIPALS.filter((_, at) => chance(step, `${use} ${at}`, odds) === 0);

type Readers = NonNullable<FileFacts["readers"]>;
const NOBODY: Readers = { id: "", principals: [], revision: 0 };

/** Readers of each file, as a database has them: computed for each search. */
type Model = {
  texts: Map<string, string>;
  readers: Map<string, Readers>;
  revisions: Map<string, number>;
  since: number;
  maintainedAt: number;
};

const audience = (principals: string[], revision: number): Readers => {
  return { id: JSON.stringify(principals), principals, revision };
};

type Index = ReturnType<typeof indexOf>;
const fileIdOf = (path: string) => factsOf(path).fileId;

async function tell(index: Index, path: string, { id, principals, revision }: Readers) {
  const files = [{ fileId: fileIdOf(path), audience: id, revision }];
  await index.writeReaders({ audiences: [{ id, principals }], files });
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

/** Runs the object's work of an hour later. */
async function maintain(name: string) {
  vi.setSystemTime(Date.now() + HOUR_MS);
  await runDurableObjectAlarm(stubOf(name));
}

/** The audiences that an object knows, and those of its members that belong to none of them. */
const audiencesOf = async (name: string) =>
  await runInDurableObject(stubOf(name), (_, { storage: { sql } }) => {
    const rowsOf = (query: string) => sql.exec<{ id: string }>(query).toArray();
    const orphans = rowsOf(`SELECT principal AS id FROM audience_members
      WHERE audience NOT IN (SELECT audience FROM audiences)`);
    return { ids: rowsOf("SELECT id FROM audiences ORDER BY id").map(({ id }) => id), orphans };
  });

/** How many passages readers with these principals find. */
async function finds(index: Index, ...principals: string[]) {
  const restriction = { named: null, metadata: [], readers: { principals, since: 0 } };
  const reply = await index.search(requestFor("granite", { restriction }));
  return reply.queries[0]?.vector.length;
}

async function disturb(model: Model, at: number, kind: number) {
  if (kind === 24 && at > 100) await evictDurableObject(stubOf("permitted"));
  if (kind === 25) model.since = at;
  if (kind !== 26) return;
  model.maintainedAt = at + 1;
  await maintain("permitted");
}

async function step(index: Index, model: Model, at: number): Promise<void> {
  const path = pickAt(FILES, at, "path");
  const current = model.readers.get(path) ?? NOBODY;
  const revision = (model.revisions.get(path) ?? 0) + 1;
  const kind = chance(at, "kind", 40);
  if (kind < 16) {
    const update = audience(some(at, "share", 3), at + 1);
    model.readers.set(path, update);
    return await tell(index, path, update);
  }
  // A message that comes late or twice.
  if (kind < 20) return await tell(index, path, audience([...PRINCIPALS], current.revision - 1));
  if (kind < 24) return await tell(index, path, current);
  if (kind < 27) return await disturb(model, at, kind);
  model.revisions.set(path, revision);
  if (kind < 30) {
    model.texts.delete(path);
    return await index.remove([{ fileId: fileIdOf(path), revision }]);
  }
  // A worker that read the file's readers before they changed, or after.
  const stale = audience([...PRINCIPALS], current.revision - 1);
  const isStale = kind < 33 && current.revision > model.maintainedAt;
  const readers = isStale ? stale : current;
  const text = pickAt(TEXTS, at, "text");
  model.texts.set(path, text);
  await write(index, factsOf(path, { readers }), revision, [text]);
}

test("after each random step a reader finds exactly what that reader may read", async () => {
  const index = indexOf("permitted");
  const model: Model = {
    texts: new Map(),
    readers: new Map(),
    revisions: new Map(),
    since: 0,
    maintainedAt: 0,
  };
  let total = 0;
  for (let at = 0; at < STEPS; at++) {
    await step(index, model, at);
    const principals = some(at, "reader", 3);
    const folder = pickAt([null, null, "a", "c"], at, "folder");
    const readable = [...model.texts].filter(([path]) => {
      const readers = model.readers.get(path) ?? NOBODY;
      const isIn = readers.principals.some((principal) => principals.includes(principal));
      const isNamed = folder === null || path.startsWith(`${folder}/`);
      return isIn && isNamed && readers.revision >= model.since;
    });
    const selection = folder === null ? null : { files: [], folders: [folder] };
    const readers = { principals, since: model.since };
    const restriction = { named: selection, metadata: [], readers };
    const reply = await index.search(requestFor("granite", { restriction }));
    const chunks = reply.chunks.map(({ file, text }) => [file.path, text]);
    for (const chunk of chunks)
      expect({ at, readable }).toMatchObject({ readable: expect.arrayContaining([chunk]) });
    const folds = (texts: string[]) => [...new Set(texts.map((text) => text.toLowerCase()))].sort();
    const expected = folds(readable.map(([, text]) => text));
    expect({ at, texts: folds(chunks.map(([, text]) => text ?? "")) }).toEqual({
      at,
      texts: expected,
    });
    expect({ at, shown: chunks.length }).toEqual({ at, shown: expected.length });
    total += chunks.length;
  }
  expect(total).toBeGreaterThan(STEPS / 4);
  for (const path of FILES) await tell(index, path, audience(["user:ann"], STEPS + 1));
  for (let hour = 0; hour < 3; hour++) await maintain("permitted");
  expect(await audiencesOf("permitted")).toEqual({ ids: ['["user:ann"]'], orphans: [] });
});

test("unused audiences are deleted in steps; a file that returns has its readers", async () => {
  const name = "unused";
  const index = indexOf(name);
  const hr = audience(["group:hr"], 1);
  await write(index, factsOf("a", { readers: hr }), 1, ["granite"]);
  const audiences = Array.from({ length: 600 }, (_, at) => audience([`user:${at}`], 1));
  await index.writeReaders({
    audiences,
    files: audiences.map(({ id }, at) => ({
      fileId: fileIdOf(`${at}`),
      audience: id,
      revision: 1,
    })),
  });
  await index.remove(
    [...audiences.keys()].map((at) => ({ fileId: fileIdOf(`${at}`), revision: 2 })),
  );
  await index.remove([{ fileId: fileIdOf("a"), revision: 2 }]);
  for (let hour = 0; hour < 3; hour++) await maintain(name);
  expect((await audiencesOf(name)).ids).toHaveLength(101);
  await maintain(name);
  expect(await audiencesOf(name)).toEqual({ ids: [], orphans: [] });

  await write(index, factsOf("late", { readers: hr }), 1, ["granite late"]);
  await index.remove([{ fileId: fileIdOf("late"), revision: 2 }]);
  await maintain(name);
  const before = audience(["user:bob"], 0);
  await write(index, factsOf("late", { readers: before }), 3, ["granite late"]);

  // Its audience's number is another's by now.
  await tell(index, "b", audience(["user:bob"], 1));
  await write(index, factsOf("a"), 3, ["granite"]);
  expect(await finds(index, "group:hr", "user:bob")).toBe(1);
  await write(index, factsOf("a", { readers: hr }), 4, ["granite"]);
  expect([await finds(index, "group:hr"), await finds(index, "user:bob")]).toEqual([2, 0]);
});

test("an index from before permissions lets nobody in until readers are told", async () => {
  const index = indexOf("older");
  await write(index, factsOf("a"), 1, ["granite"]);
  expect(await finds(index, ...PRINCIPALS)).toBe(0);
  const files = [{ fileId: "file a" as FileId, audience: "none", revision: 1 }];
  await index.writeReaders({ audiences: [], files });
  expect(await finds(index, ...PRINCIPALS)).toBe(0);
  await tell(index, "a", audience(["group:hr"], 2));
  expect(await finds(index, ...PRINCIPALS)).toBe(1);
});
