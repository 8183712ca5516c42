import { tooMuchText } from "./compact-text.ts";
import { UnreadableDocument } from "./extracted-document.ts";

/** One paragraph, cell or row: each is copied some times while it is written. */
const MAX_CHARACTERS = 8 << 20;

/** @throws UnreadableDocument when a single paragraph or cell becomes larger than any is. */
export function longer(text: string, more: string): string {
  withinBound(text.length + more.length);
  return text + more;
}

/**
 * The number of characters that is given: asked before what repeats a text is made.
 * @throws UnreadableDocument when a single paragraph, cell or row has fewer.
 */
export function withinBound(characters: number): number {
  if (characters > MAX_CHARACTERS) throw tooMuchText();
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
