import { tooMuchText } from "./compact-text.ts";
import { UnreadableDocument } from "../extracted-document.ts";

/** One paragraph or cell: each is copied some times while it is written. */
const MAX_CHARACTERS = 2 << 20;
/** All cells of a row. */
const MAX_ROW_CHARACTERS = 8 << 20;
const JOINED_CHARACTERS = 1 << 16;

/** @throws UnreadableDocument when a single paragraph or cell becomes larger than any is. */
export function longer(text: string, more: string): string {
  if (text.length + more.length > MAX_CHARACTERS) {
    throw new UnreadableDocument("a single paragraph or cell holds more than 2 million characters");
  }
  const whole = text + more;
  const isStep = Math.floor(whole.length / JOINED_CHARACTERS) * JOINED_CHARACTERS > text.length;
  // Until a character of it is read, the engine keeps what grew in bits as a chain of all of them.
  if (isStep) whole.codePointAt(0);
  return whole;
}

/**
 * The number of characters that is given: asked before what repeats a text is made.
 * @throws UnreadableDocument when they are more than any row has.
 */
export function withinBound(characters: number): number {
  if (characters > MAX_ROW_CHARACTERS) throw tooMuchText();
  return characters;
}

/** Charts, diagrams and formulas of one document: all are held until they are written. */
const MAX_DRAWN_CHARACTERS = 8 << 20;

/** Counts what the drawings of a document say. */
export class DrawnText {
  #characters = 0;

  /** @throws UnreadableDocument when they say more than any do. */
  add(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_DRAWN_CHARACTERS) {
      throw new UnreadableDocument("charts, diagrams and formulas hold too much text");
    }
  }
}
