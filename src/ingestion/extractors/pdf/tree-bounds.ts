const MAX_OBJECT_CHARACTERS = 8 << 20;
/** Of one array: as many as 25,000 references. */
const MAX_ARRAY_CHARACTERS = 1 << 18;

/**
 * Passes the texts of a PDF's objects on and sees whether they can hold more than a structure tree
 * that is worth its time and memory: pdf.js reads the root's children anew for each page.
 */
export class TreeBounds {
  #characters = 0;
  #longestArray = 0;

  get isLarge(): boolean {
    return this.#characters > MAX_OBJECT_CHARACTERS || this.#longestArray > MAX_ARRAY_CHARACTERS;
  }

  *watch(texts: Iterable<string>): Generator<string> {
    for (const text of texts) {
      this.#characters += text.length;
      let from = 0;
      for (let end = text.indexOf("]"); end >= 0; end = text.indexOf("]", end + 1)) {
        this.#longestArray = Math.max(this.#longestArray, end - from);
        from = end;
      }
      yield text;
    }
  }
}
