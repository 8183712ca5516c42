import { MdocPhrases } from "./mdoc-phrases.ts";
import type { ManWriter } from "./man-writer.ts";
import { argumentsOf, plainText } from "./roff-escapes.ts";

type List = { type: string; number: number; rows: string[][] };

/** Macros of mdoc(7) that divide the text. */
export class MdocMacros {
  /** Open lists; those in columns gather their rows. */
  readonly #lists: List[] = [];
  #head: string | null = null;
  /** Whether the next text follows without a space. */
  #isTight = false;
  readonly #phrases = new MdocPhrases();
  readonly #writer: ManWriter;

  constructor(writer: ManWriter) {
    this.#writer = writer;
  }

  /** Runs a macro; false for others. */
  run(name: string, text: string): boolean {
    const words = argumentsOf(text);
    const block = this.#blocks[name];
    if (block !== undefined) block(words);
    else if (!this.#phrases.isCalled(name)) return false;
    else this.#print(this.#phrases.of([name, ...words]), name === "Xc");
    return true;
  }

  #print(text: string, endsHead: boolean): void {
    if (this.#head === null) this.#writer.add(text, this.#isTight);
    else this.#head += this.#isTight ? text : ` ${text}`;
    this.#isTight = this.#phrases.isTight;
    if (!endsHead || this.#head === null) return;
    this.#writer.startItem(this.#head);
    this.#head = null;
  }

  readonly #blocks: Record<string, (words: string[]) => void> = {
    Dt: ([name = "", section = ""]) => this.#writer.setTitle(plainText(name), section),
    Sh: (words) => this.#writer.heading(2, this.#phrases.of(words)),
    Ss: (words) => this.#writer.heading(3, this.#phrases.of(words)),
    Pp: () => this.#writer.flush(),
    Lp: () => this.#writer.flush(),
    Nd: (words) => this.#writer.add(`– ${this.#phrases.of(words)}`),
    Bl: ([type = ""]) => {
      this.#writer.flush();
      if (this.#lists.length > 0) this.#writer.indent();
      this.#lists.push({ type, number: 0, rows: [] });
    },
    It: (words) => this.#item(words),
    El: () => {
      const list = this.#lists.pop();
      if (list !== undefined && list.rows.length > 0) this.#writer.table(list.rows);
      if (this.#lists.length > 0) this.#writer.outdent();
      else this.#writer.paragraph();
    },
    Bd: ([type = ""]) => this.#writer.literal(/^-(?:literal|unfilled)$/.test(type)),
    Ed: () => this.#writer.literal(false),
    Dl: (words) => this.#line(words),
    D1: (words) => this.#line(words),
    Sm: ([mode]) => {
      this.#phrases.isTight = mode === "off";
      this.#isTight = false;
    },
  };

  #line(words: string[]): void {
    this.#writer.literal(true);
    this.#writer.add(this.#phrases.of(words));
    this.#writer.literal(false);
  }

  #item(words: string[]): void {
    const list = this.#lists.at(-1);
    if (list === undefined) return;
    if (list.type === "-column") {
      const cells = words.join(" ").split(/\s*(?:\bTa\b|\t)\s*/);
      list.rows.push(cells.map((cell) => this.#phrases.of(argumentsOf(cell))));
    } else if (list.type === "-enum") this.#writer.startItem(`${++list.number}.`);
    else if (words.at(-1) === "Xo") this.#head = this.#phrases.of(words.slice(0, -1));
    else this.#writer.startItem(words.length === 0 ? "-" : this.#phrases.of(words));
  }
}
