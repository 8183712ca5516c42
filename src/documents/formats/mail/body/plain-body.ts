import { wholeCharacterEnd } from "../../../../core/whole-character.ts";
import { Progress, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { linesOf } from "../../../../text/lines.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";

/** A longer paragraph is divided: bounds memory. */
const STEP_CHARACTERS = 1 << 16;
const SIGNATURE = /^-- ?$/;

/** Lines stay as they were sent, also those of RFC 3676: in Markdown a line break is a space. */
export function* writePlainBody(text: string, out: MarkdownBuilder): CooperativeWork<void> {
  const progress = new Progress();
  let paragraph = "";
  let last: Kind = "text";
  const end = () => {
    out.paragraph(paragraph);
    paragraph = "";
  };
  for (const line of linesOf(text)) {
    for (const piece of piecesOf(line)) {
      const kind = kindOf(piece);
      // Next to a quotation or a line of text, Markdown would include a signature.
      const isApart = last === "quotation" || kind === "signature";
      if ((isApart && kind !== last) || paragraph.length > STEP_CHARACTERS) end();
      last = kind;
      if (!/\S/.test(piece)) end();
      else paragraph += paragraph === "" ? piece : `\n${piece}`;
    }
    yield* progress.advanceTo(out.length);
  }
  end();
}

type Kind = "text" | "quotation" | "signature";

function kindOf(line: string): Kind {
  if (line.startsWith(">")) return "quotation";
  return SIGNATURE.test(line) ? "signature" : "text";
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
