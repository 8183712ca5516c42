import { stemOf } from "../text/stems.ts";
import { codeWordParts, searchWordsOf } from "../text/words.ts";

/** More of a passage is not looked at. */
const MOST_CHARACTERS = 8_000;
const NOT_ASCII = /[\u0080-\uffff]/;
const SENTENCE_END = /[.!?:]\s+|\n[ \t]*\n|\n[ \t]*[-*] /;
const EXTENSIONS = /(?:\.[\p{L}\p{N}]{1,5}){1,3}$/u;
const CASE_CHANGE = /([\p{Ll}\d])(\p{Lu})/gu;
/** Names that say what a document is for, and not what it is about. */
const SAYS_LITTLE = /^(?:readme|index|docs?|documentation|api|main|src|man|guides?)$/i;

/** The words of one sentence, read when a query may find one there. */
class Sentence {
  readonly #text: string;
  readonly #lower: string;
  /** Other scripts fold in more ways than to lower case. */
  readonly #isAscii: boolean;
  #words: string[] | null = null;
  #parts: string[] | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#isAscii = !NOT_ASCII.test(text);
    this.#lower = this.#isAscii ? text.toLowerCase() : "";
  }

  mayHold(beginnings: readonly string[]): boolean {
    return !this.#isAscii || beginnings.some((beginning) => this.#lower.includes(beginning));
  }

  get words(): string[] {
    return (this.#words ??= searchWordsOf(this.#text));
  }

  /** Stems of the parts of names in code. */
  get parts(): string[] {
    return (this.#parts ??= codeWordParts(this.#text).map(stemOf));
  }
}

/** A passage by its words; each part of it is read once for all queries. */
export type PassageWords = {
  sentences: Sentence[];
  /** Stems. */
  headings: string[];
  /** Stems of each name in the path (`undici`, `retry agent`), outermost first. */
  names: string[][];
};

export function wordsOfPassage(passage: {
  path: string;
  headings: string[];
  text: string;
}): PassageWords {
  const { path, headings, text } = passage;
  const sentences = text.slice(0, MOST_CHARACTERS).split(SENTENCE_END);
  return {
    sentences: sentences.map((sentence) => new Sentence(sentence)),
    headings: stemsOf(headings.join("\n").slice(0, MOST_CHARACTERS)),
    names: namesIn(path),
  };
}

const stemsOf = (text: string) => [...searchWordsOf(text), ...codeWordParts(text)].map(stemOf);

function namesIn(path: string): string[][] {
  return path
    .split("/")
    .map((segment) => segment.replace(EXTENSIONS, ""))
    .filter((name) => name.length > 1 && !SAYS_LITTLE.test(name))
    .map((name) => stemsOf(name.replace(CASE_CHANGE, "$1 $2")))
    .filter((stems) => stems.length > 0);
}
