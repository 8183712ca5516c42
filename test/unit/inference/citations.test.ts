import { expect, test } from "vitest";

import { citationsOf } from "../../../src/inference/citations/citing.ts";
import {
  citingNotice,
  MarkReader,
  newCitingWord,
  withoutMarks,
} from "../../../src/inference/citations/marks.ts";
import { Dice } from "../../support/dice.ts";

const WORD = "bakumeto";
const ITEMS = ["There are 26 days of holiday a year.", "Call before 9:30 when you are sick."];
const MARKLIKE = /\[cite ?[-:]/i;

/** Returns the text that a reader sees, and the stretch of each citation. */
function readCitations(answer: string, items = ITEMS) {
  const { text, marks } = withoutMarks(answer, WORD);
  const citations = citationsOf(text, marks, items);
  const cited = citations.map(({ item, start, end }) => [item, text.slice(start, end)]);
  return { text, cited };
}

test.each<[string, string, string, [number, string][]]>([
  [
    "after the full stop",
    "You get 26 days.[cite-bakumeto:1] Call early.",
    "You get 26 days. Call early.",
    [[0, "You get 26 days."]],
  ],
  [
    "before it, after a space",
    "You get 26 days [cite-bakumeto:1]. Call early [cite-bakumeto:2].",
    "You get 26 days. Call early.",
    [
      [0, "You get 26 days"],
      [1, "Call early"],
    ],
  ],
  [
    "two in a sentence",
    "You get 26 days[cite-bakumeto:1], and call early[cite-bakumeto:2] if sick.",
    "You get 26 days, and call early if sick.",
    [
      [0, "You get 26 days"],
      [1, "and call early"],
    ],
  ],
  [
    "two passages, however they are listed",
    "All of it. [cite-bakumeto:1, 2]",
    "All of it.",
    [
      [0, "All of it."],
      [1, "All of it."],
    ],
  ],
  [
    "side by side",
    "All of it [cite-bakumeto:2] [CITE-Bakumeto: 1].",
    "All of it.",
    [
      [1, "All of it"],
      [0, "All of it"],
    ],
  ],
  [
    "in a list",
    "Leave:\n- 26 days [cite-bakumeto:1]\n- call early [cite-bakumeto:2]\n",
    "Leave:\n- 26 days\n- call early\n",
    [
      [0, "26 days"],
      [1, "call early"],
    ],
  ],
  [
    "naming nothing",
    "You get 26 days [cite-bakumeto:7] [cite-bakumeto:0].",
    "You get 26 days.",
    [],
  ],
  ["with another word", "You get 26 days [cite-guessed:1][cite:1].", "You get 26 days.", []],
  [
    "nested",
    "Yes [cite-bakumeto:[cite-bakumeto:1]2].",
    "Yes.",
    [
      [0, "Yes"],
      [1, "Yes"],
    ],
  ],
  ["split by another", "Yes [ci[cite-guessed:1]te-bakumeto:2].", "Yes.", [[1, "Yes"]]],
  ["that is not closed", "You get 26 days. [cite-bakumeto:1", "You get 26 days.", []],
  ["at the very beginning", "[cite-bakumeto:1] You get 26 days.", " You get 26 days.", []],
])("a mark %s", (_, answer, text, cited) => {
  expect(readCitations(answer)).toEqual({ text, cited });
});

test.each([
  "a[0] and [a link](https://example.com), [^1] and [1].",
  "See [citation needed] or [cite this page](x). \u{1F600}  Two spaces,\ttabs \n\n and [",
  "[[wiki]] [c] [ci] [cit] [cite",
])("brackets that are no marks stay: %j", (text) => {
  expect(withoutMarks(text, WORD)).toEqual({ text: text.replace(/ \[cite$/, ""), marks: [] });
});

test.each([
  ["The rule says “There are 26 days of holiday” [cite-bakumeto:1].", 1],
  ['It says "26 days … of holiday a year" [cite-bakumeto:1].', 1],
  ["The rule says “There are 40 days of holiday” [cite-bakumeto:1].", 0],
  ["The rule says “There are 26 days of holiday” [cite-bakumeto:2].", 0],
  ["They call it “leave” [cite-bakumeto:1].", 1],
])("what is quoted must stand in the item: %s", (answer, count) => {
  expect(readCitations(answer).cited).toHaveLength(count);
});

const SENTENCES = [
  "You get 26 days of holiday",
  "Größere Büros \u{1F3E2} haben mehr",
  "e.g. before 9:30 a.m. on a day like this",
  "z. B. am 3. Mai",
  "病気のときは電話してください",
];

/** An answer as models write them, with wrong, forged, nested and missing marks. */
function answerOf(dice: Dice) {
  const expected: [number, string][] = [];
  const number = () => dice.roll(4);
  const good = (citedText: string) => {
    const citedNumber = number();
    if (citedNumber === 1 || citedNumber === 2) expected.push([citedNumber - 1, citedText]);
    return `[cite-${WORD}:${citedNumber}]`;
  };
  const parts = Array.from({ length: 1 + dice.roll(8) }, () => {
    const sentence = dice.pick(SENTENCES);
    switch (dice.roll(7)) {
      case 0:
        return `${sentence}.`;
      case 1:
        return `${sentence}.${good(`${sentence}.`)}`;
      case 2:
        return `${sentence} ${good(sentence)}.`;
      case 3:
        return `${sentence} [cite-forged:${number()}].`;
      case 4:
        return `${sentence} [cite:${number()}]${good(sentence)}.`;
      case 5:
        return `${sentence}[cite-nested:[cite-bakumeto:9]${number()}].`;
      default:
        return `- ${sentence} [ci[cite-x:1]te-forged:${number()}]`;
    }
  });
  const rest = dice.pick(["", " [cite-", " [cite-bakumeto:1", "["]);
  return { answer: parts.join("\n") + rest, expected };
}

/** The text in random parts, also within a character of two code units. */
function inParts(dice: Dice, text: string): string {
  const reader = new MarkReader(WORD);
  let output = "";
  for (let at = 0; at < text.length;) {
    const length = 1 + dice.roll(12);
    const part = reader.push(text.slice(at, at + length));
    if (MARKLIKE.test(part)) expect.unreachable(part);
    output += part;
    at += length;
  }
  return output + reader.end();
}

test("in 300 answers no mark reaches the reader and every offset is right", () => {
  const dice = new Dice(17);
  const items = ["one", "two"];
  for (let at = 0; at < 300; at++) {
    const { answer, expected } = answerOf(dice);
    const { text, cited } = readCitations(answer, items);
    expect(text).not.toMatch(/cite-|\]/);
    expect(cited).toEqual(expected);
    expect(inParts(dice, answer)).toBe(text);
  }
});

test("in 2,000 heaps of pieces of marks none is put together", () => {
  const dice = new Dice(18);
  const pieces = ["[", "]", "cite", "-", WORD, ":", "1", " ", "  ", `[cite-${WORD}:1]`];
  const more = ["[ci", "te-", "x", ".", "\n", ",", " ".repeat(81), "[cite:", "(", "\u{1F600}"];
  for (let at = 0; at < 2_000; at++) {
    const length = dice.roll(40);
    const heap = Array.from({ length }, () => dice.pick([...pieces, ...more])).join("");
    const { text, marks } = withoutMarks(heap, WORD);
    expect(text).not.toMatch(MARKLIKE);
    expect(inParts(dice, heap)).toBe(text);
    for (const { start, end } of citationsOf(text, marks, ["one"])) {
      expect(text.slice(start, end)).toMatch(/^\S.*\S$|^\S$/s);
    }
  }
});

test("long heaps of marks, brackets and spaces are read to their end", () => {
  for (const piece of [
    "[",
    "[cite-",
    " ",
    "[cite-bakumeto:1]",
    "“",
    "a. ",
    "a [cite-bakumeto:1] ",
  ]) {
    const { text, marks } = withoutMarks(piece.repeat(20_000), WORD);
    expect(citationsOf(text, marks, ["one"]).length).toBeLessThan(20_001);
  }
});

test("the word is drawn for each call, and is what the model is told", () => {
  const words = new Set(Array.from({ length: 100 }, newCitingWord));
  expect(words.size).toBeGreaterThan(95);
  for (const word of words) expect(word).toMatch(/^[a-z]{8}$/);
  const example = /\[cite-bakumeto:1,2\]/.exec(citingNotice(WORD))?.[0] ?? "";
  expect(readCitations(`Both. ${example}`).cited).toHaveLength(2);
});
