import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import { indexOf, write, requestFor, search, stubOf } from "./support.ts";

const lexical = async (name: string, query: string) =>
  (await search(indexOf(name), query, { vector: null })).lexical;

/** Enough for the counters of words to be folded once. */
const CHANGES = 140;

test("no characters of a query are syntax", async () => {
  const index = indexOf("syntax");
  const text = 'alpha AND beta, "quoted" text: NEAR(x)';
  await write(index, "a.md", 1, [text]);
  await write(index, "b.md", 1, ["nothing of it"]);
  const hostile = [
    'alpha"',
    '"alpha" AND',
    "alpha NOT beta",
    "alpha OR",
    "NEAR(alpha beta, 5)",
    "text: alpha",
    "headings:alpha",
    "^alpha*",
    "{headings text}: alpha",
    "-alpha + (beta",
    "alpha'; DROP TABLE words; --",
    "alpha\u0000beta",
    "alpha\ud800",
    "🂡 alpha 𞤀",
  ];
  for (const query of hostile) {
    const texts = await lexical("syntax", query);
    expect({ query, found: texts }).toEqual({ query, found: [text] });
  }
  for (const query of ["", '"', "***", "()", "🂡", "\u0000", "  \n"]) {
    const texts = await lexical("syntax", query);
    expect({ query, found: texts }).toEqual({ query, found: [] });
  }
});

test("a query of any length is searched", async () => {
  const index = indexOf("length");
  await write(index, "a.md", 1, ["needle in the haystack"]);
  const words = Array.from({ length: 30_000 }, (_, at) => `word${at}`);
  expect(await lexical("length", `${words.join(" ")} needle`)).toEqual(["needle in the haystack"]);
  expect(await lexical("length", "needle ".repeat(20_000))).toEqual(["needle in the haystack"]);
  expect(await lexical("length", "n".repeat(500_000))).toEqual([]);
});

test("words are found by their stems, without case, accents or compatibility forms", async () => {
  const index = indexOf("forms");
  await write(index, "a.md", 1, [
    "Die Prüfung der Geräte",
    "Refunds were processed",
    "Ｗｉｄｅ office",
  ]);
  expect(await lexical("forms", "PRUFUNG")).toEqual(["Die Prüfung der Geräte"]);
  expect(await lexical("forms", "processing refund")).toEqual(["Refunds were processed"]);
  expect(await lexical("forms", "wide oﬃces")).toEqual(["Ｗｉｄｅ office"]);
});

test("scripts without spaces are searched by cuts of characters, or by fewer", async () => {
  const index = indexOf("pairs");
  const tokyo = "東京都庁は新宿区にあります。";
  const coffee = "コーヒーとパンを買いました";
  const rice = "ฉันกินข้าวที่บ้าน";
  await write(index, "a.md", 1, [tokyo, coffee, rice, "我们在北京大学学习", "latin text only"]);
  expect(await lexical("pairs", "新宿")).toEqual([tokyo]);
  expect(await lexical("pairs", "京都庁")).toEqual([tokyo]);
  expect(await lexical("pairs", "コーヒー")).toEqual([coffee]);
  expect(await lexical("pairs", "กินข้าว")).toEqual([rice]);
  expect(await lexical("pairs", "ข้")).toEqual([rice]);
  expect(await lexical("pairs", "北京大学")).toEqual(["我们在北京大学学习", tokyo].slice(0, 1));
  expect(await lexical("pairs", "区")).toEqual([tokyo]);
  expect(await lexical("pairs", "海")).toEqual([]);
});

test("stop words do not decide, unless there is nothing else", async () => {
  const index = indexOf("stop words");
  await write(index, "a.md", 1, [
    "to be or not to be",
    "the boiler",
    "where it is and what it was",
  ]);
  expect(await lexical("stop words", "where is the boiler and what is it")).toEqual(["the boiler"]);
  expect(await lexical("stop words", "to be or not to be")).toEqual(["to be or not to be"]);
});

test("scores are positive, fall, and do not drift with changes", async () => {
  const name = "drift";
  const index = indexOf(name);
  const fresh = indexOf("no drift");
  const texts = ["granite and quartz", "quartz only here", "basalt", "slate and chalk"];
  for (const [at, text] of texts.entries()) await write(fresh, `${at}`, 1, [text]);
  for (let revision = 1; revision <= CHANGES; revision++) {
    await write(index, "0", revision, [`version ${revision} of quartz`]);
  }
  for (const [at, text] of texts.entries()) await write(index, `${at}`, CHANGES + 1, [text]);
  await write(index, "gone", 1, ["quartz"]);
  await index.remove([{ fileId: "file gone" as FileId, revision: 2 }]);
  const scores = async (target: typeof index) =>
    (await search(target, "quartz and granite", { vector: null })).lexicalScores;
  const expected = await scores(fresh);
  expect(expected.length).toBe(2);
  expect(expected.every((score, at) => score > 0 && score <= (expected[at - 1] ?? score))).toBe(
    true,
  );
  expect(await scores(index)).toEqual(expected);
  await evictDurableObject(stubOf(name));
  expect(await scores(index)).toEqual(expected);
});

test("names in code are found by their parts, and by the whole", async () => {
  const index = indexOf("names in code");
  await write(index, "a.md", 1, [
    "Use RetryAgent.",
    "Call parseHTTPHeader.",
    "An agent may retry.",
  ]);
  const lexicalOf = async (query: string) => (await search(index, query)).lexical.toSorted();
  expect(await lexicalOf("retry")).toEqual(["An agent may retry.", "Use RetryAgent."]);
  expect(await lexicalOf("header")).toEqual(["Call parseHTTPHeader."]);
  expect((await search(index, "RetryAgent")).lexical[0]).toBe("Use RetryAgent.");
  expect(await lexicalOf("parseHTTPHeader")).toEqual(["Call parseHTTPHeader."]);
  await write(index, "a.md", 2, ["An agent may retry."]);
  expect(await lexicalOf("header")).toEqual([]);
});

const VOCABULARY = ["moss", "fen", "peat", "reed", "heather", "bog", "cotton", "sedge"];
const REPEATED = [
  "moss fen peat reed",
  "reed moss reed reed moss",
  "Heather of the bog",
  "peat 東 cotton",
  "cotton sedge bog fen moss heather reed peat",
];

/** Eight passages of words that a number chooses, so that each word stands in half of them. */
const passagesFor = (seed: number) =>
  Array.from({ length: 8 }, (_, nth) => {
    const words = Array.from({ length: 12 }, (_, at) => {
      const word = Math.imul(seed * 8 + nth + 1, (at + 3) * 2_654_435_761) >>> 24;
      return VOCABULARY[word % VOCABULARY.length] ?? "";
    });
    return { text: `${words.join(" ")} 東京 ${seed}.${nth}`, headings: [words[0] ?? ""] };
  });

test("words that are searched again are scored as FTS5 scores them, after changes too", async () => {
  const name = "repeated";
  const index = indexOf(name);
  const ask = async () => {
    const replies = [];
    for (const query of REPEATED) {
      const { chunks } = await index.search(requestFor(query, { vector: null }));
      replies.push(chunks.map(({ id, scores }) => ({ id, score: scores[0]?.lexical })));
    }
    return replies;
  };
  const changes = [
    () => write(index, "late", 1, passagesFor(900)),
    () => write(index, "3", 2, passagesFor(901)),
    () => index.remove([{ fileId: "file 5" as FileId, revision: 2 }]),
  ];
  for (let file = 0; file < 24; file++) await write(index, `${file}`, 1, passagesFor(file));
  let before = await ask();
  for (const change of changes) {
    // The second time words are read alone, the third time they are in memory.
    expect(await ask()).toEqual(before);
    expect(await ask()).toEqual(before);
    await change();
    const after = await ask();
    expect(after).not.toEqual(before);
    expect(await ask()).toEqual(after);
    await evictDurableObject(stubOf(name));
    before = await ask();
    expect(before).toEqual(after);
  }
});
