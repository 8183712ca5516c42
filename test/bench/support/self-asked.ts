import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { wordsOf } from "../../../src/text/words.ts";
import type { Page } from "./documentation.ts";

const MODULES = join(import.meta.dirname, "../../../node_modules");

/** What a document asks of itself; `file` answers, and no longer says it in these words. */
export type SelfAsked = { text: string; file: string; kind: string };

const HEADINGS_A_PAGE = 3;
const SENTENCES_A_PAGE = 3;
const OPTIONS_A_PAGE = 4;
const SENTENCE_WORDS = 8;
const DESCRIPTION_LONGEST = 200;
const KEYWORDS = 3;

const GENERIC = new RegExp(
  `^(?:${[
    "usage|install|installation|licen[sc]e|api|examples?|contributing|options|table of contents|toc",
    "see also|sponsors?|features|changelog|introduction|overview|docs|documentation|security",
    "support|credits|authors?|contributors|links|faq|tests?|testing|development|building",
    "description|synopsis|name|background|getting started|readme|community|notes?|parameters?",
    "returns?|arguments?|methods?|properties|instance methods|instance properties|quick start",
    "requirements",
  ].join("|")})$`,
  "i",
);
const HEADING = /^#{2,5} +(.+?) *#*$/gm;
const MARKS = /[`*_[]|\]\([^)]*\)|\]/g;
const FIRST_SENTENCE = /^[^.]{30,160}\.(?=\s|$)/;
const MANUAL_NAME = /\nNAME\n +([^\n]+)\n/;
const OPTION = /\n {3,8}(-[^\n]{1,40})\n {8,16}([A-Z][^]{30,200}?[.])(?=\s)/g;

/**
 * Questions that documents make of themselves: a package's description and keywords ask for its
 * README, headings and sentences for their page, a manual's options for the manual. What asks is
 * taken out of the document, so that other words must lead to it. The same each time.
 */
export function askThemselves(pages: Page[]): { pages: Page[]; questions: SelfAsked[] } {
  const questions: SelfAsked[] = [];
  const random = lehmer(7);
  const left = pages.map(({ path, text }) => {
    const ask = (kind: string, asked: string) => {
      if (wordsOf(asked).length >= 2) questions.push({ text: asked, file: path, kind });
    };
    const page = { path, text, name: nameOf(path), random, ask };
    if (path.startsWith("man/")) return { path, text: askManual(page) };
    const described = askPackage(page);
    const headed = askHeadings({ ...page, text: described });
    return { path, text: askSentences({ ...page, text: headed }) };
  });
  return { pages: left.filter(({ text }) => text.trim() !== ""), questions };
}

type Asking = Page & {
  name: string;
  random: () => number;
  ask: (kind: string, asked: string) => void;
};

function nameOf(path: string): string {
  const last =
    path
      .replace(/\/README\.md$/, "")
      .split("/")
      .at(-1) ?? "";
  return last.replace(/\.\d\.txt$|\.md$/, "");
}

function askPackage({ path, text, random, ask }: Asking): string {
  const file = join(MODULES, path.replace(/README\.md$/, "package.json"));
  if (!path.endsWith("/README.md") || !existsSync(file)) return text;
  const { description, keywords } = JSON.parse(readFileSync(file, "utf8")) as {
    description?: unknown;
    keywords?: unknown;
  };
  const words = Array.isArray(keywords) ? keywords.filter((one) => typeof one === "string") : [];
  if (words.length >= KEYWORDS) ask("keywords", pick(words, KEYWORDS, random).join(" "));
  if (typeof description !== "string" || description.length > DESCRIPTION_LONGEST) return text;
  const said = description.trim().replace(/\.$/, "");
  if (wordsOf(said).length < 3) return text;
  ask("description", said);
  return text.split(said).join("");
}

function askHeadings({ text, name, random, ask }: Asking): string {
  const headings = [...text.matchAll(HEADING)].filter(([, heading = ""]) => {
    const count = wordsOf(plain(heading)).length;
    return count >= 2 && count <= 9 && !GENERIC.test(plain(heading)) && !/\d\.\d/.test(heading);
  });
  let left = text;
  for (const [line, heading = ""] of pick(headings, HEADINGS_A_PAGE, random)) {
    left = left.replace(line, "");
    const says = plain(heading);
    const [how, named] = [random() < 0.4, random() < 0.5];
    ask("heading", `${how ? "How do I " : ""}${says}${named ? ` with ${name}` : ""}`);
  }
  return left;
}

function askSentences({ text, name, random, ask }: Asking): string {
  const paragraphs = text
    .split(/\n\s*\n/)
    .map((one) => FIRST_SENTENCE.exec(one.trim())?.[0] ?? "")
    .filter((one) => /^[A-Z]/.test(one) && !/[|<>]/.test(one));
  let left = text;
  for (const sentence of pick(paragraphs, SENTENCES_A_PAGE, random)) {
    left = left.replace(sentence, "");
    const words = plain(sentence).split(/\s+/);
    const from = Math.floor(random() * Math.max(1, words.length - SENTENCE_WORDS));
    const asked = words.slice(from, from + SENTENCE_WORDS).join(" ");
    ask("sentence", random() < 0.25 ? `${asked} ${name}` : asked);
  }
  return left;
}

function askManual(page: Asking): string {
  const [line = "", titled = ""] = MANUAL_NAME.exec(page.text) ?? [];
  const [, says] = titled.split(/ [-–—] /);
  if (says === undefined) return askOptions(page);
  page.ask("manual", says);
  return askOptions({ ...page, text: page.text.replace(line, "\n") });
}

function askOptions({ text, name, random, ask }: Asking): string {
  let left = text;
  for (const [, option = "", about = ""] of pick(
    [...text.matchAll(OPTION)],
    OPTIONS_A_PAGE,
    random,
  )) {
    if (random() < 0.3) {
      ask("option", `What does ${name} ${option.split(/[ ,=]/, 1).join("")} do?`);
      continue;
    }
    left = left.replace(about, "");
    const words = about.split(/\s+/).slice(0, SENTENCE_WORDS + 2);
    ask("option's text", [...(random() < 0.4 ? [name] : []), ...words].join(" "));
  }
  return left;
}

const plain = (text: string) => text.replace(MARKS, "").replace(/\s+/g, " ").trim();

function pick<Item>(from: Item[], most: number, random: () => number): Item[] {
  const left = [...from];
  const count = Math.min(most, left.length);
  return Array.from({ length: count }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}

/** The same numbers from 0 to 1 each time (Park and Miller, 1988). */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
