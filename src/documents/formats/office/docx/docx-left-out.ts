import type { XmlAttributes } from "../../xml/xml-stream.ts";

/**
 * Elements whose content is not part of the current text: `rt` gives a pronunciation, `hdr` and
 * `ftr` stand within the text in Word 2003 XML only.
 */
const LEFT_OUT = new Set(
  "delText delInstrText del moveFrom Fallback rPrChange pPrChange sectPrChange rt hdr ftr".split(
    " ",
  ),
);

const DELETION = "Word.Deletion";

type Alternatives = { shownBefore: number; readsFallback: boolean };

/** Whether open elements are left out: as deleted, or as duplicates of other content. */
export class DocxLeftOut {
  #depth = 0;
  /** Open alternatives (ECMA-376 part 3, §9): choices, and a fallback. */
  readonly #alternatives: Alternatives[] = [];

  /** Open annotations of Word 2003 XML: whether each marks its content as deleted. */
  readonly #annotations: boolean[] = [];

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** `shown`: how many times content was shown so far. Returns whether the element is left out. */
  open(name: string, shown: number, { type = "" }: XmlAttributes): boolean {
    if (name === "annotation") {
      this.#annotations.push(type === DELETION);
      if (type === DELETION) this.#depth++;
    }
    if (this.#depth === 0 && name === "AlternateContent") {
      this.#alternatives.push({ shownBefore: shown, readsFallback: false });
    }
    if (LEFT_OUT.has(name) && !this.#openFallback(name, shown)) this.#depth++;
    return this.#depth > 0;
  }

  /** Returns whether the element was left out. */
  close(name: string): boolean {
    const alternatives = this.#alternatives.at(-1);
    if (this.#depth === 0 && name === "AlternateContent") this.#alternatives.pop();
    if (this.#depth === 0 && name === "Fallback" && alternatives?.readsFallback === true) {
      alternatives.readsFallback = false;
      return false;
    }
    const isDeletion = name === "annotation" && this.#annotations.pop() === true;
    if (!LEFT_OUT.has(name) && !isDeletion) return this.#depth > 0;
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
