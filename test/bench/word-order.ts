import { join } from "node:path";

import { hash32 } from "../../src/core/hash.ts";
import { featuresOf } from "../../src/retrieval/passage-features.ts";
import type { Candidate } from "../../src/retrieval/passage-features.ts";
import { readCollection } from "./support/collection.ts";
import { askable, gatherDocumentation, readQuestions } from "./support/documentation.ts";
import type { Page } from "./support/documentation.ts";
import { passageWorld } from "./support/passage-world.ts";
import type { PassageWorld } from "./support/passage-world.ts";
import { askThemselves } from "./support/self-asked.ts";
import { learn, product } from "./support/softmax.ts";
import type { Example } from "./support/softmax.ts";

/** A search reorders as many as it was asked for, up to the last. */
const DEPTHS = [5, 10, 20];
const MAX_KEPT = 40;
const FOLDS = 5;
const EVERY_TITLE = 12;
/** A long document has more to be asked about, but not as many times more as it has passages. */
const LENGTH_POWER = 0.5;

/** `times`: how often it counts for learning; null: by the length of the file that answers. */
type Asking = { text: string; kind: string; files: string[]; times: number | null };
type Asked = Asking & { candidates: Candidate[] };
type Case = Example & { asked: Asked; depth: number; fold: number };

/**
 * Learns how the words of the best candidates order them, from questions that the documentation of
 * the `questions` benchmark makes of itself and, with a FOLDER such as SciFact's, from titles of
 * documents that no query there asks for. Prints what five-fold cross-validation by file gives, also
 * for questions that were written for this, then the weights for
 * `src/retrieval/order-by-words.ts`. Learns from these only with `--written N`: each counts as N of
 * short documents. Asks none of the benchmark's questions.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { folder, written } = readArguments(args);
  const documentation = gatherDocumentation();
  const { pages, questions } = askThemselves(documentation);
  const own = questions.map(({ text, kind, file }) => ({ text, kind, files: [file], times: null }));
  const asked = askAll(await passageWorld(pages), own);
  asked.push(
    ...askAll(await passageWorld(documentation), writtenQuestions(documentation, written)),
  );
  if (folder !== undefined) asked.push(...(await titlesOf(folder)));
  const cases = DEPTHS.flatMap((depth) => asked.map((one) => caseOf(one, depth)));
  const rows = validate(cases);
  console.table(rows);
  const names = Object.keys(featuresOf("", asked[0]?.candidates.slice(0, 1) ?? [])[0] ?? {});
  const learned = learn(cases.filter(({ weight }) => weight > 0));
  const weights = Object.fromEntries(names.map((name, at) => [name, rounded(learned[at] ?? 0)]));
  return { questions: asked.length, rows, weights };
}

function readArguments(args: string[]): { folder: string | undefined; written: number } {
  const at = args.indexOf("--written");
  if (at === -1) return { folder: args[0], written: 0 };
  const written = Number(args[at + 1]);
  if (!(written >= 0)) throw new Error("--written needs a number of at least 0");
  return { folder: args.toSpliced(at, 2)[0], written };
}

function writtenQuestions(pages: Page[], times: number): Asking[] {
  const file = join(import.meta.dirname, "questions/training.txt");
  const [questions, wrong] = askable(readQuestions(file), pages);
  for (const line of wrong) console.error(`not asked: ${line}`);
  return questions.map(({ text, kind, files }) => ({
    text,
    kind: `written, ${kind} words`,
    files,
    times,
  }));
}

const askAll = (search: PassageWorld, questions: Asking[]): Asked[] =>
  questions.map((question) => ({ ...question, candidates: search(question.text, MAX_KEPT) }));

async function titlesOf(folder: string): Promise<Asked[]> {
  const { documents, grades } = readCollection(folder);
  const relevant = new Set([...grades.values()].flatMap((graded) => Array.from(graded.keys())));
  const pathOf = (id: string) => `${id}.md`;
  const search = await passageWorld(documents.map(({ id, text }) => ({ path: pathOf(id), text })));
  const questions = documents
    .filter(({ id }) => !relevant.has(id))
    .filter((_, at) => at % EVERY_TITLE === 0)
    .map(({ id, title }) => ({ text: title, kind: "title", files: [pathOf(id)], times: null }));
  return askAll(search, questions);
}

function caseOf(asked: Asked, depth: number): Case {
  const candidates = asked.candidates.slice(0, depth);
  const features = featuresOf(asked.text, candidates);
  const rows = features.map((one) => Object.values(one));
  const right = candidates.map(({ path }) => asked.files.includes(path));
  const length = candidates[right.indexOf(true)]?.fileChunks ?? 1;
  const fold = hash32(asked.files[0] ?? "") % FOLDS;
  return { rows, right, weight: asked.times ?? length ** LENGTH_POWER, asked, depth, fold };
}

/** Where the right file stands among files, from 0, before and after, for what was not learned. */
function validate(cases: Case[]): Record<string, unknown>[] {
  const places = Array.from({ length: FOLDS }, (_, fold) => {
    const weights = learn(cases.filter((one) => one.fold !== fold && one.weight > 0));
    return cases
      .filter((one) => one.fold === fold)
      .map((one) => ({
        kind: one.asked.kind,
        isWritten: one.asked.times !== null,
        depth: one.depth,
        before: placeOf(one, null),
        after: placeOf(one, weights),
        isWithin: one.right.includes(true),
      }));
  }).flat();
  const deepest = Math.max(...DEPTHS);
  const kinds = Map.groupBy(
    places.filter(({ depth }) => depth === deepest),
    ({ kind }) => kind,
  );
  const byDepth = Map.groupBy(
    places.filter(({ isWritten }) => !isWritten),
    ({ depth }) => `all that documents ask, best ${depth}`,
  );
  return [...byDepth, ...kinds].map(([name, of]) => {
    const percent = (count: number) => rounded((100 * count) / of.length, 1);
    const within = (key: "before" | "after", most: number) =>
      percent(of.filter((place) => place[key] < most).length);
    return {
      questions: name,
      count: of.length,
      firstBefore: within("before", 1),
      firstAfter: within("after", 1),
      threeBefore: within("before", 3),
      threeAfter: within("after", 3),
      withinOrdered: percent(of.filter(({ isWithin }) => isWithin).length),
    };
  });
}

function placeOf({ rows, asked, depth }: Case, weights: number[] | null): number {
  const { candidates, files } = asked;
  const scores = rows.map((row, at) => (weights === null ? -at : product(row, weights)));
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const paths = [...order.map((at) => candidates[at]), ...candidates.slice(depth)];
  const found = [...new Set(paths.map((one) => one?.path ?? ""))];
  const place = found.findIndex((path) => files.includes(path));
  return place === -1 ? Infinity : place;
}

function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
