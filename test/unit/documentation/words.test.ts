import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Texts for people, and comments; the sample is fiction. */
const TEXTS = ["*.md", "docs/**/*.md", "src/cli/**/*.ts", "src/panel/**/*.{ts,tsx,css}"];
const SAMPLE = /^src\/cli\/sample\//;
/** Rooms whose errors, hints and descriptions people read; comments there are for engineers. */
const SPOKEN = "src/{access,catalog,documents,evaluation,http,protocols,sources}/**/*.ts";

/** Phrases that a native writer would not use, and what to write instead. */
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
  [/\bgo(?:es)? on\b/i, "continue"],
  [/\bbeneath\b/i, "in, or below"],
  [
    /\b(?:make (?:a|the)|made a) (?:RAG|file source|source|set|token|key|user)\b(?! equal)/i,
    "create",
  ],
  [/\bthe (?:RAG|source|set|token|key|user) is made\b/i, "is created"],
  [/\bmend\b/i, "repair, correct, or what to do"],
  [
    /(?:^|[.!?] |\| |- |\/\*\* |\* |\/\/ |[>"'`])Of (?:an?|the|several|two|all|its|every|each|what)\b/m,
    "the subject first",
  ],
];

/** A comment's or paragraph's lines as one text, so that a phrase may span two lines. */
const unwrap = (text: string) => text.replaceAll(/\n[ \t]*(?:\*|\/\/)? ?(?=[a-z])/g, " ");

/** The literals of several words, a line each, without the code's comments. */
const literals = (code: string) =>
  [
    ...code
      .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")
      .matchAll(/"[^"\n]* [^"\n]*"|`[^`]* [^`]*`/g),
  ]
    .map(([text]) => text)
    .join("\n");

function bannedIn(path: string, text: string): string[] {
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
  const banned = paths.flatMap((path) => bannedIn(path, unwrap(readFileSync(path, "utf8"))));
  expect(banned).toEqual([]);
});

test("errors, hints and the API reference have none of the banned phrases", () => {
  const paths = globSync(SPOKEN);
  const spoken = paths.map((path) => [path, literals(readFileSync(path, "utf8"))] as const);
  expect(spoken.filter(([, text]) => text !== "").length).toBeGreaterThan(100);
  expect(spoken.flatMap(([path, text]) => bannedIn(path, text))).toEqual([]);
});
