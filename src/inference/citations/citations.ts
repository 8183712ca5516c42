import { sentenceEnds } from "../../text/sentences.ts";
import type { Citation } from "../types.ts";
import type { Mark } from "./marks.ts";
import { quotesAreOf } from "./quotes.ts";

/**
 * The citations behind marks: each mark stands for the sentence before it, or for the part of the
 * sentence after the mark before. A mark that names no item is dropped, and so is one whose
 * stretch quotes what is not in the item.
 * @param items the texts that are numbered from 1 in marks.
 */
export function citationsOf(text: string, marks: Mark[], items: string[]): Citation[] {
  const checks = quotesAreOf(items);
  const found = new Map<string, Citation>();
  for (const { start, end, numbers } of stretchesOf(text, marks)) {
    for (const number of numbers) {
      const item = number - 1;
      if (items[item] === undefined) continue;
      if (!checks(text.slice(start, end), item)) continue;
      found.set(`${start} ${end} ${item}`, { item, start, end });
    }
  }
  return [...found.values()];
}

type Stretch = { start: number; end: number; numbers: number[] };

function stretchesOf(text: string, marks: Mark[]): Stretch[] {
  const boundaries = [...sentenceEnds(text, 0, text.length)];
  let next = 0;
  let sentence = 0;
  let last: Omit<Stretch, "numbers"> | null = null;
  return marks.flatMap(({ at, numbers }) => {
    const end = endOfWords(text, at);
    for (; (boundaries[next] ?? Infinity) < end; next++) sentence = boundaries[next] ?? sentence;
    const start = beginOfWords(text, Math.max(sentence, last?.end ?? 0), end);
    if (/[\p{L}\p{N}]/u.test(text.slice(start, end))) last = { start, end };
    // Marks without words between them stand for the same stretch.
    return last === null ? [] : [{ ...last, numbers }];
  });
}

const BLANK = /\s/;
const LEADS = /[\s,;:.!?)\]]/;
const BULLET = /[-*•]/;

function endOfWords(text: string, to: number): number {
  let end = to;
  while (end > 0 && BLANK.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Leaves out what ends the words before, and the sign of a list item. */
function beginOfWords(text: string, from: number, to: number): number {
  let start = from;
  const isBullet = () => BULLET.test(text.charAt(start)) && text.charAt(start + 1) === " ";
  while (start < to && (LEADS.test(text.charAt(start)) || isBullet())) start += 1;
  return start;
}
