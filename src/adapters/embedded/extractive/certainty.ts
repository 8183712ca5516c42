import { figuresIn, fitsKind } from "./question.ts";
import type { Question } from "./question.ts";
import { boundIn, isRunTogether, optionsAbove, timesNamed } from "./relevance.ts";
import type { Sentence } from "./sentences.ts";

/** The share of the question that a quotation must bind … */
const LEAST_BOUND = 0.9;
/** … from a document that the question names … */
const LEAST_BOUND_NAMED = 0.75;
/** … or of which more than half of the passages are that the search found. */
const LEAST_BOUND_AMONG_MOST = 0.65;
/** What text must say without its headings: they tell what it is about, not what it says. */
const LEAST_SAID = 0.3;
/** How far it must bind each word of what is asked for: `limit` in `What is the limit …?` */
const LEAST_ASKED_BOUND = 0.5;

/**
 * Whether a quotation is said to be the answer. Words of a question stand near each other in many
 * documents by chance, so it must bind almost all of them; fewer where the question or the search
 * as a whole points to its document. A document that the question names goes before all others.
 * @param quoted of one passage; `passages`: all sentences of all passages.
 */
export function isCertain(quoted: Sentence[], passages: Sentence[], question: Question): boolean {
  const source = quoted[0]?.source;
  if (source === undefined || !mayAnswer(quoted, question)) return false;
  const { bound, said, leastAsked } = boundIn(quoted, passages, question);
  const isCode = quoted.every(({ group }) => group.kind === "code");
  if ((said < LEAST_SAID && !isCode) || leastAsked < LEAST_ASKED_BOUND) return false;
  const sources = sourcesOf(passages);
  const named = timesNamed(source, question);
  if (sources.some((one) => timesNamed(one, question) > named)) return false;
  if (bound >= LEAST_BOUND || (named > 0 && bound >= LEAST_BOUND_NAMED)) return true;
  const same = sources.filter(({ document }) => document === source.document);
  return same.length > sources.length / 2 && bound >= LEAST_BOUND_AMONG_MOST;
}

/** Whether a quotation states something of the kind that is asked for. */
function mayAnswer(quoted: Sentence[], { options, figures, kind }: Question): boolean {
  if (quoted.every((one) => isNoStatement(one) || isOfOther(options, one))) return false;
  return holdsFigures(quoted, figures) && quoted.some(({ text }) => fitsKind(text, kind));
}

/** Whether each figure stands in what is quoted or above it; `1.1.0` is a `1.1`. */
function holdsFigures(quoted: Sentence[], figures: string[]): boolean {
  if (figures.length === 0) return true;
  const texts = new Set(
    quoted.flatMap(({ text, heading, source, group }) => [
      text,
      heading,
      source.cited,
      group.introduction,
    ]),
  );
  const held = Array.from(texts, figuresIn).flat();
  return figures.every((one) => held.some((by) => by === one || by.startsWith(`${one}.`)));
}

const isNoStatement = (sentence: Sentence) => sentence.isLink || isRunTogether(sentence);

/** Whether a sentence explains another option, and at most mentions the one that is asked for. */
function isOfOther(options: string[], { group }: Sentence): boolean {
  if (options.length === 0 || !/^-{1,2}[\p{L}\p{N}]/u.test(group.introduction)) return false;
  const above = optionsAbove(group);
  return !options.some((option) => above.has(option));
}

/** Of each passage, in the order of the search. */
function sourcesOf(passages: Sentence[]): Sentence["source"][] {
  return [...new Set(passages.map(({ source }) => source))];
}
