import { Progress } from "../../../core/work/cooperative.ts";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { UnreadableDocument } from "../../extracted-document.ts";
import type { Extraction } from "../../extracted-document.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { MAN_MACROS } from "./man-macros.ts";
import { ManWriter } from "./man-writer.ts";
import { argumentsOf, plainText } from "./roff-escapes.ts";
import { RoffSource } from "./roff-source.ts";
import { rowsOf } from "./tables.ts";

const MDOC = "manual page uses mdoc; convert it with mandoc -T markdown";
const HEADINGS = new Map([
  ["SH", 2],
  ["SS", 3],
]);

/**
 * Manual pages: man(7), with tables of tbl(1).
 * @throws UnreadableDocument for mdoc(7), the macros of BSD.
 */
export function* extractMan(text: string): CooperativeWork<Extraction> {
  if (/^\.D[dt]\b/m.test(text)) throw new UnreadableDocument(MDOC);
  const out = new MarkdownBuilder();
  const writer = new ManWriter(out);
  const source = new RoffSource(text);
  const reader = new ManReader(writer);
  const progress = new Progress();
  for (const { request, text: line } of source.lines((each) => MAN_MACROS.has(each))) {
    reader.read(request, line);
    const advanced = progress.advanceTo(source.at);
    if (advanced > 0) yield advanced;
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
  #table: string[] | null = null;

  constructor(writer: ManWriter) {
    this.#writer = writer;
  }

  read(request: string | null, line: string): void {
    if (this.#table !== null) this.#inTable(request, line, this.#table);
    else if (request === null) this.#text(line);
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
    else if (name === "TS") this.#table = [];
    else if (name === "so") this.elsewhere ??= text.trim();
    else MAN_MACROS.get(name)?.(this.#writer, args);
  }

  #writeHeading(level: number, text: string): void {
    this.#heading = text === "" ? level : null;
    if (text !== "") this.#writer.heading(level, text);
  }

  #inTable(request: string | null, line: string, table: string[]): void {
    if (request !== "TE") table.push(request === null ? line : `.${request} ${line}`);
    else {
      this.#table = null;
      this.#writer.table(rowsOf(table));
    }
  }
}
