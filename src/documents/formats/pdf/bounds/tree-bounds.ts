const MAX_OBJECT_CHARACTERS = 8 << 20;
/** Limit of one array: the length of 25,000 references. */
const MAX_ARRAY_CHARACTERS = 1 << 18;
const BRACKET = /[[\]]/g;

/**
 * Passes on the texts of a PDF's objects and checks whether the structure tree may be too large
 * for its time and memory: pdf.js reads the root's children again for each page.
 */
export class TreeBounds {
  #characters = 0;
  #longestArray = 0;

  get isLarge(): boolean {
    return this.#characters > MAX_OBJECT_CHARACTERS || this.#longestArray > MAX_ARRAY_CHARACTERS;
  }

  /** The texts may be pieces of one text. */
  *watch(texts: Iterable<string>): Generator<string> {
    let start: number | null = null;
    for (const text of texts) {
      for (const { 0: bracket, index } of text.matchAll(BRACKET)) {
        const at = this.#characters + index;
        if (bracket === "]" && start !== null) {
          this.#longestArray = Math.max(this.#longestArray, at - start);
        }
        start = bracket === "[" ? at : null;
      }
      this.#characters += text.length;
      yield text;
    }
  }
}
