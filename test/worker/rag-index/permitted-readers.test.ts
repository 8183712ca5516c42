import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import type { FileFacts } from "../../../src/ports/index-versions.ts";
import { chance, pickAt } from "../../support/dice.ts";
import { factsOf, indexOf, put, requestFor, stubOf } from "./support.ts";

const STEPS = 600;
const FILES = ["a/1", "a/2", "a/b/3", "c/4", "c/5", "6", "7", "8"];
const PRINCIPALS = ["everyone", "user:ann", "user:bob", "group:hr", "group:all", "domain:x"];
const TEXTS = ["granite one", "granite two", "granite three", "Granite ONE", "granite five"];

const some = (step: number, use: string, of: number) =>
  PRINCIPALS.filter((_, at) => chance(step, `${use} ${at}`, of) === 0);

type Readers = NonNullable<FileFacts["readers"]>;
const NOBODY: Readers = { id: "", principals: [], revision: 0 };

/** What was told of each file, as a database would have it: computed anew for each search. */
type Model = {
  texts: Map<string, string>;
  readers: Map<string, Readers>;
  revisions: Map<string, number>;
  since: number;
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

async function step(index: Index, model: Model, at: number): Promise<void> {
  const path = pickAt(FILES, at, "path");
  const known = model.readers.get(path) ?? NOBODY;
  const revision = (model.revisions.get(path) ?? 0) + 1;
  const kind = chance(at, "kind", 40);
  if (kind < 16) {
    const told = audience(some(at, "share", 3), at + 1);
    model.readers.set(path, told);
    return await tell(index, path, told);
  }
  // A message that comes late or twice.
  if (kind < 20) return await tell(index, path, audience([...PRINCIPALS], known.revision - 1));
  if (kind < 24) return await tell(index, path, known);
  if (kind === 24 && at > 100) return await evictDurableObject(stubOf("permitted"));
  if (kind === 25) return void (model.since = at);
  model.revisions.set(path, revision);
  if (kind < 30) {
    model.texts.delete(path);
    return await index.remove([{ fileId: fileIdOf(path), revision }]);
  }
  // A worker that read the file's readers before they changed, or after.
  const stale = audience([...PRINCIPALS], known.revision - 1);
  const readers = kind < 33 && known.revision > 0 ? stale : known;
  const text = pickAt(TEXTS, at, "text");
  model.texts.set(path, text);
  await put(index, factsOf(path, { readers }), revision, [text]);
}

test("after each random step a reader finds exactly what that reader may read", async () => {
  const index = indexOf("permitted");
  const model: Model = { texts: new Map(), readers: new Map(), revisions: new Map(), since: 0 };
  let found = 0;
  for (let at = 0; at < STEPS; at++) {
    await step(index, model, at);
    const principals = some(at, "reader", 3);
    const folder = pickAt([null, null, "a", "c"], at, "folder");
    const readable = [...model.texts].filter(([path]) => {
      const readers = model.readers.get(path) ?? NOBODY;
      const isIn = readers.principals.some((one) => principals.includes(one));
      const isNamed = folder === null || path.startsWith(`${folder}/`);
      return isIn && isNamed && readers.revision >= model.since;
    });
    const named = folder === null ? null : { files: [], folders: [folder] };
    const readers = { principals, since: model.since };
    const restriction = { named, metadata: [], readers };
    const reply = await index.search(
      requestFor("granite", { restriction, read: { kind: "all", ids: [] } }),
    );
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
    found += chunks.length;
  }
  expect(found).toBeGreaterThan(STEPS / 4);
}, 120_000);

test("an index from before permissions lets nobody in until readers are told", async () => {
  const index = indexOf("older");
  await put(index, factsOf("a"), 1, ["granite"]);
  const readers = { principals: [...PRINCIPALS], since: 0 };
  const restriction = { named: null, metadata: [], readers };
  const find = async () => {
    const reply = await index.search(requestFor("granite", { restriction }));
    return reply.queries[0]?.vector.length;
  };
  expect(await find()).toBe(0);
  const files = [{ fileId: "file a" as FileId, audience: "none", revision: 1 }];
  await index.writeReaders({ audiences: [], files });
  expect(await find()).toBe(0);
  await tell(index, "a", audience(["group:hr"], 2));
  expect(await find()).toBe(1);
});
