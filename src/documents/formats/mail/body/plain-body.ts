import { Progress, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";

/** RFC 3676. `deletesSpace` (`DelSp`): the space before a soft break is removed. */
export type Flow = { deletesSpace: boolean };

/** Characters of a paragraph written at once; bounds memory for a text that is one long line. */
const STEP_CHARACTERS = 1 << 16;
const MAX_QUOTATIONS = 20;
const SIGNATURE = /^-- ?$/;

/** Writes a plain-text body paragraph by paragraph and keeps its line breaks. */
export function* writePlainBody(
  text: string,
  out: MarkdownBuilder,
  flow: Flow | null,
): CooperativeWork<void> {
  const paragraphs = new ParagraphWriter(out);
  const progress = new Progress();
  const lines = linesOf(text);
  for (const line of flow === null ? lines : unflowed(lines, flow)) {
    paragraphs.line(line);
    yield* progress.advanceTo(out.length);
  }
  paragraphs.end();
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    yield text.slice(at, end);
    at = end + 1;
  }
}

type FlowedLine = { marks: string; text: string };

/** Joins a line that ends in a space with the next line of the same quotation depth. */
function* unflowed(lines: Iterable<string>, { deletesSpace }: Flow): Generator<string> {
  let open: FlowedLine | null = null;
  for (const line of lines) {
    const marks = marksOf(line);
    // The first space is stuffing: it keeps the text from being taken for a quotation mark.
    const text = line.slice(marks.length).replace(/^ /, "");
    if (open !== null && !goesOn(open, marks, text)) {
      yield quoted(open);
      open = null;
    }
    open ??= { marks, text: "" };
    const isSoft = text.endsWith(" ") && !SIGNATURE.test(text);
    open.text += isSoft && deletesSpace ? text.slice(0, -1) : text;
    if (isSoft && open.text.length < STEP_CHARACTERS) continue;
    yield quoted(open);
    open = null;
  }
  if (open !== null) yield quoted(open);
}

const marksOf = (line: string) => /^>*/.exec(line)?.[0] ?? "";

const goesOn = (open: FlowedLine, marks: string, text: string) =>
  open.marks === marks && text !== "" && !SIGNATURE.test(text);

const quoted = ({ marks, text }: FlowedLine) =>
  "> ".repeat(Math.min(marks.length, MAX_QUOTATIONS)) + text;

class ParagraphWriter {
  readonly #out: MarkdownBuilder;
  #lines: string[] = [];
  #length = 0;
  #isBegun = false;
  #isQuoted = false;
  #isSignature = false;

  constructor(out: MarkdownBuilder) {
    this.#out = out;
  }

  line(line: string): void {
    const isQuoted = line.startsWith(">");
    // Next to a quotation or under a line of text, Markdown would take a signature for a part of
    // it.
    const isSignature = SIGNATURE.test(line);
    if ((this.#isQuoted && !isQuoted) || (isSignature && !this.#isSignature)) this.end();
    this.#isQuoted = isQuoted;
    this.#isSignature = isSignature;
    if (!/\S/.test(line)) this.end();
    else if (line.length > STEP_CHARACTERS) this.#longLine(line);
    else this.#add(line);
  }

  end(): void {
    this.#write("\n");
    this.#isBegun = false;
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
    if (this.#length > STEP_CHARACTERS) this.#write("\n");
  }

  #longLine(line: string): void {
    let gap = "\n";
    this.#write(gap);
    for (let at = 0; at < line.length;) {
      const most = at + STEP_CHARACTERS;
      const space = line.lastIndexOf(" ", most);
      const end =
        most >= line.length ? line.length : space > at ? space : wholeCharacter(line, most);
      this.#lines = [line.slice(at, end)];
      this.#write(gap);
      gap = end === space ? " " : "";
      at = end;
    }
  }

  #write(gap: string): void {
    const text = this.#lines.join("\n");
    this.#lines = [];
    this.#length = 0;
    if (text === "") return;
    if (this.#isBegun) this.#out.moreParagraph(gap, text);
    else this.#out.paragraph(text);
    this.#isBegun = true;
  }
}

/** `at`, or one less where it would split a surrogate pair. */
const wholeCharacter = (text: string, at: number) =>
  /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at - 1 : at;
