import { FormulaReader } from "../office/formula.ts";

/** The open formula of the page that is being read; it becomes one line of text. */
export class OpenFormula {
  #reader: FormulaReader | null = null;

  open(name: string, attributes: Record<string, string>): boolean {
    if (name === "math") this.#reader ??= new FormulaReader();
    this.#reader?.open(name, attributes);
    return this.#reader !== null;
  }

  takes(data: string): boolean {
    this.#reader?.text(data);
    return this.#reader !== null;
  }

  /** Empty when only a part of the formula ends, null outside formulas. */
  close(): string | null {
    if (this.#reader === null) return null;
    if (!this.#reader.close()) return "";
    const text = this.#reader.toText();
    this.#reader = null;
    return text;
  }
}
