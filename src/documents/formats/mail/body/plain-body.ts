import { Progress, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { wholeCharacterEnd } from "../../../decoding/hidden-characters.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { MailPart } from "../parts/mail-parts.ts";
import { linesOf } from "../parts/part-text.ts";

/** A longer paragraph is divided: bounds memory. */
const STEP_CHARACTERS = 1 << 16;
const MAX_QUOTATIONS = 20;
const SIGNATURE = /^-- ?$/;

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
    for (const piece of piecesOf(line)) paragraphs.line(piece);
    yield* progress.advanceTo(out.length);
  }
  paragraphs.end();
}

type FlowedLine = { marks: string; text: string };

/** Joins lines that end in a space (RFC 3676). `deletesSpace` (`DelSp`): that space is removed. */
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
  #text = "";
  #kind: "text" | "quotation" | "signature" = "text";

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  line(line: string): void {
    const other = SIGNATURE.test(line) ? "signature" : "text";
    const kind = line.startsWith(">") ? "quotation" : other;
    // Next to a quotation or a line of text, Markdown would include a signature.
    const isApart = this.#kind === "quotation" || kind === "signature";
    if ((isApart && kind !== this.#kind) || this.#text.length > STEP_CHARACTERS) this.end();
    this.#kind = kind;
    if (!/\S/.test(line)) this.end();
    else this.#text += this.#text === "" ? line : `\n${line}`;
  }

  end(): void {
    this.#out.paragraph(this.#text);
    this.#text = "";
  }
}

/** A line, or as much of it as is written at once, up to a space; a character stays whole. */
function* piecesOf(line: string): Generator<string> {
  let at = 0;
  while (line.length - at > STEP_CHARACTERS) {
    const space = line.lastIndexOf(" ", at + STEP_CHARACTERS);
    const end = space > at ? space : wholeCharacterEnd(line, at + STEP_CHARACTERS);
    yield line.slice(at, end);
    at = end;
  }
  yield line.slice(at);
}
