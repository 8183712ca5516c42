import { appendText } from "../../writing/bounded-text.ts";
import { ownEntryOf } from "../archive/own-entry.ts";
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

  take(data: string): boolean {
    if (this.#open.length === 0) return false;
    // `mtext` may contain HTML elements.
    const token = this.#open.slice(-MAX_TOKEN_DEPTH).findLast(({ name }) => TOKENS.has(name));
    if (token !== undefined) token.text = appendText(token.text, data);
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
const settingOf = (node: Node, properties: string, name: string) => {
  const part = partOf(node, properties);
  const set = part === undefined ? undefined : partOf(part, name);
  return set === undefined ? undefined : set.value || joinParts(set);
};

function textOf(node: Node): string {
  if (node.name.endsWith("Pr")) return "";
  const show = ownEntryOf(SHOWN, node.name);
  return show === undefined ? joinParts(node) : show(node);
}

const joinParts: Show = ({ text, parts }) => {
  let all = text;
  let before: { part: Node; end: string } | null = null;
  for (const part of parts) {
    const next = textOf(part);
    if (next === "") continue;
    if (before !== null && needsSpace(before, part, next)) all += " ";
    all += next;
    before = { part, end: next.at(-1) ?? "" };
  }
  return all;
};

/** Whether a power or a fraction would merge with a number beside it: 3 1/2, 2 10^6, 1/2 x. */
function needsSpace(before: { part: Node; end: string }, part: Node, text: string): boolean {
  if (FRACTIONS.has(before.part.name)) return /^[\p{L}\p{N}(]/u.test(text);
  const isPlain = PLAIN.has(before.part.name) && PLAIN.has(part.name);
  return !isPlain && /\p{N}/u.test(before.end) && /^\p{N}/u.test(text);
}

const bracket = (text: string) => (SINGLE.test(text) ? text : `(${text})`);
const partText = (node: Node, name: string) => {
  const part = partOf(node, name);
  return part === undefined ? "" : textOf(part);
};
const nthText = ({ parts }: Node, at: number) => {
  const part = parts[at];
  return part === undefined ? "" : textOf(part);
};
const writeScript = (mark: string, text: string) => (text === "" ? "" : `${mark}${bracket(text)}`);
const writeFraction = (upper: string, lower: string) => `${bracket(upper)}/${bracket(lower)}`;
const scripts = (base: string, lower: string, upper: string) =>
  `${base}${writeScript("_", lower)}${writeScript("^", upper)}`;
const rows = (node: Node, row: string) =>
  `[${node.parts
    .filter(({ name }) => name === row)
    .map(({ parts }) => parts.map(textOf).join(", "))
    .join("; ")}]`;

const SHOWN: Record<string, Show> = {
  // MathML identifies operands by position, Office by element name.
  mfrac: (node) => writeFraction(nthText(node, 0), nthText(node, 1)),
  msup: (node) => scripts(nthText(node, 0), "", nthText(node, 1)),
  mover: (node) => scripts(nthText(node, 0), "", nthText(node, 1)),
  msub: (node) => scripts(nthText(node, 0), nthText(node, 1), ""),
  munder: (node) => scripts(nthText(node, 0), nthText(node, 1), ""),
  msubsup: (node) => scripts(nthText(node, 0), nthText(node, 1), nthText(node, 2)),
  munderover: (node) => scripts(nthText(node, 0), nthText(node, 1), nthText(node, 2)),
  msqrt: (node) => `√${bracket(joinParts(node))}`,
  mroot: (node) => `${nthText(node, 1)}√${bracket(nthText(node, 0))}`,
  mfenced: (node) =>
    `${node.value.slice(0, 1)}${node.parts.map(textOf).join(", ")}${node.value.slice(1)}`,
  mtable: (node) => rows(node, "mtr"),
  mi: ({ text }) => text.trim(),
  mn: ({ text }) => text.trim(),
  mo: ({ text }) => text.trim(),
  annotation: () => "",
  "annotation-xml": () => "",
  f: (node) => writeFraction(partText(node, "num"), partText(node, "den")),
  sSup: (node) => scripts(partText(node, "e"), "", partText(node, "sup")),
  sSub: (node) => scripts(partText(node, "e"), partText(node, "sub"), ""),
  sSubSup: (node) => scripts(partText(node, "e"), partText(node, "sub"), partText(node, "sup")),
  limLow: (node) => scripts(partText(node, "e"), partText(node, "lim"), ""),
  limUpp: (node) => scripts(partText(node, "e"), "", partText(node, "lim")),
  rad: (node) => `${partText(node, "deg")}√${bracket(partText(node, "e"))}`,
  nary: (node) => {
    const sign = settingOf(node, "naryPr", "chr") ?? "∫";
    return `${scripts(sign, partText(node, "sub"), partText(node, "sup"))} ${partText(node, "e")}`;
  },
  func: (node) => `${partText(node, "fName")} ${partText(node, "e")}`,
  d: (node) => {
    const inside = node.parts.filter(({ name }) => name === "e").map(textOf);
    const [first, between, last] = ["begChr", "sepChr", "endChr"].map((name) =>
      settingOf(node, "dPr", name),
    );
    return `${first ?? "("}${inside.join(between ?? "|")}${last ?? ")"}`;
  },
  m: (node) => rows(node, "mr"),
};
