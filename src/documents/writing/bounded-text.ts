import { UnreadableDocument } from "../extracted-document.ts";
import { tooMuchText } from "./compact-text.ts";

/** Limit for one paragraph or cell: each is copied several times while it is written. */
const MAX_CHARACTERS = 2 << 20;
const MAX_ROW_CHARACTERS = 8 << 20;
const JOINED_CHARACTERS = 1 << 16;

/** @throws UnreadableDocument when a single paragraph or cell becomes unrealistically large. */
export function checkCellSize(characters: number): number {
  if (characters > MAX_CHARACTERS) {
    throw new UnreadableDocument("a single paragraph or cell has more than 2 million characters");
  }
  return characters;
}

/** @throws UnreadableDocument when it becomes longer than any paragraph */
export function appendText(text: string, more: string): string {
  checkCellSize(text.length + more.length);
  const whole = text + more;
  const isStep = Math.floor(whole.length / JOINED_CHARACTERS) * JOINED_CHARACTERS > text.length;
  // The engine stores a string grown in pieces as a chain of them all, until a character is read.
  if (isStep) whole.codePointAt(0);
  return whole;
}

/** Checked before a repeated text is built. @throws UnreadableDocument beyond the limit of a row */
export function checkRowSize(characters: number): number {
  if (characters > MAX_ROW_CHARACTERS) throw tooMuchText();
  return characters;
}

/** Charts, diagrams and formulas of one document: all are in memory until they are written. */
const MAX_DRAWN_CHARACTERS = 8 << 20;

export class DrawnText {
  #characters = 0;

  /** @throws UnreadableDocument when they have more text than any real drawings. */
  add(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_DRAWN_CHARACTERS) {
      throw new UnreadableDocument("charts, diagrams and formulas have too much text");
    }
  }
}
