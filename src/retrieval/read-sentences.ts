import { codeWordParts, searchWordsOf, withoutSigns } from "../text/words.ts";
import type { Beginnings } from "./beginnings.ts";

/** More of a passage is not looked at. */
export const MAX_CHARACTERS = 8_000;
/** In ASCII, `sentenceEnd` finds the same. */
const SENTENCE_END = /[.!?:]\s+|\n[ \t]*\n|\n[ \t]*[-*] /;
/** Ends no sentence, and is no part of a word. */
const NO_SIGN = ",";
const NO_BREAK_SPACE = "\u00a0";
const ASCII = 128;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const SMALL_A = 0x61;

const tableOf = (valueOf: (character: string) => number) =>
  Uint8Array.from({ length: ASCII }, (_, code) => valueOf(String.fromCharCode(code)));

/** By code: that of the lower case; 0: neither letter nor digit. */
const LOWER = tableOf((character) => {
  const lower = character.toLowerCase();
  return /[a-z0-9]/.test(lower) ? lower.charCodeAt(0) : 0;
});
const MAY_END = tableOf((character) => Number(/[.!?:\n]/.test(character)));
const IS_ITEM = tableOf((character) => Number(/[-*]/.test(character)));

/** A character of UTF-16 takes three bytes of UTF-8 at most. */
const MAX_BYTES_A_CHARACTER = 3;
const encoder = new TextEncoder();
/** Of the text that is being read, and zeros when it was: they are looked at faster than strings. */
const bytes = new Uint8Array(MAX_CHARACTERS);

function areBytesOf(text: string): boolean {
  const { read, written } = encoder.encodeInto(text, bytes);
  return read === text.length && written === read;
}

/** Looks at the sentences of a passage one after the other. */
export type SentenceReader = {
  /** Of the words that are looked for. */
  beginnings: Beginnings;
  /**
   * Each word that begins as one of them, and some others; `follows`: the word before was told, too.
   */
  word: (word: string, follows: boolean) => void;
  /** The parts of names in code. */
  parts: (words: string[]) => void;
  end: () => void;
};

/** @param text up to `MAX_CHARACTERS` */
export function readSentences(text: string, reader: SentenceReader): void {
  if (text === "") return reader.end();
  const plain = withoutSigns(text.replaceAll(NO_BREAK_SPACE, " "), NO_SIGN);
  if (areBytesOf(plain)) new AsciiText(plain, reader).read(true, false);
  else {
    let follows = false;
    for (const sentence of plain.split(SENTENCE_END)) {
      follows = areBytesOf(sentence)
        ? new AsciiText(sentence, reader).read(false, follows)
        : readAny(sentence, follows, reader);
    }
  }
  bytes.fill(0, 0, MAX_BYTES_A_CHARACTER * plain.length);
}

/** Words as `searchWordsOf` cuts them: most are known by their first characters, and never made. */
class AsciiText {
  readonly #text: string;
  readonly #reader: SentenceReader;
  #follows = false;
  /** Where its sentence begins, and what that has. */
  #from = 0;
  #hasWords = false;
  #changesCase = false;

  /** @param text is in `bytes` */
  constructor(text: string, reader: SentenceReader) {
    this.#text = text;
    this.#reader = reader;
  }

  /** Of many sentences, or one. Returns whether the last word was told. */
  read(hasMany: boolean, follows: boolean): boolean {
    const { length } = this.#text;
    this.#follows = follows;
    for (let at = 0; at < length;) {
      const code = bytes[at] ?? 0;
      if (LOWER[code] !== 0) {
        at = this.#readWord(at);
        continue;
      }
      const next = hasMany && MAY_END[code] === 1 ? sentenceEnd(at, length) : 0;
      if (next > 0) this.#end(at, next);
      at = Math.max(next, at + 1);
    }
    this.#end(length, length);
    return this.#follows;
  }

  /** Returns where it ends. */
  #readWord(start: number): number {
    const { length } = this.#text;
    let at = start;
    let isLower = true;
    for (let before = 0; at < length; at++) {
      const code = bytes[at] ?? 0;
      const lower = LOWER[code] ?? 0;
      if (lower === 0) break;
      if (lower !== code) {
        isLower = false;
        this.#changesCase ||= before >= SMALL_A;
      }
      before = code;
    }
    this.#hasWords = true;
    this.#follows = mayBe(this.#reader.beginnings, start, at)
      ? this.#tell(start, at, isLower)
      : false;
    return at;
  }

  #tell(start: number, end: number, isLower: boolean): true {
    const word = this.#text.slice(start, end);
    this.#reader.word(isLower ? word : word.toLowerCase(), this.#follows);
    return true;
  }

  #end(at: number, next: number): void {
    if (this.#changesCase) this.#reader.parts(codeWordParts(this.#text.slice(this.#from, at)));
    this.#reader.end();
    this.#follows &&= this.#hasWords;
    this.#from = next;
    this.#hasWords = false;
    this.#changesCase = false;
  }
}

/** Of the word between two places in `bytes`. */
const mayBe = (beginnings: Beginnings, start: number, end: number): boolean =>
  beginnings.hasCodes(
    lowerAt(start, end),
    lowerAt(start + 1, end),
    lowerAt(start + 2, end),
    lowerAt(start + 3, end),
  );

const lowerAt = (place: number, end: number) => (place < end ? (LOWER[bytes[place] ?? 0] ?? 0) : 0);

/** Of ASCII, in `bytes`: where the next sentence begins; 0 where none ends. */
function sentenceEnd(at: number, length: number): number {
  if (bytes[at] === NEWLINE) return lineEnd(at, length);
  let next = at + 1;
  while (next < length && isSpace(bytes[next] ?? 0)) next += 1;
  return next > at + 1 ? next : 0;
}

/** The same of a line: before an empty one, and before an item of a list. */
function lineEnd(at: number, length: number): number {
  let next = at + 1;
  while (next < length && (bytes[next] === SPACE || bytes[next] === TAB)) next += 1;
  if (next >= length) return 0;
  if (bytes[next] === NEWLINE) return next + 1;
  const isItem = IS_ITEM[bytes[next] ?? 0] === 1;
  return isItem && next + 1 < length && bytes[next + 1] === SPACE ? next + 2 : 0;
}

const isSpace = (code: number) => code === SPACE || (code >= TAB && code <= RETURN);

/** The same of any script, whose words fold in more ways than to lower case. */
function readAny(sentence: string, follows: boolean, reader: SentenceReader): boolean {
  let told = follows;
  for (const word of searchWordsOf(sentence)) {
    const isAsked = reader.beginnings.has(word);
    if (isAsked) reader.word(word, told);
    told = isAsked;
  }
  reader.parts(codeWordParts(sentence));
  reader.end();
  return told;
}
