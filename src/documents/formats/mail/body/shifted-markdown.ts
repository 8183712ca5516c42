import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";

const STEP_CHARACTERS = 1 << 18;
const MAX_LEVEL = 6;
const MARKS = /^(?:(#{1,6})(?= )|[ \t]*(`{3,}|~{3,})([^\n]*))/gm;

/**
 * Writes a whole document's Markdown as a part of another: headings are lowered by `levels`, code
 * is unchanged. It is written in pieces, so that it is not in memory twice.
 */
export function* writeShifted(
  markdown: string,
  out: MarkdownBuilder,
  levels: number,
): CooperativeWork<void> {
  const text = markdown.trim();
  let fence = "";
  const shift = (mark: string, heading: string | undefined, code = "", rest = "") => {
    if (heading !== undefined) {
      return fence === "" ? "#".repeat(Math.min(heading.length + levels, MAX_LEVEL)) : mark;
    }
    if (fence === "") fence = code;
    else if (code.startsWith(fence) && rest.trim() === "") fence = "";
    return mark;
  };
  let isLineStart = true;
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at);
    const piece = text.slice(at, end);
    // A piece that continues a line does not begin with a line start.
    const line = isLineStart ? 0 : piece.indexOf("\n");
    const shown = line < 0 ? piece : piece.slice(0, line) + piece.slice(line).replace(MARKS, shift);
    if (at === 0) out.raw(shown);
    else out.more(shown);
    isLineStart = text[end - 1] === "\n";
    at = end;
    yield piece.length;
  }
}

/** The position after the last line that fits; the first piece stops before its line break. */
function pieceEnd(text: string, at: number): number {
  const most = at + STEP_CHARACTERS;
  if (at === 0) {
    const line = text.indexOf("\n");
    const end = line < 0 ? text.length : line;
    return Math.min(end, most);
  }
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf("\n", most - 1);
  return line >= at ? line + 1 : most;
}
