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
  const words = Array.from({ length: 40_000 }, (_, at) => at.toString(36));
  for (let round = 0; round < 2; round++) {
    expect(visited(memory, words.join(" ")).join(" ")).toBe(words.join(" "));
  }
});
