import { globSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

/** Texts for people, and comments; the sample is fiction. */
const TEXTS = ["*.md", "docs/**/*.md", "src/cli/**/*.ts", "src/panel/**/*.{ts,tsx,css}"];
const SAMPLE = /^src\/cli\/sample\//;

/** What a native writer would not write, and what to write instead. */
const BANNED: [phrase: RegExp, instead: string][] = [
  [/\banew\b/i, "again"],
  [/\ball the same\b/i, "still, or nothing"],
  [/\bso it is\b/i, "a whole sentence"],
  [/\b(?:is|are|was|were|be|been) told\b/i, "who says it"],
  [/\bat the least\b/i, "at least"],
  [/\bbesides\b(?! ?[=(.,:])/i, "also"],
  [/\bbeside (?=[a-z])/i, "next to, with"],
  [/\bof itself\b/i, "its, or nothing"],
  [/\bwhat is asked\b/i, "the question"],
  [/\bfor whoever\b/i, "for people who"],
  [
    /(?:^|[.!?] |\| |- |\/\*\* |\* |\/\/ |[>"'`])Of (?:an?|the|several|two|all|its|every|each|what)\b/m,
    "the subject first",
  ],
];

/** A comment's or paragraph's lines as one text, so that a phrase may span two lines. */
const joined = (text: string) => text.replaceAll(/\n[ \t]*(?:\*|\/\/)? ?(?=[a-z])/g, " ");

function bannedIn(path: string): string[] {
  const text = joined(readFileSync(path, "utf8"));
  return BANNED.flatMap(([phrase, instead]) =>
    [...text.matchAll(new RegExp(phrase, `g${phrase.flags}`))].map(({ index }) => {
      const around = text.slice(Math.max(0, index - 40), index + 60).replaceAll("\n", " ");
      return `${path}: “${around}” (write: ${instead})`;
    }),
  );
}

test("pages, panel and command line have none of the banned phrases", () => {
  const paths = globSync(TEXTS).filter((path) => !SAMPLE.test(path));
  expect(paths.length).toBeGreaterThan(200);
  expect(paths.flatMap(bannedIn)).toEqual([]);
});
