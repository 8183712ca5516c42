/**
 * The one notion of a word in Quarry, shared by the lexical leg, the lexical reranker and the
 * hashed embedding: runs of letters, digits and private-use characters, lower-cased, without
 * diacritics. Compatibility forms (`ﬁ`, full width, `m²`) are unfolded.
 */
const WORD = /[\p{L}\p{N}\p{Co}]+/gu;
/** Marks begin here; the voicing marks of kana are letters' own, no diacritics. */
const MARKS = /(?![\0-\u02ff\u3099\u309a])\p{M}/gu;
const NOT_ASCII = /[\u0080-\uffff]/;

/** Scripts written without spaces: searched by overlapping character pairs. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu;

/** Where none of these stands, no script without spaces does: most texts are not looked through. */
const MAY_BE_UNSPACED = /[\u0e00-\u1fff\u2e80-\uffff]/;
const ASCII_WORD = /[a-z0-9]+/g;

const isAscii = (text: string) => !NOT_ASCII.test(text);

/** Dashes, quotation marks, arrows and other signs that only separate words. */
const SIGNS =
  /[\u00a0-\u00a7\u00a9\u00ab\u00ac\u00ae\u00b0\u00b1\u00b6\u00b7\u00bb\u00bf\u00d7\u00f7\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u2775]/g;

/** With a blank for each sign, which makes most English texts ASCII: those take the short way. */
export const withoutSigns = (text: string, blank = " "): string =>
  isAscii(text) ? text : text.replace(SIGNS, blank);

function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // Unfolding can make capitals and lower-casing can make marks, hence this order.
  return text.normalize("NFKD").toLowerCase().replace(MARKS, "").normalize("NFC");
}

/** The words of a text in their order; a run of a script without spaces is one word. */
export function wordsOf(text: string): string[] {
  return fold(text).match(WORD) ?? [];
}

/** `東京都` becomes `東京 京都`; a single character stays. Text of other scripts is left as it is. */
export function pairUnspacedScripts(text: string): string {
  return text.replace(UNSPACED, (run) => ` ${characterPairs(run).join(" ")} `);
}

/** The words that a text is searched by: as `wordsOf`, with scripts without spaces in pairs. */
export function searchWordsOf(text: string): string[] {
  if (isAscii(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const folded = fold(text);
  const paired = MAY_BE_UNSPACED.test(folded) ? pairUnspacedScripts(folded) : folded;
  return paired.match(WORD) ?? [];
}

/** The words of `searchWordsOf` in one text with only ASCII characters between them. */
export function searchTextOf(text: string): string {
  const plain = withoutSigns(text);
  return isAscii(plain) ? plain : searchWordsOf(text).join(" ");
}

/**
 * As `searchWordsOf`, and each run of a script without spaces ends with its last character alone,
 * so that every one of its characters begins a word: one character is then found as a prefix.
 */
export function indexWordsOf(text: string): string[] {
  if (isAscii(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const folded = fold(text);
  if (!MAY_BE_UNSPACED.test(folded)) return folded.match(WORD) ?? [];
  const paired = folded.replace(UNSPACED, (run) => {
    const characters = [...run];
    if (characters.length === 1) return ` ${run} `;
    return ` ${[...characterPairs(run), characters.at(-1)].join(" ")} `;
  });
  return paired.match(WORD) ?? [];
}

const CASE_CHANGE = /[a-z][A-Z]/g;
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
  const found: string[] = [];
  // Most words change no case: only those that do are looked at.
  CASE_CHANGE.lastIndex = 0;
  for (let change = CASE_CHANGE.exec(text); change !== null; change = CASE_CHANGE.exec(text)) {
    const name = nameAround(text, change.index);
    CASE_CHANGE.lastIndex = name.end;
    if (name.text !== null) found.push(...partsOf(name.text));
  }
  return found;
}

/**
 * The run of ASCII letters and digits around a place. Null for one that is too long, or beside a
 * letter with a diacritic, which does not cut a word in two.
 */
function nameAround(text: string, at: number): { text: string | null; end: number } {
  NAME.lastIndex = at;
  NAME.exec(text);
  const end = NAME.lastIndex;
  let start = at;
  while (at - start < MAX_CODE_LENGTH && OF_NAME.test(text.charAt(start - 1))) start -= 1;
  const isWhole =
    end - start <= MAX_CODE_LENGTH &&
    !BELONGS_TO_WORD.test(characterBefore(text, start)) &&
    !BELONGS_TO_WORD.test(String.fromCodePoint(text.codePointAt(end) ?? SPACE));
  return { text: isWhole ? text.slice(start, end) : null, end };
}

const SPACE = 0x20;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]$/;

function characterBefore(text: string, at: number): string {
  const two = text.slice(Math.max(0, at - 2), at);
  return PAIR.test(two) ? two : two.slice(-1);
}

function partsOf(name: string): string[] {
  const parts = name.split(BEFORE_CAPITAL);
  const lengths = parts.map((part) => part.length);
  const isCode = Math.min(...lengths) >= MIN_PART && Math.max(...lengths) >= MIN_LONGEST_PART;
  return isCode ? parts.map((part) => part.toLowerCase()) : [];
}

/** As `indexWordsOf`, and after them the parts of names in code, which count as a whole, too. */
export const namesAndWordsOf = (text: string): string[] => [
  ...indexWordsOf(text),
  ...codeWordParts(text),
];

/**
 * The words of `namesAndWordsOf` in one text with only ASCII characters between them, in the case
 * that the text has: what the FTS index takes.
 */
export function indexTextOf(text: string): string {
  const plain = withoutSigns(text);
  if (!isAscii(plain)) return namesAndWordsOf(text).join(" ");
  const parts = codeWordParts(plain);
  return parts.length === 0 ? plain : `${plain} ${parts.join(" ")}`;
}

/** Whether a word is one character of a script without spaces. */
export function isUnspacedCharacter(word: string): boolean {
  return [...word].length === 1 && word.replace(UNSPACED, "") === "";
}

function characterPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at] ?? ""}${character}`);
}
