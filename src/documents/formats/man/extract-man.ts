import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";

const REQUEST = /^[.'][ \t]*([^\s\\]{1,40})(.*)$/s;
const HEADINGS = new Map([...pairs("TH Dt", 1), ...pairs("SH Sh", 2), ...pairs("SS Ss", 3)]);
/** A paragraph begins with these. */
const BEGIN = new Set("P PP LP HP TP TQ RS RE SY YS Sp Pp Bl El br sp ti IP It".split(" "));
/** Requests of roff itself, and macros whose arguments are lengths or of an index. */
const SILENT = /^(?:[a-z].*|\W.*|P|[PLH]P|T[PQ]|RS|RE|Bl|IX|)$/;
const LITERALS = new Map([
  ...pairs("nf EX Vb TS Bd", true),
  ...pairs("fi EE Ve TE Ed", false),
] as const);
/** Macros that print their arguments in two fonts by turns, without a space. */
const JOINED = /^(?:[BIR]{2})$/;
const DEFINITION = /^(?:de1?|am1?|ig)$/;

function pairs<Value>(names: string, value: Value): [string, Value][] {
  return names.split(" ").map((name) => [name, value]);
}

/** Pages of man(7) and mdoc(7) without conditions, definitions and strings of their own. */
export function* readText(text: string): CooperativeWork<Extraction> {
  const out = new MarkdownBuilder();
  const page = new ManPage(out);
  const progress = new Progress();
  let at = 0;
  for (const line of text.split("\n")) {
    page.add(line);
    yield* progress.advanceTo((at += line.length + 1));
  }
  page.endBlock();
  return { text: out, title: out.firstHeading(), language: null, pages: [], notes: [] };
}

const textOf = (name: string, args: string[]) =>
  name === "IP" ? (args[0] ?? "") : args.join(JOINED.test(name) ? "" : " ");

class ManPage {
  #lines: string[] = [];
  #isLiteral = false;
  #isDefinition = false;
  #heading: number | undefined;
  readonly #out: MarkdownBuilder;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  add(line: string): void {
    if (this.#isDefinition) this.#isDefinition = !/^\.[.\s]*$/.test(line);
    else if (/^[.']/.test(line)) this.#request(line);
    else if (line.trim() === "" && !this.#isLiteral) this.endBlock();
    else this.#text(plainText(line));
  }

  #request(line: string): void {
    const [, name = "", rest = ""] = REQUEST.exec(line) ?? [];
    const args = argumentsOf(rest);
    const [isLiteral, level] = [LITERALS.get(name), HEADINGS.get(name)];
    this.#isDefinition = DEFINITION.test(name);
    if (isLiteral !== undefined || level !== undefined || BEGIN.has(name)) this.endBlock();
    if (level !== undefined) this.#openHeading(level, args);
    else if (isLiteral !== undefined) this.#isLiteral = isLiteral;
    else if (!SILENT.test(name)) this.#text(textOf(name, args));
  }

  #openHeading(level: number, args: string[]): void {
    this.#heading = level;
    const [name = "", section] = args;
    this.#text(level === 1 && section !== undefined ? `${name}(${section})` : args.join(" "));
  }

  #text(text: string): void {
    if (text !== "" || this.#isLiteral) this.#lines.push(text);
    if (this.#heading !== undefined && text !== "") this.endBlock();
  }

  endBlock(): void {
    const text = this.#lines.splice(0).join("\n");
    if (this.#isLiteral) this.#out.code(text);
    else if (this.#heading === undefined) this.#out.paragraph(text);
    else this.#out.heading(this.#heading, text);
    if (text !== "") this.#heading = undefined;
  }
}

const NAMED = new Map(
  "ssß aeæ /oø oaå Fo« Fc» Bq„ hy- en– em— bu• aq' Aq' dq\" oq‘ cq’ lq“ rq” rs\\ ha^ ti~ ga` co© rg® tm™ Tm™ R® ->→ <-← +-± mu× >=≥ <=≤"
    .split(" ")
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);
const ONE = new Map([..."-'`._\\"].map((each) => [each, each]));
for (const each of "~0t ") ONE.set(each, " ");
ONE.set("e", "\\");
const ACCENTS: Record<string, string> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  ":": "\u0308",
  "~": "\u0303",
  ",": "\u0327",
};
/** Characters and strings by name, what shows nothing (fonts, sizes, movements), and comments. */
const ESCAPE =
  /\\(?:["#].*|\*?(?:\((..)|\[([^\]]{0,200})\])|\*(.)|[fmMFYgkn][-+]?(?:\(..|\[[^\]]{0,200}\]|.)|s[-+]?\d{1,2}|[bhvlLDXNZHSARCwo]'[^']{0,2000}'|(.))/gs;

function plainText(line: string): string {
  return line.replace(ESCAPE, (_whole, two?: string, long?: string, text?: string, one = "") => {
    const name = two ?? long ?? text;
    if (name === undefined) return ONE.get(one) ?? "";
    const code = /^u([\dA-F]{4,5})$/.exec(name)?.[1];
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    const accent = ACCENTS[name.slice(0, -1)];
    return NAMED.get(name) ?? (accent ? `${name.at(-1)}${accent}`.normalize("NFC") : "");
  });
}

const ARGUMENT = /[ \t]*(?:"((?:[^"]|"")*)"?|((?:\\.|[^\s\\])+|\\$))/gsy;

function argumentsOf(text: string): string[] {
  return Array.from(text.matchAll(ARGUMENT), ([, quoted, bare = ""]) =>
    plainText(quoted === undefined ? bare : quoted.replaceAll('""', '"')),
  );
}
