import { UnreadableDocument } from "../../../extracted-document.ts";

/** Limit of nested states in one stream; ISO 32000-1, annex C, has 28. */
const MAX_DEPTH = 2_000;
/** Limit of states that all streams together leave open, as some writers do once a page. */
const MAX_LEFT_OPEN = 8_000;
/** Limit of the characters in the ranges of one map: many times more than any font has. */
const MAX_MAPPED = 1_000_000;
const RANGE = /<([\da-f\s]{1,32})>\s*<([\da-f\s]{1,32})>\s*(?:<[\da-f\s]*>|\[|\d)/gi;

const [SAVE, RESTORE] = [0x71, 0x51];
const BREAKS = new Set(Array.from(" \t\n\f\r\0[]<>{}/%()", (each) => each.charCodeAt(0)));

/** Counts nested saved graphics states, for which pdf.js takes quadratic time. */
export class SavedStates {
  #leftOpen = 0;
  #depth = 0;
  #token = 0;
  #tokenLength = 0;

  /** @throws UnreadableDocument */
  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (!BREAKS.has(byte)) {
        this.#token = byte;
        this.#tokenLength++;
        continue;
      }
      if (this.#tokenLength === 1) this.#operator(this.#token);
      this.#tokenLength = 0;
    }
  }

  /** Marks that the next bytes belong to another stream. */
  endStream(): void {
    this.#leftOpen += this.#depth;
    this.#check(this.#leftOpen, MAX_LEFT_OPEN);
    this.#depth = 0;
    this.#tokenLength = 0;
  }

  #operator(token: number): void {
    if (token === SAVE) this.#check(++this.#depth, MAX_DEPTH);
    else if (token === RESTORE) this.#depth = Math.max(0, this.#depth - 1);
  }

  #check(value: number, limit: number): void {
    if (value > limit) throw new UnreadableDocument("PDF nests its graphics states too deeply");
  }
}

/**
 * Checks a map from codes to characters (CMap): pdf.js expands its ranges to single characters.
 * @throws UnreadableDocument
 */
export function checkCharacterMap(text: string): void {
  let mapped = 0;
  for (const part of text.split("begin")) {
    if (!/^(?:bf|cid|notdef)range/.test(part)) continue;
    for (const [, from = "", to = ""] of part.matchAll(RANGE)) {
      mapped += Math.max(0, codeOf(to) - codeOf(from));
      if (mapped > MAX_MAPPED) throw new UnreadableDocument("PDF's font maps too many characters");
    }
  }
}

const codeOf = (hex: string) => Number.parseInt(hex.replace(/\s/g, ""), 16) || 0;
