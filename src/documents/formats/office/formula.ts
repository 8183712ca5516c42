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
    const text = textOf(root) + this.#rest.text;
    return text.replace(BETWEEN_NUMBERS, " ").replace(INVISIBLE, "").trim();
  }
}

const node = (name: string, value: string): Node => ({ name, value, parts: [], text: "" });

const partOf = ({ parts }: Node, name: string) => parts.find((part) => part.name === name);
const setting = (node: Node, properties: string, name: string) => {
  const part = partOf(node, properties);
  const set = part === undefined ? undefined : partOf(part, name);
  return set === undefined ? undefined : set.value || together(set);
};

function textOf(node: Node): string {
  if (node.name.endsWith("Pr")) return "";
  const show = entryNamed(SHOWN, node.name);
  return show === undefined ? together(node) : show(node);
}

const together: Show = ({ text, parts }) => {
  let all = text;
  let before: { part: Node; end: string } | null = null;
  for (const part of parts) {
    const next = textOf(part);
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
const textNamed = (node: Node, name: string) => {
  const part = partOf(node, name);
  return part === undefined ? "" : textOf(part);
};
const nth = ({ parts }: Node, at: number) => {
  const part = parts[at];
  return part === undefined ? "" : textOf(part);
};
const script = (mark: string, text: string) => (text === "" ? "" : `${mark}${grouped(text)}`);
const over = (upper: string, lower: string) => `${grouped(upper)}/${grouped(lower)}`;
const scripts = (base: string, lower: string, upper: string) =>
  `${base}${script("_", lower)}${script("^", upper)}`;
const rows = (node: Node, row: string) =>
  `[${node.parts
    .filter(({ name }) => name === row)
    .map(({ parts }) => parts.map(textOf).join(", "))
    .join("; ")}]`;

const SHOWN: Record<string, Show> = {
  // MathML identifies operands by position, Office by element name.
  mfrac: (node) => over(nth(node, 0), nth(node, 1)),
  msup: (node) => scripts(nth(node, 0), "", nth(node, 1)),
  mover: (node) => scripts(nth(node, 0), "", nth(node, 1)),
  msub: (node) => scripts(nth(node, 0), nth(node, 1), ""),
  munder: (node) => scripts(nth(node, 0), nth(node, 1), ""),
  msubsup: (node) => scripts(nth(node, 0), nth(node, 1), nth(node, 2)),
  munderover: (node) => scripts(nth(node, 0), nth(node, 1), nth(node, 2)),
  msqrt: (node) => `√${grouped(together(node))}`,
  mroot: (node) => `${nth(node, 1)}√${grouped(nth(node, 0))}`,
  mfenced: (node) =>
    `${node.value.slice(0, 1)}${node.parts.map(textOf).join(", ")}${node.value.slice(1)}`,
  mtable: (node) => rows(node, "mtr"),
  mi: ({ text }) => text.trim(),
  mn: ({ text }) => text.trim(),
  mo: ({ text }) => text.trim(),
  annotation: () => "",
  "annotation-xml": () => "",
  f: (node) => over(textNamed(node, "num"), textNamed(node, "den")),
  sSup: (node) => scripts(textNamed(node, "e"), "", textNamed(node, "sup")),
  sSub: (node) => scripts(textNamed(node, "e"), textNamed(node, "sub"), ""),
  sSubSup: (node) => scripts(textNamed(node, "e"), textNamed(node, "sub"), textNamed(node, "sup")),
  limLow: (node) => scripts(textNamed(node, "e"), textNamed(node, "lim"), ""),
  limUpp: (node) => scripts(textNamed(node, "e"), "", textNamed(node, "lim")),
  rad: (node) => `${textNamed(node, "deg")}√${grouped(textNamed(node, "e"))}`,
  nary: (node) => {
    const sign = setting(node, "naryPr", "chr") ?? "∫";
    return `${scripts(sign, textNamed(node, "sub"), textNamed(node, "sup"))} ${textNamed(node, "e")}`;
  },
  func: (node) => `${textNamed(node, "fName")} ${textNamed(node, "e")}`,
  d: (node) => {
    const inside = node.parts.filter(({ name }) => name === "e").map(textOf);
    const [first, between, last] = ["begChr", "sepChr", "endChr"].map((name) =>
      setting(node, "dPr", name),
    );
    return `${first ?? "("}${inside.join(between ?? "|")}${last ?? ")"}`;
  },
  m: (node) => rows(node, "mr"),
};
