/** Not part of the current text; `rt` gives a pronunciation. */
const LEFT_OUT = new Set(
  "delText delInstrText del moveFrom Fallback rPrChange pPrChange sectPrChange rt".split(" "),
);

type Alternatives = { shownBefore: number; readsFallback: boolean };

/** Whether open elements are left out: as deleted, or as duplicates of other content. */
export class DocxLeftOut {
  #depth = 0;
  /** Open alternatives (ECMA-376 part 3, §9): choices, and a fallback. */
  readonly #alternatives: Alternatives[] = [];

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** `shown`: how many times content was shown so far. Returns whether the element is left out. */
  open(name: string, shown: number): boolean {
    if (this.#depth === 0 && name === "AlternateContent") {
      this.#alternatives.push({ shownBefore: shown, readsFallback: false });
    }
    if (LEFT_OUT.has(name) && !this.#openFallback(name, shown)) this.#depth++;
    return this.#depth > 0;
  }

  close(name: string): boolean {
    const alternatives = this.#alternatives.at(-1);
    if (this.#depth === 0 && name === "AlternateContent") this.#alternatives.pop();
    if (this.#depth === 0 && name === "Fallback" && alternatives?.readsFallback === true) {
      alternatives.readsFallback = false;
      return false;
    }
    if (!LEFT_OUT.has(name)) return this.#depth > 0;
    this.#depth--;
    return true;
  }

  /** Whether the choice before showed nothing, so that the fallback is read. */
  #openFallback(name: string, shown: number): boolean {
    const alternatives = this.#alternatives.at(-1);
    if (name !== "Fallback" || this.#depth > 0 || alternatives === undefined) return false;
    alternatives.readsFallback = alternatives.shownBefore === shown;
    return alternatives.readsFallback;
  }
}
