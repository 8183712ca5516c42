import { normalForm } from "../../../core/normal-form.ts";
import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { linesOf } from "../../../text/lines.ts";
import type { Extraction } from "../../extracted-document.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";

const REQUEST = /^[.'][ \t]*([^\s\\]{1,40})(.*)$/s;
const HEADINGS = new Map([...pairsOf("TH Dt", 1), ...pairsOf("SH Sh", 2), ...pairsOf("SS Ss", 3)]);
/** A paragraph begins with these. */
const BEGIN = new Set("P PP LP HP TP TQ RS RE SY YS Sp Pp Bl El br sp ti IP It".split(" "));
/** Requests of roff itself, and macros whose arguments are lengths or of an index. */
const SILENT = /^(?:[a-z].*|[^\w%].*|P|[PLH]P|P?D|T[PQ]|RS|RE|B[kl]|AT|UC|Sm|IX|)$/;
const LITERALS = new Map([
  ...pairsOf("nf EX Vb TS Bd", true),
  ...pairsOf("fi EE Ve TE Ed", false),
] as const);
/** Macros that print their arguments in two fonts by turns, without a space. */
const JOINED = /^(?:[BIR]{2})$/;
/** A longer paragraph is divided: all of it is folded at once. */
const MAX_LINES = 5_000;
const DEFINITION = /^(?:de1?|am1?|ig)$/;

function pairsOf<Value>(names: string, value: Value): [string, Value][] {
  return names.split(" ").map((name) => [name, value]);
}

/** Pages of man(7) and mdoc(7) without conditions, definitions and strings of their own. */
export function* readText(text: string): CooperativeWork<Extraction> {
  const page = new ManPage();
  const { out } = page;
  const progress = new Progress();
  let at = 0;
  for (const line of linesOf(text)) {
    page.add(line);
    yield* progress.advanceTo((at += line.length + 1));
  }
  page.endBlock();
  return out.extraction({ title: out.firstHeading(), ...page.facts() });
}

const textOf = (name: string, args: string[]) =>
  name === "IP" ? (args[0] ?? "") : args.join(JOINED.test(name) ? "" : " ");

class ManPage {
  #lines: string[] = [];
  #isLiteral = false;
  /** The name that ends the open definition. */
  #definitionEnd: string | null = null;
  /** Why the page has no text of its own. */
  #elsewhere: string | null = null;
  #heading: number | undefined;
  readonly out = new MarkdownBuilder();

  add(line: string): void {
    const [, name = "", rest = ""] = REQUEST.exec(line) ?? [];
    if (this.#definitionEnd !== null) {
      if (name === this.#definitionEnd) this.#definitionEnd = null;
    } else if (/^[.']/.test(line)) this.#request(name, argumentsOf(rest.replace(COMMENT, "$1")));
    else if (line.trim() === "" && !this.#isLiteral) this.endBlock();
    else this.#text(plainText(line));
  }

  facts(): { notes: string[]; reason?: string } {
    const notes = this.#definitionEnd === null ? [] : [ENDS_EARLY];
    return this.#elsewhere === null ? { notes } : { notes, reason: this.#elsewhere };
  }

  #request(name: string, args: string[]): void {
    const [isLiteral, level] = [LITERALS.get(name), HEADINGS.get(name)];
    if (isLiteral !== undefined || level !== undefined || BEGIN.has(name)) this.endBlock();
    if (level !== undefined) this.#openHeading(level, args);
    else if (isLiteral !== undefined) this.#isLiteral = isLiteral;
    else if (DEFINITION.test(name)) this.#definitionEnd = args[name === "ig" ? 0 : 1] ?? ".";
    else if (name === "so") this.#elsewhere ??= `its text is in ${args.join(" ")}`;
    else if (!SILENT.test(name)) this.#text(textOf(name, args));
  }

  #openHeading(level: number, args: string[]): void {
    this.#heading = level;
    this.#isLiteral = false;
    const [name = "", section] = args;
    this.#text(level === 1 && section !== undefined ? `${name}(${section})` : args.join(" "));
  }

  #text(marked: string): void {
    const text = marked.replaceAll(UNKNOWN, "");
    this.out.leftOut.add("special character or string", marked.length - text.length);
    if (text !== "" || this.#isLiteral) this.#lines.push(text);
    const isWhole = this.#heading !== undefined && text !== "";
    if (isWhole || this.#lines.length > MAX_LINES) this.endBlock();
  }

  endBlock(): void {
    const text = this.#lines.splice(0).join("\n");
    if (this.#isLiteral) this.out.code(text);
    else if (this.#heading === undefined) this.out.paragraph(text);
    else this.out.heading(this.#heading, text);
    if (text !== "") this.#heading = undefined;
  }
}

/** Pairs of a name and, at its end, the character that it shows. */
const namesIn = (pairs: string) =>
  new Map(pairs.split(" ").map((pair) => [pair.slice(0, -1), pair.slice(-1)]));
const NAMED = namesIn(
  'ssß aeæ AEÆ oeœ OEŒ oAÅ /OØ /oø oaå Fo« Fc» Bq„ hy- en– em— bu• aq\' Aq\' dq" oq‘ cq’ lq“ rq” rs\\ ha^ ti~ ga` co© rg® tm™ Tm™ R® ->→ <-← +-± mu× di÷ de° >=≥ <=≤ !=≠ ==≡ ~=≅ if∞ no¬ mi− pl+ eq= sl/ aa´ at@ sh# Do$ ba| bv| br│ ul_ lB[ rB] lC{ rC} la⟨ ra⟩ Po£ Eu€ ct¢ Ye¥ sc§ ps¶ dg† dd‡ r!¡ r?¿ 12½ 14¼ 34¾ S1¹ S2² S3³ ci○ sq□ ua↑ da↓ L"“ R"” --—',
);
const ACCENTS = namesIn("'\u0301 `\u0300 ^\u0302 :\u0308 ~\u0303 ,\u0327 v\u030c");
const ONE = new Map([..."-'`._\\"].map((each) => [each, each]));
for (const each of "~0t ") ONE.set(each, " ");
ONE.set("e", "\\");
/** Characters and strings by name, what shows nothing (fonts, sizes, movements), and comments. */
const ESCAPE =
  /\\(?:["#].*|\*?(?:\((..)|\[([^\]]{0,200})\])|\*(.)|[fmMFYgkn][-+]?(?:\(..|\[[^\]]{0,200}\]|.)|s[-+]?\d{1,2}|[bhvlLDXNZHSARCwo]'[^']{0,2000}'|(.?))/gs;
const COMMENT = /(^|[^\\])\\["#].*$/s;
/** Stands for a character or string without a known name; it is counted and not shown. */
const UNKNOWN = "\ufffd";

function plainText(line: string): string {
  return line.replace(ESCAPE, (_whole, two?: string, long?: string, text?: string, letter = "") => {
    const name = two ?? long ?? text;
    if (name === undefined) return ONE.get(letter) ?? "";
    const code = /^u([\dA-F]{4,5})$/.exec(name)?.[1];
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    const accent = ACCENTS.get(name.slice(0, -1));
    return NAMED.get(name) ?? (accent ? normalForm(`${name.at(-1)}${accent}`, "NFC") : UNKNOWN);
  });
}

const ARGUMENT = /[ \t]*(?:"((?:[^"]|"")*)"?|((?:\\.|[^\s\\])+|\\$))/gsy;

function argumentsOf(text: string): string[] {
  return Array.from(text.matchAll(ARGUMENT), ([, quoted, bare = ""]) =>
    plainText(quoted === undefined ? bare : quoted.replaceAll('""', '"')),
  );
}
