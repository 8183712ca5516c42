import { FormulaReader } from "../office/formula.ts";

/** The formula that is open where a page is being read; it becomes one line of text. */
export class OpenFormula {
  #reader: FormulaReader | null = null;

  /** Whether it is a formula or a part of one that opens. */
  open(name: string, attributes: Record<string, string>): boolean {
    if (name === "math") this.#reader ??= new FormulaReader();
    this.#reader?.open(name, attributes);
    return this.#reader !== null;
  }

  /** Whether the text belongs to a formula. */
  takes(data: string): boolean {
    this.#reader?.text(data);
    return this.#reader !== null;
  }

  /** What the formula says that ends; empty where a part of one does, null outside of formulas. */
  close(): string | null {
    if (this.#reader === null) return null;
    if (!this.#reader.close()) return "";
    const text = this.#reader.toText();
    this.#reader = null;
    return text;
  }
}
