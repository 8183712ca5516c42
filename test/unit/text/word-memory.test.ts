import { expect, test } from "vitest";

import { WordMemory } from "../../../src/text/word-memory.ts";

function visited(memory: WordMemory<string>, text: string): string[] {
  const words: string[] = [];
  memory.visit(text, (word) => words.push(word));
  return words;
}

test("visits the words of a text in their order, in lower case, repeats included", () => {
  const memory = new WordMemory((word) => word);
  expect(visited(memory, "Retry, the RETRY-agent_2 (größe 東京)")).toEqual(
    "retry the retry agent 2 größe 東京".split(" "),
  );
  expect(visited(memory, "")).toEqual([]);
  expect(visited(memory, " .,")).toEqual([]);
  expect(visited(memory, "last")).toEqual(["last"]);
});

test("computes once what it remembers, and never takes one word for another", () => {
  let computed = 0;
  const memory = new WordMemory((word) => {
    computed++;
    return word;
  });
  const long = "x".repeat(100);
  expect(visited(memory, `one two one ${long}`)).toEqual(["one", "two", "one", long]);
  expect(visited(memory, `two ${long}`)).toEqual(["two", long]);
  // Long words are not remembered.
  expect(computed).toBe(4);
  const words = Array.from({ length: 80_000 }, (_, at) => at.toString(36));
  for (let round = 0; round < 2; round++) {
    expect(visited(memory, words.join(" ")).join(" ")).toBe(words.join(" "));
  }
});

test("words that were chosen to collide are told apart, and slow down no others", () => {
  const computed: string[] = [];
  const memory = new WordMemory((word) => {
    computed.push(word);
    return word;
  });
  // These have the same 32-bit hash, the first two the same length, too.
  const equal = ["declinate", "macallums", "costarring", "liquid", "altarage", "zinke"];
  expect(new Set(equal.map(hashOf)).size).toBe(3);
  const crowd = wordsOfOneSlot(100);
  const words = [...equal, ...crowd];
  expect(visited(memory, words.join(" "))).toEqual(words);
  const otherWords = ["a", "common", "text"];
  expect(visited(memory, otherWords.join(" "))).toEqual(otherWords);

  computed.length = 0;
  const sequence = [...otherWords, ...words.toReversed()];
  expect(visited(memory, sequence.join(" "))).toEqual(sequence);
  // Which words share a row of slots is bounded: those beyond are computed each time.
  expect(computed).toEqual(crowd.slice(64).toReversed());
});

/** FNV-1a of ASCII: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(word: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < word.length; at++) {
    hash = Math.imul(hash ^ (word.codePointAt(at) ?? 0), 0x01000193);
  }
  return hash;
}

function wordsOfOneSlot(count: number): string[] {
  const words: string[] = [];
  for (let at = 0; words.length < count; at++) {
    const word = at.toString(36);
    const hash = hashOf(word);
    if (((hash ^ (hash >>> 16)) & 0x1ffff) === 0x1234) words.push(word);
  }
  return words;
}
