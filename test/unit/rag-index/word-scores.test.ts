import { expect, test } from "vitest";

import { WordScores } from "../../../src/rag-index/search/word-scores.ts";

/** Postings of each word; about 1.2 MB, so that six words fit into the memory of one object. */
const POSTINGS = 100_000;
const RANKS = Array.from({ length: POSTINGS }, (_, chunk): [number, number] => [chunk, -1]);

/** An index that counts how often FTS5 is asked for a word. */
function countedIndex() {
  const readMatches: string[] = [];
  const scores = new WordScores((match) => {
    readMatches.push(match);
    return RANKS;
  });
  const askAll = (terms: [word: string, postings: number][]) => {
    readMatches.length = 0;
    const sums = scores.scoreTerms(
      terms.map(([word, postings]) => ({ word, postings, weight: 1 })),
    );
    return { isAnswered: sums !== null, reads: readMatches.length };
  };
  return { scores, askAll, ask: (word: string) => askAll([[word, 1]]) };
}

const words = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);

const FROM_MEMORY = { isAnswered: true, reads: 0 };
const READ = { isAnswered: true, reads: 1 };
const LEFT_TO_FTS5 = { isAnswered: false, reads: 0 };

test("an object keeps the words asked last, and no very long one", () => {
  const { scores, ask } = countedIndex();
  for (const word of words("boiler", 20)) expect(ask(word)).toEqual(READ);
  expect(ask("boiler19")).toEqual(FROM_MEMORY);
  expect(ask("boiler16")).toEqual(FROM_MEMORY);
  expect(ask("boiler0")).toEqual(READ);
  expect(ask("b".repeat(65))).toEqual(LEFT_TO_FTS5);
  scores.forget();
});

test("an object that is refused more keeps what it has", () => {
  const [large, growing, third, fourth] = [
    countedIndex(),
    countedIndex(),
    countedIndex(),
    countedIndex(),
  ];
  for (const word of words("a", 8)) large.ask(word);
  for (const word of words("b", 3)) growing.ask(word);
  for (const word of words("c", 3)) third.ask(word);
  // Sixteen MiB are given away.
  expect(fourth.ask("d")).toEqual(READ);
  expect(fourth.ask("d")).toEqual(LEFT_TO_FTS5);
  expect(growing.ask("b3")).toEqual(READ);
  expect(growing.ask("b4")).toEqual(READ);
  expect(growing.ask("b3")).toEqual(FROM_MEMORY);
  expect(growing.ask("b4")).toEqual(FROM_MEMORY);
  expect(large.ask("a7")).toEqual(FROM_MEMORY);
  large.scores.forget();
  for (let search = 0; search < 64; search++) growing.ask("b3");
  for (const word of words("b", 6)) growing.ask(word);
  expect(words("b", 6).map((word) => growing.ask(word).reads)).toEqual([0, 0, 0, 0, 0, 0]);
  for (const { scores } of [growing, third, fourth]) scores.forget();
});

test("a new word is read alone where most of its query is known, or it is rare", () => {
  const { scores, ask, askAll } = countedIndex();
  ask("boiler");
  expect(
    askAll([
      ["boiler", 3_000],
      ["water", 2_000],
    ]),
  ).toEqual(READ);
  expect(
    askAll([
      ["boiler", 3_000],
      ["plant", 9_900],
    ]),
  ).toEqual(LEFT_TO_FTS5);
  // Asked again, it is worth its reading.
  expect(askAll([["plant", 9_900]])).toEqual(READ);
  expect(
    askAll([
      ["plant", 9_900],
      ["water", 2_000],
      ["unit", 200],
    ]),
  ).toEqual(READ);
  // How much a prefix would read is unknown, and has no bound.
  for (let search = 0; search < 3; search++) {
    expect(
      askAll([
        ["東", 1],
        ["boiler", 3_000],
      ]),
    ).toEqual(LEFT_TO_FTS5);
  }
  scores.forget();
});
