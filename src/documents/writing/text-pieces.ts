import { tooMuchText } from "./compact-text.ts";

/** A text that is being assembled. Its end can be removed without copying the text before it. */
export class TextPieces {
  #pieces: string[] = [];
  #length = 0;
  readonly #maxCharacters: number;
  hasText = false;

  constructor(maxCharacters = Infinity) {
    this.#maxCharacters = maxCharacters;
  }

  /** The number of pieces: a position for `takeFrom`. */
  get end(): number {
    return this.#pieces.length;
  }

  get length(): number {
    return this.#length;
  }

  get lastCharacter(): string {
    return this.#pieces.at(-1)?.at(-1) ?? "";
  }

  /** @throws UnreadableDocument when the text becomes unrealistically large. */
  add(piece: string): void {
    if (piece === "") return;
    this.#length += piece.length;
    if (this.#length > this.#maxCharacters) throw tooMuchText();
    this.#pieces.push(piece);
    this.hasText ||= /\S/.test(piece);
  }

  /** Removes and returns what was added since `place`. */
  takeFrom(place: number): string {
    const text = this.#pieces.splice(place).join("");
    this.#length -= text.length;
    return text;
  }

  take(): string {
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? "") : this.#pieces.join("");
    if (this.#pieces.length > 0) this.#pieces = [];
    this.#length = 0;
    this.hasText = false;
    return text;
  }
}
