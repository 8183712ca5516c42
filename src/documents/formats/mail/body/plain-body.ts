import { Progress, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { wholeCharacterEnd } from "../../../decoding/hidden-characters.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { linesOf } from "../parts/part-text.ts";

/** A longer paragraph is divided: bounds memory. */
const STEP_CHARACTERS = 1 << 16;
const SIGNATURE = /^-- ?$/;

/** Lines stay as they were sent, also those of RFC 3676: in Markdown a line break is a space. */
export function* writePlainBody(text: string, out: MarkdownBuilder): CooperativeWork<void> {
  const paragraphs = new ParagraphWriter(out);
  const progress = new Progress();
  for (const line of linesOf(text)) {
    for (const piece of piecesOf(line)) paragraphs.line(piece);
    yield* progress.advanceTo(out.length);
  }
  paragraphs.end();
}

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
