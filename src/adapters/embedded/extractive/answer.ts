import { questionOf } from "./question.ts";
import type { Question } from "./question.ts";
import { quoteOf } from "./quote.ts";
import { byRelevance } from "./relevance.ts";
import type { Scored } from "./relevance.ts";
import { sentencesOf } from "./sentences.ts";
import type { Sentence } from "./sentences.ts";

export type Material = {
  /** The caller's own words. */
  request: string;
  /** Sentences of the passages. */
  passages: Sentence[];
  /** Where each passage comes from; empty when nothing was searched or found. */
  sources: string[];
  /** Whether documents were searched at all. */
  searched: boolean;
};

const NOTHING_FOUND = "The documents do not seem to say.";
const NOTHING_TO_QUOTE =
  "There are no passages to answer from, and the embedded model can only quote.";

/** The share of the question that a sentence, its surroundings and its headings must hold. */
const LEAST_COVERAGE = 0.6;
/** … and the sentence, list item or row itself, or what introduces it. */
const LEAST_OWN = 0.2;

/** An answer, and where in it the sentences of passages stand; `passage`: an index. */
export type Answer = {
  text: string;
  cited: { passage: number; start: number; end: number }[];
};

/** What the best passage says, with its source; or that the documents do not say it. */
export function answerOf(material: Material): Answer {
  const [best, scored] = bestOf(material);
  if (best === undefined) {
    return { text: material.searched ? NOTHING_FOUND : NOTHING_TO_QUOTE, cited: [] };
  }
  const { passage } = best.sentence;
  const { text, stretches } = quoteOf(best, scored);
  if (material.passages.length === 0) return { text, cited: [] };
  const source = placeOf(best.sentence, material.sources[passage] ?? "");
  return {
    text: source === "" ? text : `${text}\n\nSource: ${source}`,
    cited: stretches.map(({ start, end }) => ({ passage, start, end })),
  };
}

/** The passage's source, with the heading above the quotation where it does not name it. */
const placeOf = ({ heading }: Sentence, source: string): string =>
  heading === "" || source === "" || source.includes(heading) ? source : `${source} › ${heading}`;

/** The quotation that answers, without its source; null where nothing answers. */
export function quotedAnswer(material: Material): string | null {
  const [best, scored] = bestOf(material);
  return best === undefined ? null : quoteOf(best, scored).text;
}

/** The sentence that answers best, and all sentences of its passage with their scores. */
function bestOf(material: Material): [Scored | undefined, Scored[]] {
  const scored = byRelevance(statementsOf(material), questionOf(material.request));
  const best = scored.find(answers);
  if (best === undefined) return [undefined, []];
  return [best, scored.filter(({ sentence }) => sentence.passage === best.sentence.passage)];
}

/** The sentences that answer, best first; may be empty. */
export const answering = (material: Material, question: Question): Scored[] =>
  byRelevance(statementsOf(material), question).filter(answers);

/** Whether the words that carry the question are there, and some of them in the sentence itself. */
const answers = ({ own, score, coverage, sentence: { group } }: Scored): boolean =>
  score > 0 &&
  coverage >= LEAST_COVERAGE &&
  (own >= LEAST_OWN || (group.kind === "list" && group.introduction !== ""));

/**
 * The passages' sentences; without any, the statements of a request that holds its own context
 * after its question or instruction.
 */
function statementsOf({ request, passages, searched }: Material): Sentence[] {
  if (searched) return passages;
  const own = sentencesOf(request);
  const statements = own.filter(({ text }) => !/[?:]$/.test(text));
  return statements.length < own.length ? statements : statements.slice(1);
}
