import { plainText } from "./blocks.ts";
import { isCertain } from "./certainty.ts";
import { questionOf } from "./question.ts";
import type { Question } from "./question.ts";
import { quoteOf } from "./quote.ts";
import type { Quote } from "./quote.ts";
import { byRelevance } from "./relevance.ts";
import type { Scored } from "./relevance.ts";
import { specialStems } from "./sections.ts";
import { sentencesOf } from "./sentences.ts";
import type { Group, Sentence } from "./sentences.ts";

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
const CLOSEST = "The documents do not say it outright; closest is:\n\n";
const NOTHING_TO_QUOTE =
  "There are no passages to answer from, and the embedded model can only quote.";

/** The share of the question that a sentence, its surroundings and its headings must hold. */
const MIN_COVERAGE = 0.6;
/** … and the sentence, list item or row itself, or what introduces it. */
const MIN_OWN = 0.2;

/** An answer, and where in it the sentences of passages stand; `passage`: an index. */
export type Answer = {
  text: string;
  cited: { passage: number; start: number; end: number }[];
};

/** What the best passage says, with its source; or that the documents do not say it. */
export function answerOf(material: Material): Answer {
  const found = quotationOf(material);
  if (found === null) {
    return { text: material.searched ? NOTHING_FOUND : NOTHING_TO_QUOTE, cited: [] };
  }
  const { best, quote, isSure } = found;
  if (material.passages.length === 0) return { text: quote.text, cited: [] };
  const { passage } = best.sentence;
  const before = isSure ? "" : CLOSEST;
  const source = placeOf(best.sentence, material.sources[passage] ?? "");
  return {
    text: `${before}${quote.text}${source === "" ? "" : `\n\nSource: ${source}`}`,
    cited: quote.stretches.map(({ start, end }) => ({
      passage,
      start: start + before.length,
      end: end + before.length,
    })),
  };
}

/** The passage's source, with the heading above the quotation where it does not name it. */
function placeOf({ heading }: Sentence, source: string): string {
  const [document = "", ...headings] = source.split(" › ");
  const place = [document, ...headings.map(plainHeading).filter(Boolean)].join(" › ");
  return heading === "" || place === "" || place.includes(heading)
    ? place
    : `${place} › ${heading}`;
}

/** A badge whose end was cut off, and tags, whose brackets are quotation marks in a source. */
const CUT_BADGE = /!?\[[^\][]{0,300}\]\([^)]{0,1000}$|\[!\[.*$/;
const TAG =
  /['<]\/?(?:a|b|br|center|code|div|em|h[1-6]|i|img|kbd|p|span|strong|su[bp])(?![\w])[^'<>]{0,200}['>]/g;

const plainHeading = (heading: string): string =>
  plainText(heading).replace(CUT_BADGE, "").replace(TAG, "").trim();

/**
 * The quotation that answers, without its source, null where nothing does. `said`: as an answer in
 * words, which tells when it is only the closest.
 */
export function quotedAnswer(material: Material): {
  sure: string | null;
  said: string | null;
  /** The list or table that is quoted for sure, or the block of the sentence that answers. */
  block: Group | null;
} {
  const found = quotationOf(material);
  if (found === null) return { sure: null, said: null, block: null };
  const { best, quote, isSure } = found;
  if (!isSure) return { sure: null, said: `${CLOSEST}${quote.text}`, block: null };
  const listed = quote.sentences.find(({ group }) => /^(?:list|table)$/.test(group.kind));
  return { sure: quote.text, said: quote.text, block: (listed ?? best.sentence).group };
}

type Quotation = { best: Scored; quote: Quote; isSure: boolean };

/** What is quoted, from the passage whose sentence answers best. */
function quotationOf(material: Material): Quotation | null {
  const statements = statementsOf(material);
  const question = questionOf(material.request);
  const scored = byRelevance(statements, question);
  const [first, ...others] = scored.filter(answers);
  if (first === undefined) return null;
  const quotationFrom = (best: Scored): Quotation => {
    const { passage } = best.sentence;
    const beside = scored.filter(({ sentence }) => sentence.passage === passage);
    const quote = quoteOf(best, beside, question);
    const isSure = !material.searched || isCertain(best.sentence, quote, statements, question);
    return { best, quote, isSure };
  };
  const closest = quotationFrom(first);
  if (closest.isSure) return closest;
  const next = others
    .slice(0, NEXT_TRIED)
    .filter(({ score }) => score >= first.score * NEXT_LEAST)
    .filter(({ sentence }) => isPointedTo(sentence, question));
  return next.map(quotationFrom).find(({ isSure }) => isSure) ?? closest;
}

/** Whether a question asks for an option or a default, or the option above a sentence names it. */
function isPointedTo(sentence: Sentence, question: Question): boolean {
  if (question.options.length > 0 || question.kind === "default") return true;
  const { introduction, introductionStems } = sentence.group;
  const special = specialStems(sentence, question);
  const named = special.filter((stem) => introductionStems.has(stem));
  return introduction.startsWith("-") && named.length >= special.length / 2;
}

/** Sentences that are tried where the best one does not answer for sure … */
const NEXT_TRIED = 3;
/** … and how near to its score theirs must be. */
const NEXT_LEAST = 0.8;

/** The sentences that answer, best first; may be empty. */
export const answering = (material: Material, question: Question): Scored[] =>
  byRelevance(statementsOf(material), question).filter(answers);

/** Whether the words that carry the question are there, and some of them in the sentence itself. */
const answers = ({ own, score, coverage, isBelow, sentence: { group } }: Scored): boolean =>
  score > 0 &&
  coverage >= MIN_COVERAGE &&
  (own >= MIN_OWN || isBelow || (group.kind !== "code" && group.introduction !== ""));

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
