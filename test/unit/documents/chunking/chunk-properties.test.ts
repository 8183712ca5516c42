import * as fc from "fast-check";
import { expect, it } from "vitest";

import { estimateTokens, type Tokenizer } from "../../../../src/text/tokens.ts";
import { cutDocument } from "../../../support/cut-document.ts";
import { SEED } from "../../../support/seed.ts";

const word = fc.constantFrom(
  ..."pump valve pressure Größe сотрудник 安全規則 データ ความปลอดภัย 4,120.50 e.g. https://example.com/a?b=c#d don’t 🚒 supercalifragilisticexpialidocious".split(
    " ",
  ),
);
const sentence = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 14 }),
    fc.constantFrom(".", "!", "?", "。", ";", ""),
  )
  .map(([words, end]) => words.join(" ") + end);
const paragraph = fc
  .array(sentence, { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(" "));
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), sentence)
  .map(([level, text]) => `${"#".repeat(level)} ${text}`);
const list = fc
  .array(sentence, { minLength: 1, maxLength: 12 })
  .map((items) => items.map((item) => `- ${item}`).join("\n"));
const code = fc
  .array(sentence, { minLength: 1, maxLength: 20 })
  .map((lines) => ["```", ...lines, "```"].join("\n"));
const table = fc
  .array(fc.tuple(word, word, word), { minLength: 1, maxLength: 25 })
  .map((rows) =>
    ["| a | b | c |", "| --- | --- | --- |", ...rows.map((row) => `| ${row.join(" | ")} |`)].join(
      "\n",
    ),
  );
const unbroken = fc.integer({ min: 1, max: 3_000 }).map((length) => "x".repeat(length));
const block = fc.oneof(
  paragraph,
  heading,
  list,
  code,
  table,
  unbroken,
  fc.string({ maxLength: 200 }),
);
const markdown = fc
  .array(fc.tuple(block, fc.constantFrom("\n", "\n\n", "\n\n\n")), { maxLength: 20 })
  .map((blocks) => blocks.flat().join(""));
const size = fc.integer({ min: 20, max: 500 });
const overlaps = fc.integer({ min: 0, max: 80 });

const tokenizer = fc.constantFrom<Tokenizer[]>(
  "o200k",
  "cl100k",
  "llama-3",
  "qwen",
  "xlm-roberta",
  "bert",
  "unknown",
);

const chunksOf = (
  text: string,
  chunkSize: number,
  chunkOverlap: number,
  countedBy: Tokenizer = "unknown",
) =>
  cutDocument(
    { markdown: text, title: null, language: null, pages: [], notes: [] },
    { chunkSize, chunkOverlap, tokenizer: countedBy, fileName: "document.md" },
  );

it("without overlap, chunks follow each other with only white space between", () => {
  fc.assert(
    fc.property(markdown, size, (text, chunkSize) => {
      let at = 0;
      for (const chunk of chunksOf(text, chunkSize, 0)) {
        expect(text.slice(at, chunk.start).trim()).toBe("");
        expect(chunk.text.endsWith(text.slice(chunk.start, chunk.end))).toBe(true);
        at = chunk.end;
      }
      expect(text.slice(at).trim()).toBe("");
    }),
    { seed: SEED },
  );
});

it("no chunk is over its limit, with any overlap, and none is empty", () => {
  fc.assert(
    fc.property(markdown, size, overlaps, tokenizer, (text, chunkSize, overlap, countedBy) => {
      for (const chunk of chunksOf(text, chunkSize, overlap, countedBy)) {
        expect(estimateTokens(chunk.text, countedBy)).toBeLessThanOrEqual(chunkSize);
        expect(chunk.text.trim()).not.toBe("");
        expect(chunk.embeddedText.endsWith(chunk.text)).toBe(true);
      }
    }),
    { numRuns: 300, seed: SEED },
  );
});

it("with overlap nothing is lost either, and starts and ends only grow", () => {
  fc.assert(
    fc.property(markdown, size, fc.integer({ min: 1, max: 80 }), (text, chunkSize, overlap) => {
      let at = 0;
      let start = -1;
      for (const chunk of chunksOf(text, chunkSize, overlap)) {
        if (chunk.start > at) expect(text.slice(at, chunk.start).trim()).toBe("");
        expect(chunk.start).toBeGreaterThan(start);
        expect(chunk.end).toBeGreaterThan(at);
        ({ start } = chunk);
        at = chunk.end;
      }
      expect(text.slice(at).trim()).toBe("");
    }),
    { seed: SEED },
  );
});

it("the same input gives the same chunks, numbered in order", () => {
  fc.assert(
    fc.property(markdown, size, (text, chunkSize) => {
      const chunks = chunksOf(text, chunkSize, 40);
      expect(chunksOf(text, chunkSize, 40)).toEqual(chunks);
      expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_chunk, at) => at));
    }),
    { numRuns: 50, seed: SEED },
  );
});
