import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";

import { HOUR_MS } from "../../../src/core/time.ts";
import { eventually } from "../../support/eventually.ts";
import { countStatements, factsOf, indexOf, write, search, stubOf } from "./support.ts";

/** More than one transaction deletes securely. */
const PASSAGES = 200;

const passages = (word: string) =>
  Array.from({ length: PASSAGES }, (_, at) => `A ${word}${at}x note of ${word} number ${at}.`);

/** Whether FTS5's own tables hold a word, and how it deletes words. */
const wordsOf = async (name: string, word: string) =>
  await runInDurableObject(stubOf(name), (_, { storage: { sql } }) => {
    const blocks = sql.exec<{ block: ArrayBuffer }>("SELECT block FROM words_data").toArray();
    const text = blocks.map(({ block }) => new TextDecoder("latin1").decode(block)).join("\n");
    const [config] = sql
      .exec<{ v: number }>("SELECT v FROM words_config WHERE k = 'secure-delete'")
      .toArray();
    return { holds: text.includes(word), secure: config?.v };
  });

/** Runs maintenance until nothing is due. */
async function untilMerged(name: string): Promise<void> {
  while (await runDurableObjectAlarm(stubOf(name)));
}

test("words of a large file that is removed are merged away, step by step", async () => {
  const name = "large removal";
  const index = indexOf(name);
  await write(index, "stays.txt", 1, passages("heather"));
  await write(index, "small.txt", 1, ["A note of lichen."]);
  await write(index, "large.txt", 1, passages("bracken"));
  expect(await wordsOf(name, "bracken")).toEqual({ holds: true, secure: 1 });

  await index.remove([{ fileId: factsOf("large.txt").fileId, revision: 2 }]);
  // A mark for each word, no page rewritten.
  expect((await wordsOf(name, "bracken")).secure).toBe(0);
  expect((await search(index, "bracken number 7")).lexical.join()).not.toContain("bracken");
  await eventually(async () => {
    expect(await wordsOf(name, "bracken")).toMatchObject({ holds: false });
  });
  expect((await search(index, "heather7x")).lexical).toHaveLength(1);

  await untilMerged(name);
  await index.remove([{ fileId: factsOf("small.txt").fileId, revision: 2 }]);
  expect(await wordsOf(name, "lichen")).toEqual({ holds: false, secure: 1 });
  expect((await search(index, "heather7x")).lexical).toHaveLength(1);
});

test("many small removals in one call are one large; a new merge follows an old", async () => {
  const name = "many removals";
  const index = indexOf(name);
  await write(index, "stays.txt", 1, passages("heather"));
  const paths = Array.from({ length: 40 }, (_, at) => `${at}.txt`);
  for (const path of paths) await write(index, path, 1, [`A bracken note of ${path}.`]);
  const idsOf = (some: string[]) =>
    some.map((path) => ({ fileId: factsOf(path).fileId, revision: 2 }));
  await index.remove(idsOf(paths.slice(1)));
  await untilMerged(name);
  await index.remove(idsOf(paths.slice(0, 1)));
  await eventually(async () => {
    expect(await wordsOf(name, "bracken")).toMatchObject({ holds: false });
  });
  expect((await search(index, "heather7x")).lexical).toHaveLength(1);
});

afterEach(() => vi.useRealTimers());

test("edits of a large file, one after the other, merge the index once an hour", async () => {
  const name = "edited every minute";
  const index = indexOf(name);
  await write(index, "stays.txt", 1, passages("heather"));
  vi.useFakeTimers({ toFake: ["Date"] });
  const edit = async (revision: number) => {
    await write(index, "edited.txt", revision, passages(`bracken${revision}x`).slice(0, 40));
    await runDurableObjectAlarm(stubOf(name));
  };
  await edit(1);
  const { texts } = await runInDurableObject(stubOf(name), (_, { storage }) =>
    countStatements(storage.sql),
  );
  const merges = () => texts.filter((text) => text.includes("('merge', -")).length;
  for (let revision = 2; revision < 8; revision++) await edit(revision);
  expect(merges()).toBe(1);
  expect((await search(index, "bracken6x number 7")).lexical.join()).not.toContain("bracken6x");
  vi.setSystemTime(Date.now() + HOUR_MS);
  await untilMerged(name);
  expect(merges()).toBe(2);
  expect(await wordsOf(name, "bracken6x")).toMatchObject({ holds: false });
});

test("passages whose headings changed before a merge leave whole, however few", async () => {
  const name = "headings changed";
  const index = indexOf(name);
  const granite = (heading: string, from = 0) =>
    passages("granite")
      .slice(from, 40)
      .map((text) => ({ text, headings: [heading] }));
  // As FTS5 merges of its own accord while much is written: what is new, not into what is large.
  const mergeNewest = async (kind: string) => {
    for (let at = 0; at < 4; at++) await write(index, `${kind}${at}.txt`, 1, ["chalk"]);
    await runInDurableObject(stubOf(name), (_, { storage: { sql } }) => {
      sql.exec("INSERT INTO words (words, rank) VALUES ('merge', 500)");
    });
  };
  await write(index, "large.txt", 1, passages("bracken"));
  await index.remove([{ fileId: factsOf("large.txt").fileId, revision: 2 }]);
  await untilMerged(name);
  await write(index, "stays.txt", 1, passages("heather"));
  await write(index, "granite.txt", 1, granite("before"));
  await mergeNewest("a");
  await write(index, "granite.txt", 2, granite("after"));
  await mergeNewest("b");
  await write(index, "granite.txt", 3, granite("after", 3));
  const wish = { limitPerLeg: PASSAGES, needed: PASSAGES };
  expect((await search(index, "granite", wish)).lexical).toHaveLength(37);
});
