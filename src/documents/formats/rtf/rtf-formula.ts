import { FormulaReader } from "../office/formula.ts";

/** A formula in RTF: Office's elements as groups that begin with `\m` and the element's name. */
export class RtfFormula {
  readonly #reader = new FormulaReader();
  /** For each open group, whether it is an element. */
  readonly #groups: boolean[] = [false];

  openGroup(): void {
    this.#groups.push(false);
  }

  /** The first control word of a group that names an element opens it. */
  control(word: string): void {
    if (this.#groups.at(-1) === true || !/^m[a-zA-Z]/.test(word)) return;
    this.#groups[this.#groups.length - 1] = true;
    this.#reader.open(word.slice(1), {});
  }

  text(text: string): void {
    this.#reader.open("t", {});
    this.#reader.text(text);
    this.#reader.close();
  }

  /** Returns whether the formula's root group ended. */
  closeGroup(): boolean {
    if (this.#groups.pop() === true) this.#reader.close();
    return this.#groups.length === 0;
  }

  toText(): string {
    return this.#reader.toText();
  }
}
