import { codeWordParts, searchWordsOf } from "../text/words.ts";

/** More of a passage is not looked at. */
const MOST_CHARACTERS = 8_000;
const NOT_ASCII = /[\u0080-\uffff]/;
const ASCII = 128;
/** Porter's stemmer leaves these alone, so that most words are known to be others unstemmed. */
const KEPT_LENGTH = 2;
const SENTENCE_END = /[.!?:]\s+|\n[ \t]*\n|\n[ \t]*[-*] /;
const EXTENSIONS = /(?:\.[\p{L}\p{N}]{1,5}){1,3}$/u;
const CASE_CHANGE = /([\p{Ll}\d])(\p{Lu})/gu;
/** Names that say what a document is for, and not what it is about. */
const SAYS_LITTLE = /^(?:readme|index|docs?|documentation|api|main|src|man|guides?)$/i;

/** How words begin that a query may look for: by their first two characters, or their only one. */
export class Beginnings {
  readonly #all: ReadonlySet<string>;
  /** Of ASCII words, one for each pair of characters; the second may be none. */
  readonly #ascii = new Uint8Array(ASCII * ASCII);

  constructor(words: string[]) {
    this.#all = new Set(words.map((word) => word.slice(0, KEPT_LENGTH)));
    for (const start of this.#all) {
      if (NOT_ASCII.test(start)) continue;
      this.#ascii[pairOf(start.charCodeAt(0), start.length > 1 ? start.charCodeAt(1) : 0)] = 1;
    }
  }

  has(word: string): boolean {
    return this.#all.has(word.slice(0, KEPT_LENGTH));
  }

  /** Of the character codes; `second` 0: the word has one. */
  hasAscii(first: number, second: number): boolean {
    return this.#ascii[pairOf(first, second)] === 1;
  }
}

const pairOf = (first: number, second: number) => first * ASCII + second;

const isWordCode = (code: number) =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

/** The words of one sentence, read when a query may find one there. */
class Sentence {
  readonly #text: string;
  /** Null: other scripts fold in more ways than to lower case. */
  readonly #lower: string | null;
  #words: string[] | null = null;
  #parts: string[] | null = null;

  constructor(text: string, lower: string | null) {
    this.#text = text;
    this.#lower = lower;
  }

  mayHold(beginnings: readonly string[]): boolean {
    const lower = this.#lower;
    return lower === null || beginnings.some((beginning) => lower.includes(beginning));
  }

  /** Visits each word in order; null stands for one that begins in no such way. */
  eachWord(beginnings: Beginnings, visit: (word: string | null) => void): void {
    if (this.#lower !== null) return eachAsciiWord(this.#lower, beginnings, visit);
    this.#words ??= searchWordsOf(this.#text);
    for (const word of this.#words) visit(beginnings.has(word) ? word : null);
  }

  /** The parts of names in code. */
  get parts(): string[] {
    return (this.#parts ??= codeWordParts(this.#text));
  }
}

/** As `searchWordsOf` cuts them: most words are known by two characters, and never made. */
function eachAsciiWord(
  lower: string,
  beginnings: Beginnings,
  visit: (word: string | null) => void,
): void {
  for (let at = 0; at < lower.length; at++) {
    const start = at;
    while (at < lower.length && isWordCode(lower.charCodeAt(at))) at += 1;
    if (at === start) continue;
    const second = at - start > 1 ? lower.charCodeAt(start + 1) : 0;
    const mayBe = beginnings.hasAscii(lower.charCodeAt(start), second);
    visit(mayBe ? lower.slice(start, at) : null);
  }
}

/** A passage by its words; each part of it is read once for all queries. */
export type PassageWords = {
  sentences: Sentence[];
  headings: string[];
  /** Those of each name in the path (`undici`, `retry agent`), outermost first. */
  names: string[][];
};

export function wordsOfPassage(passage: {
  path: string;
  headings: string[];
  text: string;
}): PassageWords {
  const { path, headings, text } = passage;
  return {
    sentences: sentencesOf(text.slice(0, MOST_CHARACTERS)),
    headings: wordsIn(headings.join("\n").slice(0, MOST_CHARACTERS)),
    names: namesIn(path),
  };
}

const lowerOf = (text: string) => (NOT_ASCII.test(text) ? null : text.toLowerCase());

function sentencesOf(text: string): Sentence[] {
  const sentences = text.split(SENTENCE_END);
  const lower = lowerOf(text)?.split(SENTENCE_END);
  return sentences.map((sentence, at) => new Sentence(sentence, lower?.[at] ?? lowerOf(sentence)));
}

const wordsIn = (text: string) => [...searchWordsOf(text), ...codeWordParts(text)];

function namesIn(path: string): string[][] {
  return path
    .split("/")
    .map((segment) => segment.replace(EXTENSIONS, ""))
    .filter((name) => name.length > 1 && !SAYS_LITTLE.test(name))
    .map((name) => wordsIn(name.replace(CASE_CHANGE, "$1 $2")))
    .filter((words) => words.length > 0);
}
