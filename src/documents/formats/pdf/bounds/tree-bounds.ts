const MAX_OBJECT_CHARACTERS = 8 << 20;
/** Of one array: as many as 25,000 references. */
const MAX_ARRAY_CHARACTERS = 1 << 18;
const BRACKET = /[[\]]/g;

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

  /** The texts may be pieces of one. */
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
