/** Chinese and Japanese have no spaces, and their signs are as wide as their characters. */
const UNSPACED_END =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\u30fb\u30fc\uff01-\uff60]$/u;
/** A divided word, or one of two that a hyphen joins. */
const DIVIDED = /(\p{L}{1,64})[-\u2010]$/u;
const RANGE_START = /\d[-\u2010-\u2013]$/;
const HYPHEN_END = /[-\u00ad\u2010-\u2013]$/;
const SOFT_HYPHEN = "\u00ad";
const WORD = /^\p{L}+/u;
/** Of addresses and paths, and of options of a program, but not of TeX's commands, such as `\@title`. */
const ADDRESS_END = /(?:^|\s)(?:[^\s\\/@]{0,64}[/@]\S{0,64}|--?\p{L}\S{0,64})-$/u;
const CAPITALS_END = /(?:^|[^\p{L}])\p{Lu}{2,}[-\u2010]$/u;
const LETTER_END = /\p{L}[-\u2010]$/u;
/** More than one hyphen, such as "state-of-the-art" divided after its first word. */
const COMPOUND_START = /^\p{L}+[-\u2010]\p{L}/u;
const MAIL_START = /^[\w.+-]+@\w/;
/** After these a hyphen stands for what the next word has as well: "Vor- und Nachteile". */
const CONJUNCTIONS = new Set("und oder bzw sowie and or".split(" "));
const LONGEST_WORD = 64;
const COMPOUND = /\p{L}{1,64}-\p{L}{1,64}(?=[^-\p{L}])/gu;
const MAX_COMPOUNDS = 20_000;

/** Words that stand with a hyphen within a line, so that it is not one of a line's end. */
export function compoundsIn(lines: Iterable<string>): Set<string> {
  const compounds = new Set<string>();
  for (const line of lines) {
    for (const [word] of line.matchAll(COMPOUND)) {
      if (compounds.size < MAX_COMPOUNDS) compounds.add(word.toLowerCase());
    }
  }
  return compounds;
}

/** A paragraph's text with its next line: words divided at line ends are joined again. */
export function joinedLine(text: string, next: string, compounds: ReadonlySet<string>): string {
  const last = text.slice(-2);
  if (text === "" || UNSPACED_END.test(last)) return text + next;
  return HYPHEN_END.test(last) ? afterHyphen(text, next, compounds) : `${text} ${next}`;
}

function afterHyphen(text: string, next: string, compounds: ReadonlySet<string>): string {
  const end = text.slice(-LONGEST_WORD);
  // Of numbers: from one to another, such as pages 12-14.
  if (RANGE_START.test(end) && /^\d/.test(next)) return text + next;
  const after = WORD.exec(next)?.[0];
  if (isKept(end, next, after)) return text + next;
  if (after === undefined) return `${text} ${next}`;
  if (end.endsWith(SOFT_HYPHEN)) return text.slice(0, -1) + next;
  const before = DIVIDED.exec(end)?.[1];
  if (before === undefined || CONJUNCTIONS.has(after)) return `${text} ${next}`;
  return (isCompound(before, after, compounds) ? text : text.slice(0, -1)) + next;
}

/** Whether a hyphen belongs to what it divides, whatever words are known. */
function isKept(end: string, next: string, after: string | undefined): boolean {
  if (ADDRESS_END.test(end)) return /^[^\s]/.test(next);
  if (after === undefined) return LETTER_END.test(end) && /^\d/.test(next);
  if (CONJUNCTIONS.has(after) || !LETTER_END.test(end)) return false;
  return CAPITALS_END.test(end) || COMPOUND_START.test(next) || MAIL_START.test(next);
}

function isCompound(before: string, after: string, known: ReadonlySet<string>): boolean {
  const isName = !/^\p{Ll}/u.test(after);
  return isName || before.length === 1 || known.has(`${before}-${after}`.toLowerCase());
}
