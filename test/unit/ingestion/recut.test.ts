import { expect, test } from "vitest";

import { chunkDocument, chunkText } from "../../../src/documents/chunking/chunk-document.ts";
import { recut } from "../../../src/ingestion/rebuilds/recut.ts";
import { estimateTokens } from "../../../src/text/tokens.ts";

const LIVE = { chunkSize: 400, chunkOverlap: 60 };
const prose = (words: string) => `${words} of prose that goes on for a while. `.repeat(8);
const DOCUMENTS = {
  "short sections": Array.from(
    { length: 30 },
    (_, at) => `## Part ${at}\n\n${"A short one. ".repeat(12)}`,
  ),
  prose: Array.from({ length: 90 }, (_, at) => prose(`Sentence ${at}`)),
  notes: ["# Note\n\nA sentence or two about it."],
};

function sizes(markdown: string, settings: { chunkSize: number; chunkOverlap: number }) {
  const options = { ...settings, tokenizer: "unknown", fileName: "a.md" } as const;
  return chunkDocument(
    { markdown, title: null, language: null, pages: [], notes: [] },
    options,
  ).map((chunk) => estimateTokens(chunkText(markdown, chunk), "unknown"));
}

test.each(Object.entries(DOCUMENTS))("an estimate of %s is near what is cut", (name, blocks) => {
  const markdown = blocks.join("\n\n");
  const now = sizes(markdown, LIVE);
  for (const [chunkSize = 0, chunkOverlap = 0] of [
    [64, 0],
    [100, 50],
    [200, 60],
    [300, 60],
    [800, 60],
  ]) {
    const wanted = { chunkSize, chunkOverlap };
    const real = sizes(markdown, wanted);
    const told = recut(now, LIVE, wanted, 1 / now.length);
    const tokens = real.reduce((sum, size) => sum + size, 0);
    const off = [told.chunks / real.length, told.tokens / tokens].map((ratio) =>
      Math.abs(ratio - 1),
    );
    expect({ name, wanted, off: Math.max(...off) < 0.35 }).toEqual({ name, wanted, off: true });
  }
});
