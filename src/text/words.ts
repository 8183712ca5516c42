import { wholeCharacterEnd } from "../core/whole-character.ts";
import { foldedText } from "./folded-text.ts";

/**
 * The one notion of a word in Quarry, shared by the lexical leg, the lexical reranker and the
 * hashed embedding: runs of letters, digits and private-use characters, lower-cased, without
 * diacritics. Compatibility forms (`ﬁ`, full width, `m²`) are unfolded. The letter `ʼ` separates, as
 * the apostrophe does that people write in its place.
 */
const WORD = /[[\p{L}\p{N}\p{M}\p{Co}]--\u02bc]+/gv;
const NOT_ASCII = /[\u0080-\uffff]/;

/**
 * Scripts written without spaces, and Korean, which writes particles onto words and spaces as it
 * likes: searched by overlapping pairs of characters …
 */
const PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc]+/gu;
/** … or by three, where vowels and tones are characters, too. */
const IN_THREES =
  /[[[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]&&[\p{L}\p{M}\p{N}]]\u200b]+/gv;
type CutRule = { runs: RegExp; cut: number };
const CUTTINGS: CutRule[] = [
  { runs: PAIRED, cut: 2 },
  { runs: IN_THREES, cut: 3 },
];
/** Where a line may break: some texts have it between words, and no query does. */
const BREAK = /\u200b/g;

/** Where none of these stands, no script without spaces does: most texts are not looked through. */
const MAY_BE_UNSPACED = /[\u0e00-\u1fff\u2e80-\uffff]/;
const ASCII_WORD = /[a-z0-9]+/g;

export const isAscii = (text: string) => !NOT_ASCII.test(text);

/** Dashes, quotation marks, arrows and other signs that only separate words. */
const SIGNS =
  /[\u00a0-\u00a7\u00a9\u00ab\u00ac\u00ae\u00b0\u00b1\u00b6\u00b7\u00bb\u00bf\u00d7\u00f7\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u2775]/g;

/** With a blank for each sign, which makes most English texts ASCII: those take the short way. */
export const withoutSigns = (text: string, blank = " "): string =>
  isAscii(text) ? text : text.replace(SIGNS, blank);

/** The words of a text in their order; a run of a script without spaces is one word. */
export function wordsOf(text: string): string[] {
  return isAscii(text) ? asciiWordsOf(text) : (foldedText(text).match(WORD) ?? []);
}

const asciiWordsOf = (text: string): string[] => text.toLowerCase().match(ASCII_WORD) ?? [];

/** `東京都` becomes `東京 京都`; Thai is cut by threes. Shorter runs and other scripts stay. */
export const cutUnspacedScripts = (text: string): string => cutRuns(text, (cuts) => cuts);

/** The words that a text is searched by: as `wordsOf`, with scripts without spaces in cuts. */
export function searchWordsOf(text: string): string[] {
  if (isAscii(text)) return asciiWordsOf(text);
  const folded = foldedText(text);
  const cut = MAY_BE_UNSPACED.test(folded) ? cutUnspacedScripts(folded) : folded;
  return cut.match(WORD) ?? [];
}

/** The words of `searchWordsOf` in one text with only ASCII characters between them. */
export function searchTextOf(text: string): string {
  const plain = withoutSigns(text);
  return isAscii(plain) ? plain : searchWordsOf(text).join(" ");
}

/** As `searchWordsOf`, but every character of an unspaced run begins a word, for prefixes. */
export function indexWordsOf(text: string): string[] {
  if (isAscii(text)) return asciiWordsOf(text);
  const folded = foldedText(text);
  if (!MAY_BE_UNSPACED.test(folded)) return folded.match(WORD) ?? [];
  return cutRuns(folded, (cuts, ends) => [...cuts, ...ends]).match(WORD) ?? [];
}

const CASE_CHANGE = /[a-z][A-Z]|[A-Z]{2}[a-z]{2}/g;
const BEFORE_CAPITAL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const NAME = /[A-Za-z0-9]+/y;
const OF_NAME = /[A-Za-z0-9]/;
const BELONGS_TO_WORD = /[\p{L}\p{N}\p{M}]/u;
/** Longer runs of letters are encoded data. */
const MAX_CODE_LENGTH = 64;
/** `mRNA` and `PubMed` are words of their own: of a name in code some part is a longer word. */
const MIN_PART = 2;
const MIN_LONGEST_PART = 4;

/** The parts of names in code that change case: `retry`, `agent` for `RetryAgent`. */
export function codeWordParts(text: string): string[] {
  const words: string[] = [];
  // Most words change no case: only those that do are looked at.
  CASE_CHANGE.lastIndex = 0;
  for (let change = CASE_CHANGE.exec(text); change !== null; change = CASE_CHANGE.exec(text)) {
    const name = nameAround(text, change.index);
    CASE_CHANGE.lastIndex = name.end;
    if (name.text !== null) words.push(...partsOf(name.text));
  }
  return words;
}

/** Null for too long a run, or beside a letter with a diacritic, which does not cut words. */
function nameAround(text: string, at: number): { text: string | null; end: number } {
  NAME.lastIndex = at;
  NAME.exec(text);
  const end = NAME.lastIndex;
  let start = at;
  while (at - start < MAX_CODE_LENGTH && OF_NAME.test(text.charAt(start - 1))) start -= 1;
  const isWhole =
    end - start <= MAX_CODE_LENGTH &&
    !BELONGS_TO_WORD.test(text.slice(wholeCharacterEnd(text, start - 1), start)) &&
    !BELONGS_TO_WORD.test(String.fromCodePoint(text.codePointAt(end) ?? SPACE));
  return { text: isWhole ? text.slice(start, end) : null, end };
}

const SPACE = 0x20;

function partsOf(name: string): string[] {
  const parts = name.split(BEFORE_CAPITAL);
  const lengths = parts.map((part) => part.length);
  const isCode = Math.min(...lengths) >= MIN_PART && Math.max(...lengths) >= MIN_LONGEST_PART;
  return isCode ? parts.map((part) => part.toLowerCase()) : [];
}

/** Whether a word is shorter than the cuts of its script, which is one without spaces. */
export function isPartOfCut(word: string): boolean {
  const { length } = [...word];
  const isCut = ({ runs, cut }: CutRule) => length < cut && word.replace(runs, "") === "";
  return word !== "" && CUTTINGS.some(isCut);
}

/** Puts blanks between what a choice is made of: the cuts of each run, and the ends that are left. */
function cutRuns(text: string, choose: (cuts: string[], ends: string[]) => string[]): string {
  return CUTTINGS.reduce(
    (cut, { runs, cut: length }) =>
      cut.replace(runs, (run) => {
        const characters = [...run.replace(BREAK, "")];
        const all = characters.map((_, at) => characters.slice(at, at + length).join(""));
        const whole = Math.max(1, characters.length - length + 1);
        return ` ${choose(all.slice(0, whole), all.slice(whole)).join(" ")} `;
      }),
    text,
  );
}
