import { FormulaReader } from "../office/formula.ts";

/** A formula as RTF writes it: Office's elements as groups that begin with `\m` and their name. */
export class RtfFormula {
  readonly #reader = new FormulaReader();
  /** Whether each group that is open is an element. */
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

  /** Returns whether the formula's own group ended. */
  closeGroup(): boolean {
    if (this.#groups.pop() === true) this.#reader.close();
    return this.#groups.length === 0;
  }

  toText(): string {
    return this.#reader.toText();
  }
}
