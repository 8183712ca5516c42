import { globSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

/** Texts for people, and comments; the sample is fiction. */
const TEXTS = ["*.md", "docs/**/*.md"];
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
  return BANNED.flatMap(([phrase, instead]) => {
    const found = phrase.exec(text);
    if (found === null) return [];
    const around = text.slice(Math.max(0, found.index - 40), found.index + 60);
    return [`${path}: “${around.replaceAll("\n", " ")}” (write: ${instead})`];
  });
}

test("pages have none of the banned phrases", () => {
  const paths = globSync(TEXTS).filter((path) => !SAMPLE.test(path));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.flatMap(bannedIn)).toEqual([]);
});
