import { longer } from "../../writing/bounded-text.ts";
import { entryNamed } from "../archive/named-entry.ts";
import type { XmlAttributes } from "../xml/xml-stream.ts";

type Node = { name: string; value: string; parts: Node[]; text: string };
type Show = (node: Node) => string;

/** Elements that hold characters: MathML's tokens, and the text of an Office formula's run. */
const TOKENS = new Set(["mi", "mn", "mo", "mtext", "ms", "t"]);
/** Invisible operators between numbers, which must not be read as one number. */
const BETWEEN_NUMBERS = /(?<=\p{N})[\u2061-\u2064]+(?=\p{N})/gu;
/** Operators that are never drawn: application, times, separator, plus. */
const INVISIBLE = /[\u2061-\u2064]/g;
const FRACTIONS = new Set(["mfrac", "f"]);
const PLAIN = new Set([...TOKENS, "r"]);
const MAX_TOKEN_DEPTH = 3;
/** Beyond this limit, a formula is read without its structure. */
const MAX_NODES = 20_000;
const SINGLE = /^(?:[\p{L}\p{N}.]+|.?)$/u;

/**
 * The formula that is open while a document is read, `math` (MathML 3) or Office's `oMath` (ECMA-376
 * part 1, §22.1), as one line: (a+b)/c, x_i^2, √y.
 */
export class OpenFormula {
  /** A root, then the open elements; empty outside formulas. */
  #open: Node[] = [];
  #rest = node("t", "");
  #nodes = 0;

  open(name: string, attributes: XmlAttributes): boolean {
    if (this.#open.length === 0) {
      if (name !== "math" && name !== "oMath") return false;
      this.#open = [node("", "")];
      this.#rest = node("t", "");
      this.#nodes = 0;
    }
    const { val = "", open = "(", close = ")" } = attributes;
    const child = node(name, name === "mfenced" ? open + close : val);
    const isWithin = ++this.#nodes <= MAX_NODES;
    if (isWithin) this.#open.at(-1)?.parts.push(child);
    this.#open.push(isWithin ? child : this.#rest);
    return true;
  }

  takes(data: string): boolean {
    if (this.#open.length === 0) return false;
    // `mtext` may contain HTML elements.
    const token = this.#open.slice(-MAX_TOKEN_DEPTH).findLast(({ name }) => TOKENS.has(name));
    if (token !== undefined) token.text = longer(token.text, data);
    return true;
  }

  /** Empty when only a part of the formula ends, null outside formulas. */
  close(): string | null {
    if (this.#open.pop() === undefined) return null;
    const [root] = this.#open;
    if (root === undefined || this.#open.length > 1) return "";
    this.#open = [];
    const text = shown(root) + this.#rest.text;
    return text.replace(BETWEEN_NUMBERS, " ").replace(INVISIBLE, "").trim();
  }
}

const node = (name: string, value: string): Node => ({ name, value, parts: [], text: "" });

const partOf = ({ parts }: Node, name: string) => parts.find((part) => part.name === name);
const setting = (of: Node, properties: string, name: string) => {
  const found = partOf(of, properties);
  const set = found === undefined ? undefined : partOf(found, name);
  return set === undefined ? undefined : set.value || together(set);
};

function shown(of: Node): string {
  if (of.name.endsWith("Pr")) return "";
  const show = entryNamed(SHOWN, of.name);
  return show === undefined ? together(of) : show(of);
}

const together: Show = ({ text, parts }) => {
  let all = text;
  let before: { part: Node; end: string } | null = null;
  for (const part of parts) {
    const next = shown(part);
    if (next === "") continue;
    if (before !== null && runsInto(before, part, next)) all += " ";
    all += next;
    before = { part, end: next.at(-1) ?? "" };
  }
  return all;
};

/** Whether a power or a fraction would merge with a number beside it: 3 1/2, 2 10^6, 1/2 x. */
function runsInto(before: { part: Node; end: string }, part: Node, text: string): boolean {
  if (FRACTIONS.has(before.part.name)) return /^[\p{L}\p{N}(]/u.test(text);
  const isPlain = PLAIN.has(before.part.name) && PLAIN.has(part.name);
  return !isPlain && /\p{N}/u.test(before.end) && /^\p{N}/u.test(text);
}

const grouped = (text: string) => (SINGLE.test(text) ? text : `(${text})`);
const named = (of: Node, name: string) => {
  const part = partOf(of, name);
  return part === undefined ? "" : shown(part);
};
const nth = ({ parts }: Node, at: number) => {
  const part = parts[at];
  return part === undefined ? "" : shown(part);
};
const script = (mark: string, text: string) => (text === "" ? "" : `${mark}${grouped(text)}`);
const over = (upper: string, lower: string) => `${grouped(upper)}/${grouped(lower)}`;
const scripts = (base: string, lower: string, upper: string) =>
  `${base}${script("_", lower)}${script("^", upper)}`;
const rows = (of: Node, row: string) =>
  `[${of.parts
    .filter(({ name }) => name === row)
    .map(({ parts }) => parts.map(shown).join(", "))
    .join("; ")}]`;

const SHOWN: Record<string, Show> = {
  // MathML identifies operands by position, Office by element name.
  mfrac: (of) => over(nth(of, 0), nth(of, 1)),
  msup: (of) => scripts(nth(of, 0), "", nth(of, 1)),
  mover: (of) => scripts(nth(of, 0), "", nth(of, 1)),
  msub: (of) => scripts(nth(of, 0), nth(of, 1), ""),
  munder: (of) => scripts(nth(of, 0), nth(of, 1), ""),
  msubsup: (of) => scripts(nth(of, 0), nth(of, 1), nth(of, 2)),
  munderover: (of) => scripts(nth(of, 0), nth(of, 1), nth(of, 2)),
  msqrt: (of) => `√${grouped(together(of))}`,
  mroot: (of) => `${nth(of, 1)}√${grouped(nth(of, 0))}`,
  mfenced: (of) => `${of.value.slice(0, 1)}${of.parts.map(shown).join(", ")}${of.value.slice(1)}`,
  mtable: (of) => rows(of, "mtr"),
  mi: ({ text }) => text.trim(),
  mn: ({ text }) => text.trim(),
  mo: ({ text }) => text.trim(),
  annotation: () => "",
  "annotation-xml": () => "",
  f: (of) => over(named(of, "num"), named(of, "den")),
  sSup: (of) => scripts(named(of, "e"), "", named(of, "sup")),
  sSub: (of) => scripts(named(of, "e"), named(of, "sub"), ""),
  sSubSup: (of) => scripts(named(of, "e"), named(of, "sub"), named(of, "sup")),
  limLow: (of) => scripts(named(of, "e"), named(of, "lim"), ""),
  limUpp: (of) => scripts(named(of, "e"), "", named(of, "lim")),
  rad: (of) => `${named(of, "deg")}√${grouped(named(of, "e"))}`,
  nary: (of) => {
    const sign = setting(of, "naryPr", "chr") ?? "∫";
    return `${scripts(sign, named(of, "sub"), named(of, "sup"))} ${named(of, "e")}`;
  },
  func: (of) => `${named(of, "fName")} ${named(of, "e")}`,
  d: (of) => {
    const inside = of.parts.filter(({ name }) => name === "e").map(shown);
    const [first, between, last] = ["begChr", "sepChr", "endChr"].map((name) =>
      setting(of, "dPr", name),
    );
    return `${first ?? "("}${inside.join(between ?? "|")}${last ?? ")"}`;
  },
  m: (of) => rows(of, "mr"),
};
