import type { Segment } from "./segment.ts";

const UNSPACED_END =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\u30fb\u30fc\uff01-\uff60]$/u;
/** The test of a script takes longer. */
const FIRST_IDEOGRAPH = 0x2e80;
const DIVIDED = /(\p{L}{1,64})[-\u2010]$/u;
const RANGE_START = /\d[-\u2010-\u2013]$/;
const HYPHEN_END = /[-\u00ad\u2010-\u2013]$/;
const SOFT_HYPHEN = "\u00ad";
const WORD = /^\p{L}+/u;
/** Addresses, paths and options of a program, but not TeX commands such as `\@title`. */
const ADDRESS_END = /(?:^|\s)(?:[^\s\\/@]{0,64}[/@]\S{0,64}|--?\p{L}\S{0,64})-$/u;
const CAPITALS_END = /(?:^|[^\p{L}])\p{Lu}{2,}[-\u2010]$/u;
const LETTER_END = /\p{L}[-\u2010]$/u;
/** A compound with several hyphens, such as "state-of-the-art", divided after its first word. */
const COMPOUND_START = /^\p{L}+[-\u2010]\p{L}/u;
const MAIL_START = /^[\w.+-]+@\w/;
/** Before these, a hyphen replaces a part shared with the next word: "Vor- und Nachteile". */
const CONJUNCTIONS = new Set("und oder bzw sowie and or".split(" "));
const MAX_WORD_LENGTH = 64;
const COMPOUND = /\p{L}{1,64}-\p{L}{1,64}(?=[^-\p{L}])/gu;
const MAX_COMPOUNDS = 20_000;

/** Words that contain a hyphen within a line, so that the hyphen does not come from a line end. */
export function compoundsIn(lines: Iterable<string>): Set<string> {
  const compounds = new Set<string>();
  for (const line of lines) {
    for (const [word] of line.matchAll(COMPOUND)) {
      if (compounds.size < MAX_COMPOUNDS) compounds.add(word.toLowerCase());
    }
  }
  return compounds;
}

/** Only the end of the text decides how a line joins it: the rest is put aside, not copied. */
const OPEN_CHARACTERS = 1_024;

const LEADERS = / ?(?:[.·] ?){5,}/g;

/** @param compounds words of the document that keep their hyphen where a line ends with it */
export const textOfLines = (lines: Segment[], compounds: ReadonlySet<string> = new Set()) =>
  joinLines(
    lines.map(({ text }) => text.trim()),
    compounds,
  )
    .replace(LEADERS, " … ")
    .trim();

function joinLines(lines: Iterable<string>, compounds: ReadonlySet<string>): string {
  const settled: string[] = [];
  let end = "";
  for (const line of lines) {
    end = joinLine(end, line, compounds);
    if (end.length < OPEN_CHARACTERS) continue;
    settled.push(end.slice(0, -MAX_WORD_LENGTH));
    end = end.slice(-MAX_WORD_LENGTH);
  }
  return settled.join("") + end;
}

function joinLine(text: string, next: string, compounds: ReadonlySet<string>): string {
  const last = text.slice(-2);
  const isUnspaced = last.charCodeAt(last.length - 1) >= FIRST_IDEOGRAPH && UNSPACED_END.test(last);
  if (text === "" || isUnspaced) return text + next;
  return HYPHEN_END.test(last) ? joinAtHyphen(text, next, compounds) : `${text} ${next}`;
}

function joinAtHyphen(text: string, next: string, compounds: ReadonlySet<string>): string {
  const end = text.slice(-MAX_WORD_LENGTH);
  // A range of numbers, such as pages 12-14.
  if (RANGE_START.test(end) && /^\d/.test(next)) return text + next;
  const after = WORD.exec(next)?.[0];
  if (isHyphenKept(end, next, after)) return text + next;
  if (after === undefined) return `${text} ${next}`;
  if (end.endsWith(SOFT_HYPHEN)) return text.slice(0, -1) + next;
  const before = DIVIDED.exec(end)?.[1];
  if (before === undefined || CONJUNCTIONS.has(after)) return `${text} ${next}`;
  return (isCompound(before, after, compounds) ? text : text.slice(0, -1)) + next;
}

function isHyphenKept(end: string, next: string, after: string | undefined): boolean {
  if (ADDRESS_END.test(end)) return /^[^\s]/.test(next);
  if (after === undefined) return LETTER_END.test(end) && /^\d/.test(next);
  if (CONJUNCTIONS.has(after) || !LETTER_END.test(end)) return false;
  return CAPITALS_END.test(end) || COMPOUND_START.test(next) || MAIL_START.test(next);
}

function isCompound(before: string, after: string, words: ReadonlySet<string>): boolean {
  const isName = !/^\p{Ll}/u.test(after);
  return isName || before.length === 1 || words.has(`${before}-${after}`.toLowerCase());
}
