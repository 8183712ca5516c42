import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Beginnings } from "../../../src/retrieval/beginnings.ts";
import { readSentences } from "../../../src/retrieval/read-sentences.ts";
import { stemOf } from "../../../src/text/stems.ts";
import { codeWordParts, searchWordsOf } from "../../../src/text/words.ts";
import { SEED } from "../../support/seed.ts";

const SENTENCE_END = /[.!?:]\s+|\n[ \t]*\n|\n[ \t]*[-*] /;

/** The words of each sentence that have one of these stems; `+` before one that follows another. */
function read(text: string, stems: string[]): string[][] {
  const sentences: string[][] = [];
  let sentence: string[] = [];
  let before = false;
  readSentences(text, {
    beginnings: new Beginnings(stems),
    word(word, follows) {
      const isAsked = stems.includes(stemOf(word));
      if (isAsked) sentence.push(follows && before ? `+${word}` : word);
      before = isAsked;
    },
    parts: (words) => sentence.push(...words.map((word) => `part ${word}`)),
    end() {
      if (sentence.length > 0) sentences.push(sentence);
      sentence = [];
    },
  });
  return sentences;
}

/** The same with all words of each sentence cut, one after the other. */
function expected(text: string, stems: string[]): string[][] {
  let before = false;
  return text
    .split(SENTENCE_END)
    .map((sentence) => {
      const words = searchWordsOf(sentence);
      if (words.length === 0) before = false;
      const told = words.flatMap((word) => {
        const isAsked = stems.includes(stemOf(word));
        const one = isAsked ? [before ? `+${word}` : word] : [];
        before = isAsked;
        return one;
      });
      return told.concat(codeWordParts(sentence).map((word) => `part ${word}`));
    })
    .filter((sentence) => sentence.length > 0);
}

const PIECES = [
  ["retry", "Retries", "retrying", "RetryAgent", "sky", "skies", "generalization", "general"],
  ["a", "x1", "naïve", "Über", "東京の", "β", "“", "”", "–", ". ", ".", ":\n", "! ", "?\t"],
  [" ", "\n", "\n\n", "\n \t\n", "\n- ", "\n  * ", "-", "*", "9", "ﬁ", "mRNA", ",", "dying"],
].flat();
const STEMS = ["retry", "skies", "generalization", "a", "x1", "naïve", "東京", "9", "dying"].map(
  stemOf,
);

test("words, their neighbours and sentences are those of cutting every word", () => {
  const stems = fc.subarray(STEMS);
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text, stems, (text, stems) => {
      expect(read(text, stems)).toEqual(expected(text, stems));
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("a point in a word ends no sentence; a stem may end in another letter", () => {
  expect(read("retry.retry. Retry", ["retri"])).toEqual([["retry", "+retry"], ["+retry"]]);
  expect(read("A body of bodies", ["bodi"])).toEqual([["body", "bodies"]]);
});

test("a text is read to its end at the most, whatever was read before", () => {
  expect(read("retry ".repeat(1_300), ["retri"]).flat()).toHaveLength(1_300);
  expect(read("re", ["retri"])).toEqual([]);
  expect(read("x.\u00a0Retry", ["retri"])).toEqual([["retry"]]);
});
