import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { toBatches } from "../../src/core/work/batches.ts";
import { searchWordsOf } from "../../src/text/words.ts";
import { askable, flat, gatherDocumentation, readQuestions } from "./support/documentation.ts";
import type { Page, Question } from "./support/documentation.ts";
import { ask, pushFiles, startService } from "./support/fresh-service.ts";
import type { BenchRag, Service } from "./support/fresh-service.ts";

const MEASURED = ["first", "second"];
/** `training`: asked only by name; weights may be learned from it. */
const SETS = [...MEASURED, "training"];
const PIECE_WORDS = 100;
const CHUNKS = 50;
/** `--mixed`: one RAG after the other is searched in these. */
const MODES = ["hybrid", "semantic"] as const;
/** The embedded model's answer where no passage answers. */
const NOT_SAID = "The documents do not seem to say.";
/** … and before what is only the closest. */
const NOT_OUTRIGHT = "The documents do not say it outright";

/** Files in the order in which a search names them, each once. */
type Search = (question: string) => string[] | Promise<string[]>;

/**
 * Ordinary questions over documentation that everybody has who installed this project: where the
 * file that answers stands, with the embedded models and with FTS5 alone, and how often the
 * embedded model answers or rightly says that nothing does. `first`, `second` or `training` asks
 * one set; `--missed` lists what was not found first, `--answers` prints the answers. `--rags=5`
 * splits the documents into as many RAGs, which `--mixed` searches in different modes.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const pages = gatherDocumentation();
  const parts = partsOf(pages, args);
  const selection = SETS.filter((name) => args.includes(name));
  const sets = selection.length > 0 ? selection : MEASURED;
  const { service, stop } = await startService(parts.map(({ rag }) => rag));
  try {
    for (const { rag, pages: own } of parts) await pushFiles(service, rag.name, own);
    const alone = fts5Alone(pages);
    const rows: Record<string, unknown>[] = [];
    for (const name of sets) {
      const file = join(import.meta.dirname, "questions", `${name}.txt`);
      const [questions, wrong] = askable(readQuestions(file), pages);
      for (const line of wrong) console.error(`not asked: ${line}`);
      const ours = await ranks(questions, (text) => retrieve(service, text), args);
      rows.push({ set: name, search: "FTS5 alone", ...summary(await ranks(questions, alone, [])) });
      const answers = parts.length > 1 ? {} : await answered(service, questions, args);
      rows.push({ set: name, search: "embedded models", ...summary(ours), ...answers });
    }
    console.table(rows);
    return { documents: pages.length, rows };
  } finally {
    await stop();
  }
}

type Part = { rag: BenchRag; pages: Page[] };

/** Neighbours in order of path stay together, so that RAGs differ in what their words are worth. */
function partsOf(pages: Page[], args: string[]): Part[] {
  const count = Number(args.find((arg) => arg.startsWith("--rags="))?.split("=")[1] ?? 1);
  const sorted = pages.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return toBatches(sorted, Math.ceil(pages.length / count)).map((own, at) => ({
    rag: {
      name: count === 1 ? "bench" : `bench-${at}`,
      ...(args.includes("--mixed") ? { searchMode: MODES[at % MODES.length] ?? "hybrid" } : {}),
    },
    pages: own,
  }));
}

/** An inference searches all of its RAGs. */
async function retrieve(service: Service, text: string): Promise<string[]> {
  const search = { semanticSearch: [text], topK: CHUNKS, useAllFiles: true };
  const body = { prompt: text, ...search, includeSources: true };
  const { items } = await ask<Run>(service, "inferences/bench", body);
  return items.map(({ source }) => source.filePath);
}

/** The plainest search there is: pieces of 100 words, the path as their title. */
function fts5Alone(pages: Page[]): Search {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE pieces USING fts5(title, text, tokenize = 'porter')");
  const add = database.prepare("INSERT INTO pieces (title, text) VALUES (?, ?)");
  for (const { path, text } of pages) {
    const words = text.split(/\s+/);
    for (let at = 0; at < words.length; at += PIECE_WORDS) {
      add.run(path, words.slice(at, at + PIECE_WORDS).join(" "));
    }
  }
  const find = database.prepare(
    "SELECT title FROM pieces WHERE pieces MATCH ? ORDER BY bm25(pieces) LIMIT ?",
  );
  return (question) => {
    const words = searchWordsOf(question).map((word) => `"${word}"`);
    return find.all(words.join(" OR "), CHUNKS).map(({ title }) => String(title));
  };
}

type Rank = { question: Question; rank: number };

/** Where the first file that answers stands, from 1; infinite where it was not found. */
async function ranks(questions: Question[], search: Search, args: string[]): Promise<Rank[]> {
  const results: Rank[] = [];
  for (const question of questions.filter(({ kind }) => kind !== "none")) {
    const files = [...new Set(await search(question.text))];
    const at = files.findIndex((file) => question.files.includes(file));
    results.push({ question, rank: at === -1 ? Infinity : at + 1 });
    if (at !== 0 && args.includes("--missed")) {
      console.error(`${at + 1}: ${question.text} → ${files.slice(0, 3).join(", ")}`);
    }
  }
  return results;
}

const percent = (part: number, total: number) => Math.round((1_000 * part) / total) / 10;

function summary(results: Rank[]) {
  const within = (subset: Rank[], most: number) =>
    percent(subset.filter(({ rank }) => rank <= most).length, subset.length);
  const otherWords = results.filter(({ question }) => question.kind === "other");
  const reciprocal = results.reduce((sum, { rank }) => sum + 1 / rank, 0);
  return {
    questions: results.length,
    hitAt1: within(results, 1),
    hitAt3: within(results, 3),
    mrr: Math.round((1_000 * reciprocal) / results.length) / 1_000,
    otherWordsAt3: within(otherWords, 3),
  };
}

type Run = { response: { text: string }[]; items: { source: { filePath: string } }[] };

const passageOf = ({ passage }: Question, text: string) =>
  flat(text).includes(flat(passage)) ? "right" : "otherPassage";

/**
 * How often the answer comes from the passage that answers, from another one of its file, from
 * another file, or is withheld; `closest`: how often it is said to be only the closest passage.
 */
async function answered(service: Service, questions: Question[], args: string[]) {
  const counts = {
    right: 0,
    otherPassage: 0,
    wrong: 0,
    closestRight: 0,
    closestWrong: 0,
    withheld: 0,
  };
  const unanswerable = { wronglyAnswered: 0, closest: 0, rightlyWithheld: 0 };
  for (const question of questions) {
    const { text, kind, files } = question;
    const body = { prompt: text, semanticSearch: [text], includeSources: true };
    const { response } = await ask<Run>(service, "inferences/bench", body);
    const answer = response[0]?.text ?? "";
    const isWithheld = answer === NOT_SAID;
    const isClosest = answer.startsWith(NOT_OUTRIGHT);
    const isRight = files.some((file) => answer.includes(`\n\nSource: bench: ${file}`));
    if (kind === "none") {
      const what = isClosest ? "closest" : "wronglyAnswered";
      unanswerable[isWithheld ? "rightlyWithheld" : what] += 1;
    } else if (isWithheld) counts.withheld += 1;
    else if (isClosest) counts[isRight ? "closestRight" : "closestWrong"] += 1;
    else counts[isRight ? passageOf(question, answer) : "wrong"] += 1;
    if (args.includes("--answers")) console.error(`\n## ${text}\n${answer}`);
  }
  const { wronglyAnswered, closest, rightlyWithheld } = unanswerable;
  const none = `${wronglyAnswered} answered, ${closest} closest, ${rightlyWithheld} withheld`;
  return { ...counts, withoutAnswer: none };
}
