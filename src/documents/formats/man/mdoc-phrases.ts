import { plainText } from "./roff-escapes.ts";

const ENCLOSED = new Map(
  ["Op[]", "Bq[]", "Pq()", "Brq{}", "Aq<>", "In<>", "Dq“”", "Sq‘’", "Ql‘’", 'Qq""'].map((each) => [
    each.slice(0, -2),
    each.slice(-2),
  ]),
);
/** Marks that open or close around several lines, as in `Oo … Oc`. */
const OPENING = new Map(
  Object.entries({ Oo: "[", Bo: "[", Po: "(", Bro: "{", Ao: "<", Do: "“", So: "‘" }),
);
const CLOSING = new Map(
  Object.entries({ Oc: "]", Bc: "]", Pc: ")", Brc: "}", Ac: ">", Dc: "”", Sc: "’" }),
);
const SYSTEMS = new Map(
  Object.entries({
    Ux: "UNIX",
    Bx: "BSD",
    Fx: "FreeBSD",
    Nx: "NetBSD",
    Ox: "OpenBSD",
    At: "AT&T UNIX",
  }),
);
const PLAIN = new Set(
  "Ar Cm Ic Em Sy Li Pa Ev Va Vt Fa Ft Fd An Ad Tn Er Dv St Lb Cd No Ms Mt Lk Xo Xc Sx Fo Fc %A %B %C %D %I %J %N %O %P %R %T %U %V".split(
    " ",
  ),
);
const CALLED = new Set("Fl Nm Xr Fn Ns Pf Ap".split(" "));
const CLOSING_MARK = /^[.,:;)\]?!]+$/;
const OPENING_MARK = /^[([]$/;

/** The words that macros of a line print, joined. */
export class MdocPhrases {
  /** Whether words follow each other without spaces. */
  isTight = false;
  #name = "";
  #text = "";
  #isGlued = true;

  isCalled(word: string): boolean {
    const tables = [PLAIN, CALLED, ENCLOSED, OPENING, CLOSING, SYSTEMS];
    return tables.some((table) => table.has(word));
  }

  of(words: string[]): string {
    this.#text = "";
    this.#isGlued = true;
    const last = words.findLastIndex((word) => !CLOSING_MARK.test(word)) + 1;
    let ends = "";
    for (let at = 0; at < last;) {
      const word = words[at] ?? "";
      const marks = ENCLOSED.get(word);
      if (marks !== undefined) {
        this.#add(marks.charAt(0), true);
        ends = marks.charAt(1) + ends;
      }
      at = marks === undefined ? this.#word(word, words.slice(at + 1, last), at + 1) : at + 1;
    }
    return this.#text + ends + words.slice(last).join("");
  }

  #add(text: string, gluesNext = false): void {
    const joins = this.#isGlued || this.isTight || CLOSING_MARK.test(text);
    this.#text += joins ? text : ` ${text}`;
    this.#isGlued = gluesNext || OPENING_MARK.test(text);
  }

  /** Adds a word, or what it prints as a macro; returns the place of the next. */
  #word(word: string, rest: string[], next: number): number {
    const end = rest.findIndex((each) => this.isCalled(each) || CLOSING_MARK.test(each));
    const values = rest.slice(0, end < 0 ? rest.length : end).map((each) => plainText(each));
    const run = this.#macros[word];
    if (run !== undefined) return next + run(values, rest);
    const mark = CLOSING.get(word);
    if (mark !== undefined) this.#isGlued = true;
    const text = mark ?? OPENING.get(word) ?? SYSTEMS.get(word);
    if (text !== undefined) this.#add(text, OPENING.has(word));
    else if (!PLAIN.has(word)) this.#add(plainText(word));
    return next;
  }

  /** Macros by name: each takes the words up to the next one and returns how many it used. */
  readonly #macros: Record<string, (values: string[], rest: string[]) => number> = {
    Ns: () => {
      this.#isGlued = true;
      return 0;
    },
    Ap: () => {
      this.#isGlued = true;
      this.#add("'", true);
      return 0;
    },
    Fl: (values, [next]) => {
      for (const each of values) this.#add(each === "|" ? each : `-${each}`);
      if (values.length === 0) this.#add("-", next === "Fl");
      return values.length;
    },
    Ar: (values) => {
      if (values.length === 0) this.#add("file ...");
      return 0;
    },
    Nm: ([name]) => {
      this.#name ||= name ?? "";
      this.#add(name ?? this.#name);
      return name === undefined ? 0 : 1;
    },
    Xr: ([page = "", section]) => {
      this.#add(section === undefined ? page : `${page}(${section})`);
      return section === undefined ? 1 : 2;
    },
    Fn: ([name = "", ...values]) => {
      this.#add(`${name}(${values.join(", ")})`);
      return values.length + 1;
    },
    Pf: ([prefix]) => {
      this.#add(prefix ?? "", true);
      return 1;
    },
  };
}
