import { Progress, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { MailPart } from "../parts/mail-parts.ts";
import { linesOf } from "../parts/part-text.ts";

/** Characters of a paragraph written at once; bounds memory for a text that is one long line. */
const STEP_CHARACTERS = 1 << 16;
const MAX_QUOTATIONS = 20;
const SIGNATURE = /^-- ?$/;

/** Writes a plain-text body paragraph by paragraph; keeps its line breaks unless it is flowed. */
export function* writePlainBody(
  text: string,
  out: MarkdownBuilder,
  parameters: MailPart["parameters"],
): CooperativeWork<void> {
  const isSet = (name: string, value: string) => parameters.get(name)?.toLowerCase() === value;
  const paragraphs = new ParagraphWriter(out);
  const progress = new Progress();
  const lines = linesOf(text);
  const isFlowed = isSet("format", "flowed");
  for (const line of isFlowed ? unflowed(lines, isSet("delsp", "yes")) : lines) {
    paragraphs.line(line);
    yield* progress.advanceTo(out.length);
  }
  paragraphs.end();
}

type FlowedLine = { marks: string; text: string };

/**
 * Joins a line that ends in a space with the next line of the same quotation depth (RFC 3676).
 * `deletesSpace` (`DelSp`): the space before a soft break is removed.
 */
function* unflowed(lines: Iterable<string>, deletesSpace: boolean): Generator<string> {
  const beforeBreak = (text: string) => (deletesSpace ? text.slice(0, -1) : text);
  let open: FlowedLine | null = null;
  for (const line of lines) {
    const marks = marksOf(line);
    // The first space is stuffing: it keeps the text from being taken for a quotation mark.
    const text = line.slice(marks.length).replace(/^ /, "");
    const isApart = text === "" || SIGNATURE.test(text);
    if (open !== null && (isApart || open.marks !== marks)) {
      yield quoted(open);
      open = null;
    }
    open ??= { marks, text: "" };
    const isSoft = text.endsWith(" ") && !isApart;
    open.text += isSoft ? beforeBreak(text) : text;
    if (isSoft && open.text.length < STEP_CHARACTERS) continue;
    yield quoted(open);
    open = null;
  }
  if (open !== null) yield quoted(open);
}

const marksOf = (line: string) => /^>*/.exec(line)?.[0] ?? "";

const quoted = ({ marks, text }: FlowedLine) =>
  "> ".repeat(Math.min(marks.length, MAX_QUOTATIONS)) + text;

class ParagraphWriter {
  readonly #out: MarkdownBuilder;
  /** What is not written yet, and what stands before it. */
  #text = "";
  #gap = "";
  #isBegun = false;
  #kind: "text" | "quotation" | "signature" = "text";

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  line(line: string): void {
    const other = SIGNATURE.test(line) ? "signature" : "text";
    const kind = line.startsWith(">") ? "quotation" : other;
    // Next to a quotation or under a line of text, Markdown would take a signature for a part of
    // it.
    const isApart = this.#kind === "quotation" || kind === "signature";
    if (isApart && kind !== this.#kind) this.end();
    this.#kind = kind;
    if (!/\S/.test(line)) this.end();
    else this.#add(line);
  }

  end(): void {
    this.#write();
    this.#isBegun = false;
  }

  #add(line: string): void {
    let gap = "\n";
    for (let at = 0; at < line.length;) {
      const end = pieceEnd(line, at);
      if (this.#text === "") this.#gap = gap;
      else this.#text += gap;
      this.#text += line.slice(at, end);
      if (this.#text.length > STEP_CHARACTERS || end < line.length) this.#write();
      gap = line[end] === " " ? " " : "";
      at = end;
    }
  }

  #write(): void {
    if (this.#text === "") return;
    if (this.#isBegun) this.#out.moreParagraph(this.#gap, this.#text);
    else this.#out.paragraph(this.#text);
    this.#text = "";
    this.#isBegun = true;
  }
}

/** The end of a line, or the last space of what is written at once; a character stays whole. */
function pieceEnd(line: string, at: number): number {
  const most = at + STEP_CHARACTERS;
  if (most >= line.length) return line.length;
  const space = line.lastIndexOf(" ", most);
  if (space > at) return space;
  return /[\ud800-\udbff]/.test(line[most - 1] ?? "") ? most - 1 : most;
}
