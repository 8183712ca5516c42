import { runsOf } from "./page-rows.ts";
import type { Gap, Segment } from "./segment.ts";

/** In ems: how much wider than between letters the gap between two words is. */
const WIDER = 0.13;
const MIN_LETTERS = 5;
/** A letter with its accents and the mark behind it, a digit or a sign. */
const SINGLE = /^(?:\p{L}\p{M}*[.,:;!?]?|[\p{N}\p{P}])$/u;
/** Begins with the space between two, which is sought faster than any letter. */
const SPACED = /(?<=(?<!\S)\S{1,2}) \S{1,2} \S/;
const ENDS_SPACED = /(?<!\S)\p{L} \p{L} \p{L} \p{L}$/u;
const LETTERS = /\p{L}/gu;
const VOWEL = /[aeiou]/;
const CONSONANT = /[b-df-hj-np-tv-z]/;
/** Answers to questions that offer a few, or codes. */
const NO_WORDS = /^[a-f]*$|(.)\1\1/;

/** The gaps of an item whose letters may be spaced, from the widths of its spaces. */
export function gapsOf(text: string, widths: number[] | undefined, x0: number): Gap[] | undefined {
  if (widths === undefined) return undefined;
  const spaces = [...text.matchAll(/ /g)];
  if (spaces.length !== widths.length) return undefined;
  return spaces.map(({ index }, at) => ({ at: index + 1, x0, x1: x0 + (widths[at] ?? 0) }));
}

/** How wide the gaps between its letters are, in points; 0 where they are not spaced. */
export function letterGap({ text, gaps = [] }: Segment): number {
  if (gaps.length < MIN_LETTERS - 1 || !ENDS_SPACED.test(text)) return 0;
  const widths = gaps.map(({ x0, x1 }) => x1 - x0).sort((a, b) => a - b);
  return Math.max(0, widths[widths.length >>> 1] ?? 0);
}

/** Text whose letters are set apart, such as `S U M M A R Y`, without the gaps between them. */
export function removeSpacing(line: Segment): string {
  const { text, size, gaps = [] } = line;
  const single = joinSingleLetters(line);
  if (single !== null) return single;
  if (!SPACED.test(text)) return text;
  const widths = new Map(gaps.map(({ at, x0, x1 }) => [at, x1 - x0]));
  const tokens = [...text.matchAll(/\S+/g)].map(({ 0: token, index }) => ({
    token,
    gap: widths.get(index) ?? Infinity,
  }));
  const runs = runsOf(
    tokens,
    ({ token }, [first]) => SINGLE.test(token) && SINGLE.test(first.token),
  );
  const parts = runs.flatMap((run, at) => joinRun(run, runs[at + 1]?.[0], at === 0, size));
  const words = parts.join("").trim();
  // Code keeps its indentation.
  return words.length === tokens.map(({ token }) => token).join(" ").length ? text : words;
}

type Token = { token: string; gap: number };

/** The words of a run of single letters; the letters where a word is right before or behind them. */
function joinRun(run: Token[], next: Token | undefined, isFirst: boolean, size: number): string[] {
  const usual = run.map(({ gap }) => gap).sort((a, b) => a - b)[run.length >>> 1] ?? 0;
  const isWide = ({ gap }: Token) => gap > usual + size * WIDER;
  const isUnknown = run.slice(1).every(({ gap }) => gap === Infinity);
  const isApart = isFirst || (!isUnknown && run.slice(0, 1).every(isWide));
  const isEnd = next === undefined || (!isUnknown && isWide(next));
  const isSpaced = isApart && isEnd && areWords(run.map(({ token }) => token).join(""));
  return run.map((token, at) =>
    isSpaced && at > 0 && (isUnknown || !isWide(token)) ? token.token : ` ${token.token}`,
  );
}

/** Text whose letters are drawn one by one without gaps, or ideographs with; null for other text. */
function joinSingleLetters({ text, size, gaps = [] }: Segment): string | null {
  if (gaps.length < MIN_LETTERS - 1 || text.length > 2 * (gaps.length + 1)) return null;
  const ends = [...gaps.map(({ at }) => at), text.length];
  const parts = ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end).trim());
  if (parts.some(({ length }) => length !== 1)) return null;
  const widths = gaps.map(({ x0, x1 }) => x1 - x0);
  const usual = widths.toSorted((a, b) => a - b)[widths.length >>> 1] ?? 0;
  if (usual > size * WIDER && /[a-z\d]/i.test(text)) return null;
  const isBreak = (at: number) => (widths[at] ?? 0) > usual + size * WIDER;
  return parts.map((part, at) => part + (isBreak(at) ? " " : "")).join("");
}

/** Whether letters are of words rather than a row of answers, variables or the alphabet. */
function areWords(text: string): boolean {
  const letters = text.match(LETTERS)?.join("").toLowerCase() ?? "";
  if (letters.length < MIN_LETTERS || NO_WORDS.test(letters)) return false;
  const isOrdered = [...letters].every((letter, at) => at === 0 || letter > letters.charAt(at - 1));
  if (isOrdered) return false;
  return !/[a-z]/.test(letters) || (VOWEL.test(letters) && CONSONANT.test(letters));
}
