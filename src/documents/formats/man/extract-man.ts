import { Progress, type CooperativeWork } from "../../../core/work/cooperative.ts";
import { UnreadableDocument, type Extraction } from "../../extracted-document.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ManWriter } from "./man-writer.ts";
import { argumentsOf, plainText, RoffSource } from "./roff-source.ts";

const MDOC = "manual page uses mdoc; convert it with mandoc -T markdown";
const HEADINGS = new Map([
  ["SH", 2],
  ["SS", 3],
]);

/** Pages of man(7); tables (tbl(1)) stay as they are. @throws UnreadableDocument for mdoc(7) */
export function* readText(text: string): CooperativeWork<Extraction> {
  if (/^\.D[dt]\b/m.test(text)) throw new UnreadableDocument(MDOC);
  const out = new MarkdownBuilder();
  const writer = new ManWriter(out);
  const source = new RoffSource(text);
  const reader = new ManReader(writer);
  const progress = new Progress();
  for (const { request, text: line } of source.lines((each) => MAN_MACROS.has(each))) {
    reader.read(request, line);
    yield* progress.advanceTo(source.at);
  }
  writer.paragraph();
  const extraction = { text: out, title: writer.title, language: null, pages: [], notes: [] };
  const { elsewhere } = reader;
  return elsewhere === null ? extraction : { ...extraction, reason: `its text is in ${elsewhere}` };
}

class ManReader {
  elsewhere: string | null = null;
  readonly #writer: ManWriter;
  #heading: number | null = null;

  constructor(writer: ManWriter) {
    this.#writer = writer;
  }

  read(request: string | null, line: string): void {
    if (request === null) this.#text(line);
    else this.#request(request, line);
  }

  #text(line: string): void {
    const text = plainText(line);
    if (this.#heading !== null) this.#writeHeading(this.#heading, text);
    else if (this.#writer.isLiteral) this.#writer.add(text);
    else if (text.trim() === "") this.#writer.flush();
    else {
      if (/^\s/.test(line)) this.#writer.breakLine();
      this.#writer.add(text.trim());
      if (line.endsWith("\\c")) this.#writer.glue();
    }
  }

  #request(name: string, text: string): void {
    const level = HEADINGS.get(name);
    const args = argumentsOf(text).map((each) => plainText(each));
    if (level !== undefined) this.#writeHeading(level, args.join(" "));
    else if (name === "so") this.elsewhere ??= text.trim();
    else MAN_MACROS.get(name)?.(this.#writer, args);
  }

  #writeHeading(level: number, text: string): void {
    this.#heading = text === "" ? level : null;
    if (text !== "") this.#writer.heading(level, text);
  }
}

type Macro = (writer: ManWriter, args: string[]) => void;

const MACROS: [names: string, macro: Macro][] = [
  ["TH", (writer, [name = "", section = ""]) => writer.setTitle(name, section)],
  ["B I R SM SB", (writer, args) => args.length > 0 && writer.add(args.join(" "))],
  ["BR BI RB RI IB IR", (writer, args) => args.length > 0 && writer.add(args.join(""))],
  ["PP P LP HP", (writer) => writer.paragraph()],
  ["TP", (writer) => writer.awaitTag()],
  ["TQ", (writer) => writer.awaitTag(true)],
  ["IP", (writer, [label = ""]) => writer.startItem(label)],
  ["RS", (writer) => writer.indent()],
  ["RE", (writer) => writer.outdent()],
  ["sp Sp YS", (writer) => writer.flush()],
  ["br ti", (writer) => writer.breakLine()],
  ["nf EX Vb TS", (writer) => writer.literal(true)],
  ["fi EE Ve TE", (writer) => writer.literal(false)],
  ["OP", (writer, args) => writer.add(`[${args.join(" ")}]`)],
  // A link's target comes before its text, and a mark after its end.
  ["UR MT", (writer, [target = ""]) => writer.add(`<${target}>`)],
  ["UE ME", (writer, [mark = ""]) => writer.add(mark, true)],
  [
    "SY",
    (writer, args) => {
      writer.breakLine();
      writer.add(args.join(" "));
    },
  ],
];

/** Macros of man(7), and requests of roff that print, break or divide text. */
const MAN_MACROS = new Map(
  MACROS.flatMap(([names, macro]) => names.split(" ").map((name) => [name, macro] as const)),
);
