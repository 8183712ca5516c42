import type { StepResult, ToolSet } from "ai";

import { normalForm } from "../../core/normal-form.ts";
import { passageNumber } from "../../ports/models.ts";
import { delimiterRemover } from "../../text/prompt-delimiters.ts";
import { sentenceEnds } from "../../text/sentences.ts";
import type { Citation, ContentBlock } from "../types.ts";
import { citingNotice, type Mark, newCitingWord, withoutMarks } from "./marks.ts";

/** How one run's model is asked to cite. */
export type CiteRule = { word: string; notice: string };

export function newCiting(): CiteRule {
  const word = newCitingWord();
  return { word, notice: citingNotice(word) };
}

/** The model's text of one step. `own`: citations of a model that cites by itself. */
export type CitedText = { text: string; marks: Mark[]; own: OwnCitation[] };
type OwnCitation = { number: number; start: number; end: number };
type Step = Pick<StepResult<ToolSet>, "text" | "content">;

/** Without delimiters of this key. @param citing null: nobody asked for citations. */
export function citedTextOf(step: Step, citing: CiteRule | null, key: string): CitedText {
  const remover = delimiterRemover(key);
  const answer = remover.push(step.text) + remover.end();
  if (citing === null) return { text: answer, marks: [], own: [] };
  const { text, marks } = withoutMarks(answer, citing.word);
  // Offsets are the model's: they hold where nothing was taken out before them.
  const own = ownCitations(step).filter(
    ({ start, end }) => text.slice(start, end) === step.text.slice(start, end),
  );
  return { text, marks, own };
}

function ownCitations({ content }: Step): OwnCitation[] {
  let offset = 0;
  return content.flatMap((part) => {
    if (part.type !== "text") return [];
    const from = offset;
    offset += part.text.length;
    return (part.citations ?? []).flatMap(({ source, startIndex, endIndex }) => {
      const number = passageNumber(source);
      if (number === null || startIndex === undefined || endIndex === undefined) return [];
      return [{ number, start: from + startIndex, end: from + endIndex }];
    });
  });
}

/** @param items the texts of the run's items, in their order. */
export function citeBlock({ text, marks, own }: CitedText, items: string[]): ContentBlock {
  const byItself = own.flatMap(({ number, start, end }): Citation[] =>
    items[number - 1] === undefined ? [] : [{ item: number - 1, start, end }],
  );
  return { type: "text", text, citations: [...byItself, ...citationsOf(text, marks, items)] };
}

/**
 * Each mark stands for the sentence before it, or for the part after the mark before. A mark that
 * names no item is dropped, and so is one whose stretch quotes what is not in the item.
 * @param items the texts that are numbered from 1 in marks.
 */
export function citationsOf(text: string, marks: Mark[], items: string[]): Citation[] {
  const checks = quoteMatcher(items);
  const cited = new Map<string, Citation | null>();
  for (const { start, end, numbers } of stretchesOf(text, marks)) {
    for (const number of numbers) {
      const item = number - 1;
      const key = `${start} ${end} ${item}`;
      if (items[item] === undefined || cited.has(key)) continue;
      cited.set(key, checks(text.slice(start, end), item) ? { item, start, end } : null);
    }
  }
  return [...cited.values()].filter((citation) => citation !== null);
}

type Stretch = { start: number; end: number; numbers: number[] };

function stretchesOf(text: string, marks: Mark[]): Stretch[] {
  const boundaries = [...sentenceEnds(text, 0, text.length)];
  let next = 0;
  let sentence = 0;
  let last: Omit<Stretch, "numbers"> | null = null;
  /** The mark before, and where the words before it end. */
  let before = { at: 0, end: 0 };
  return marks.flatMap(({ at, numbers }) => {
    const end = endOfWords(text, at, before);
    for (; (boundaries[next] ?? Infinity) < end; next++) sentence = boundaries[next] ?? sentence;
    const from = Math.max(sentence, last?.end ?? 0);
    // No words are before the mark before that are not in the last stretch.
    if (/[\p{L}\p{N}]/u.test(text.slice(Math.max(from, before.end), end)))
      last = { start: startOfWords(text, from, end), end };
    before = { at, end };
    // Marks without words between them stand for the same stretch.
    return last === null ? [] : [{ ...last, numbers }];
  });
}

const BLANK = /\s/;
const LEADS = /[\s,;:.!?)\]]/;
const BULLET = /[-*•]/;

function endOfWords(text: string, to: number, before: { at: number; end: number }): number {
  let end = to;
  while (end > before.at && BLANK.test(text.charAt(end - 1))) end -= 1;
  return end > before.at ? end : before.end;
}

/** Leaves out what ends the words before, and the sign of a list item. */
function startOfWords(text: string, from: number, to: number): number {
  let start = from;
  const isBullet = () => BULLET.test(text.charAt(start)) && text.charAt(start + 1) === " ";
  while (start < to && (LEADS.test(text.charAt(start)) || isBullet())) start += 1;
  return start;
}

/** Words between quotation marks; shorter ones are terms rather than quotations. */
const QUOTE = /["“„«»「『]([^"“”„«»「」『』]{1,2000})["”“»«」』]/gu;
const MIN_CHARACTERS = 12;
/** Something is left out of a quotation. */
const ELLIPSIS = /\[?(?:…|\.\.\.)\]?/u;

/** Checks that a stretch's quotes are in an item (letters and digits); true without quotes. */
function quoteMatcher(items: string[]): (stretch: string, item: number) => boolean {
  const sources = new Map<number, string>();
  const lettersOf = (item: number) => {
    const letters = sources.get(item) ?? keepLetters(items[item] ?? "");
    sources.set(item, letters);
    return letters;
  };
  return (stretch, item) => {
    const quotes = [...stretch.matchAll(QUOTE)].flatMap(([, quote = ""]) => quote.split(ELLIPSIS));
    return quotes
      .map(keepLetters)
      .filter((quote) => quote.length >= MIN_CHARACTERS)
      .every((quote) => lettersOf(item).includes(quote));
  };
}

const keepLetters = (text: string) =>
  normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
