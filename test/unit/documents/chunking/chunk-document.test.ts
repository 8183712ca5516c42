import { describe, expect, it } from "vitest";

import { chunkDocument } from "../../../../src/documents/chunking/chunk-document.ts";
import type { ExtractedDocument } from "../../../../src/documents/extract-document.ts";
import { estimateTokens, type Tokenizer } from "../../../../src/text/tokens.ts";
import { cutDocument } from "../../../support/cut-document.ts";

const SENTENCE = "The night shift checks every pump and notes the pressure in the log. ";

function documentOf(markdown: string, more: Partial<ExtractedDocument> = {}): ExtractedDocument {
  return { markdown, title: null, language: null, pages: [], notes: [], ...more };
}

const settings = (
  chunkSize: number,
  chunkOverlap = 0,
  fileName = "10023.txt",
  tokenizer: Tokenizer = "unknown",
) => ({ chunkSize, chunkOverlap, fileName, tokenizer });

describe("headings", () => {
  it("never joins what stands under different top headings", () => {
    const markdown = "# Pumps\n\nSmall.\n\n# Valves\n\nSmall too.\n";
    const chunks = cutDocument(documentOf(markdown), settings(400));
    expect(chunks.map(({ text }) => text)).toEqual(["# Pumps\n\nSmall.", "# Valves\n\nSmall too."]);
    expect(chunks.map(({ headings }) => headings)).toEqual([["Pumps"], ["Valves"]]);
  });

  it("joins small sections under one heading, and names only what holds for all", () => {
    const section = (name: string) => `## ${name}\n\n${SENTENCE.repeat(4)}\n\n`;
    const markdown = `# Manual\n\n${["A", "B", "C", "D", "E", "F", "G", "H"].map(section).join("")}`;
    const chunks = cutDocument(documentOf(markdown), settings(300));
    expect(chunks.length).toBeLessThan(5);
    for (const { text, headings } of chunks) {
      expect(estimateTokens(text, "unknown")).toBeGreaterThan(120);
      expect(headings).toEqual(["Manual"]);
    }
  });

  it("tells each passage's language, of too short ones that of the document", () => {
    const markdown = `# Pumpen\n\nP-7: 14 bar\n\n# Pumps\n\n${SENTENCE}\n`;
    const chunks = cutDocument(documentOf(markdown, { language: "de" }), settings(400));
    expect(chunks.map(({ languages }) => languages)).toEqual(["de", "en"]);
  });

  it("keeps a short document whole", () => {
    const markdown = `A note.\n\n# Title\n\n${SENTENCE}\n\n## Part\n\n- one\n- two\n`;
    expect(cutDocument(documentOf(markdown), settings(400))).toHaveLength(1);
  });

  it("makes no chunk of a heading with nothing under it", () => {
    const markdown = `# Doors\n\n# Hinges\n\n${SENTENCE}\n\n## Kinds\n\n# Locks\n\n${SENTENCE}`;
    const chunks = cutDocument(documentOf(markdown), settings(40));
    expect(chunks.map(({ text }) => text.match(/^#+ \w+/gm))).toEqual([
      ["# Doors", "# Hinges", "## Kinds"],
      ["# Locks"],
    ]);
    expect(chunks.map(({ headings }) => headings)).toEqual([["Hinges"], ["Locks"]]);
  });

  it("takes successive lines that begin with a number sign for comments", () => {
    const comments = "# Oil all hinges.\n#\n# Then lock them.\n";
    const markdown = `${comments}door 1\n\n${comments}door 2\n`;
    const [chunk, ...rest] = cutDocument(documentOf(markdown), settings(400));
    expect(rest).toEqual([]);
    expect(chunk).toMatchObject({ text: markdown.trim(), headings: [] });
  });

  it("carries the title and the headings into the embedded text, not into the text", () => {
    const markdown = `# Manual\n\n## Care\n\n### Oil\n\n${SENTENCE.repeat(30)}`;
    const chunks = cutDocument(documentOf(markdown, { title: "Press P-7" }), settings(120));
    const second = chunks[1];
    expect(second?.text.startsWith("The night shift")).toBe(true);
    expect(second?.embeddedText).toBe(`Press P-7 > Manual > Care > Oil\n\n${second?.text}`);
    expect(second?.headings).toEqual(["Press P-7", "Manual", "Care", "Oil"]);
  });

  it("takes a readable file name for a title where there is none", () => {
    const [chunk] = cutDocument(
      documentOf("Just text."),
      settings(400, 0, "hr/travel-policy_2025.txt"),
    );
    expect(chunk).toMatchObject({ headings: ["travel policy 2025"], isNamed: true });
    const [unnamed] = cutDocument(documentOf("Just text."), settings(400, 0, "hr/10023.txt"));
    expect(unnamed?.headings).toEqual([]);
    const [titled] = cutDocument(documentOf("# Policy\n\nText."), settings(400, 0, "policy.md"));
    expect([titled?.headings, titled?.isNamed]).toEqual([["Policy"], undefined]);
  });
});

describe("structure", () => {
  it.each([150, 30])("splits tables by rows, with their header, into passages of %i", (size) => {
    const rows = Array.from(
      { length: 60 },
      (_unused, at) => `| P-${at} | pump number ${at} | ok |`,
    );
    const markdown = `Stock:\n\n| Id | Name | State |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
    const chunks = cutDocument(documentOf(markdown), settings(size));
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text, start, end } of chunks.slice(1)) {
      expect(text.startsWith("| Id | Name | State |\n| --- | --- | --- |\n| P-")).toBe(true);
      expect(text.endsWith(markdown.slice(start, end))).toBe(true);
      expect(text.endsWith("| ok |")).toBe(true);
    }
  });

  it("keeps code whole where it fits", () => {
    const code = `\`\`\`ts\n${"const pressure = read();\n".repeat(12)}\`\`\``;
    const markdown = `${SENTENCE.repeat(14)}\n\n${code}\n\n${SENTENCE.repeat(14)}`;
    const chunks = cutDocument(documentOf(markdown), settings(220));
    expect(chunks.filter(({ text }) => text.includes(code))).toHaveLength(1);
  });

  it("keeps code, and a paragraph more, with the item that they belong to", () => {
    const items = Array.from(
      { length: 12 },
      (_unused, at) =>
        `${at}. ${SENTENCE}\n\n  It takes a while. Then run:\n\n\`\`\`\npump --number ${at} --slowly\n\`\`\`\n\n`,
    );
    const chunks = cutDocument(documentOf(items.join("")), settings(90));
    expect(chunks.length).toBeGreaterThan(4);
    for (const { text } of chunks) {
      expect(text).toMatch(/^\d+\. The night/);
      expect(text).toMatch(/pump --number \d+ --slowly\n```$/);
    }
  });

  it("keeps a list with its lead-in, and names the lead-in where the list goes on", () => {
    const items = Array.from({ length: 40 }, (_unused, at) => `- Close valve number ${at} slowly.`);
    const markdown = `${SENTENCE.repeat(9)}\n\nBefore you start:\n\n${items.join("\n")}\n`;
    const chunks = cutDocument(documentOf(markdown), settings(160));
    const lead = chunks.findIndex(({ text }) => text.includes("Before you start:"));
    expect(chunks[lead]?.text).toContain("Before you start:\n\n- Close valve number 0");
    expect(chunks[lead + 1]?.embeddedText).toContain("Before you start:\n\n- Close valve");
    expect(chunks[lead + 1]?.text).not.toContain("Before you start:");
  });

  it("splits languages without spaces at the ends of sentences or words", () => {
    const markdown = "倉庫に入る従業員は全員、安全靴を着用しなければなりません。".repeat(30);
    const chunks = cutDocument(documentOf(markdown), settings(100));
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text } of chunks) expect(text.endsWith("なりません。")).toBe(true);
    const thai = cutDocument(documentOf("พนักงานทุกคนต้องสวมรองเท้านิรภัย".repeat(40)), settings(60));
    for (const { text } of thai) expect(text).not.toMatch(/^[\u0e30-\u0e3a\u0e47-\u0e4e]/);
  });

  it("does not take the end of an abbreviation for the end of a sentence", () => {
    const markdown = "Ask Dr. Miller or e.g. Prof. Okoye about the pump. ".repeat(40);
    const chunks = cutDocument(documentOf(markdown), settings(60));
    for (const { text } of chunks) expect(text).toMatch(/^Ask Dr\. Miller[^]*pump\.$/);
  });
});

describe("places", () => {
  it("knows the page on which a chunk begins", () => {
    const first = `${SENTENCE.repeat(12)}\n\n`;
    const markdown = first + SENTENCE.repeat(12);
    const pages = [
      { page: 4, start: 0 },
      { page: 5, start: first.length },
    ];
    const chunks = cutDocument(documentOf(markdown, { pages }), settings(180));
    expect(chunks.map(({ page }) => page)).toEqual([4, 5]);
  });

  it("repeats whole sentences of the chunk before, within the overlap", () => {
    const markdown = Array.from(
      { length: 60 },
      (_unused, at) => `Sentence number ${at} is here.`,
    ).join(" ");
    const chunks = cutDocument(documentOf(markdown), settings(100, 20));
    for (const [at, chunk] of chunks.entries()) {
      expect(chunk.text).toBe(markdown.slice(chunk.start, chunk.end));
      const previous = chunks[at - 1];
      if (previous === undefined) continue;
      const repeated = markdown.slice(chunk.start, previous.end);
      expect(repeated).toMatch(/^Sentence[^]*here\.$/);
      expect(estimateTokens(repeated, "unknown")).toBeLessThanOrEqual(20);
    }
  });
});

/** Each of these took minutes: the work grew with the square of what two chunks hold. */
describe("work that only grows with the document", () => {
  it("cuts code of few words and very many blank lines", () => {
    const lines = Array.from({ length: 200 }, (_unused, at) => `pressure_${at} = read(${at})\n`);
    const markdown = `\`\`\`python\n${lines.join("\n".repeat(200))}\`\`\`\n`;
    const chunks = cutDocument(documentOf(markdown), settings(400));
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) expect(text).toMatch(/^[`p][^]*[)`]$/);
    expect(chunks.map(({ text }) => text.match(/\S+ = \S+/g)?.length ?? 0)).toEqual(
      chunks.map(({ text }) => text.split("=").length - 1),
    );
    expect(chunks.flatMap(({ text }) => text.match(/pressure_/g)).length).toBe(lines.length);
  });

  it("cuts one word a line into chunks of thousands of lines", () => {
    const names = ["valve", "pump", "press", "hose", "seal", "rotor", "gauge"];
    const words = Array.from({ length: 6_000 }, (_unused, at) => names[at % 7]);
    const chunks = cutDocument(documentOf(words.join("\n")), settings(4_000));
    expect(chunks.map(({ text }) => text).join("\n")).toBe(words.join("\n"));
    for (const { text } of chunks.slice(0, -1)) {
      expect(estimateTokens(text, "unknown")).toBeGreaterThan(3_000);
    }
  });

  it("joins lines of nothing but spaces, however long, with what stands before", () => {
    const blank = `${" ".repeat(1_001)}\n`.repeat(9_000);
    const markdown = `${SENTENCE}\n${blank}${SENTENCE.repeat(9)}`;
    const chunks = cutDocument(documentOf(markdown), settings(60));
    expect(chunks.map(({ text }) => text.split("shift").length - 1)).toEqual([4, 3, 3]);
    expect(chunks[0]?.text).toContain(blank);
  });

  it.each([
    ["a heading that spaces divide", `# a${" ".repeat(990)}b\u2028c`],
    ["a heading of brackets", `# ${"[".repeat(990)}`],
    ["a table whose rule is spaces", `|\n${" ".repeat(990)}x|`],
  ])("tells %s from others at once", (_what, line) => {
    const markdown = `${line}\n\n`.repeat(2_000);
    expect(cutDocument(documentOf(markdown), settings(400)).length).toBeGreaterThan(1);
  });

  it("refuses a document of nothing but top sections, each of which would be a chunk", () => {
    expect(() => chunkDocument(documentOf("# a\nb\n".repeat(100_001)), settings(1))).toThrow(
      "document has more than 100000 passages; split it into several, or choose longer passages",
    );
  });
});

it.each([
  ["# Oil #", "Oil"],
  ["## Oil ##  ", "Oil"],
  ["# C#", "C#"],
  ["# a # b", "a # b"],
  ["#\tOil", "Oil"],
  ["# [Oil (old)](https://x.test/a(b)) `P-7`", "Oil (old) P-7"],
  ["# [![Logo](a.png)](https://x.test) Oil", "Oil"],
  ["# Oil [![Build](a.svg)](https://x.test) [![npm][badge]][package]", "Oil"],
  ["# ![Oil pump](a.png)", "Oil pump"],
  ['# <img src="a.png" alt="Oil pump" width="86">', "Oil pump"],
  ['# <a name="oil"></a>Oil <sup>[![npm][badge]][package]</sup>', "Oil"],
  ["# [Oil][guide] of rows[a][b]", "Oil of rows[a][b]"],
  ["# `Oil<a>` and <T>", "Oil<a> and <T>"],
  ["# **Oil *and* `a*b*c`** *of* HLA-A*01 and B*07", "Oil and a*b*c of HLA-A*01 and B*07"],
  ["# \\*Oil\\*", "*Oil*"],
])("%s is the heading %s", (line, heading) => {
  const [chunk] = cutDocument(documentOf(`${line}\n\n${SENTENCE}`), settings(400));
  expect(chunk?.headings).toEqual([heading]);
});
