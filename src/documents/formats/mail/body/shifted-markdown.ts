import { Progress, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { linesOf } from "../../../../text/lines.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";

const MAX_LEVEL = 6;
const MARKS = /^(?:(#{1,6})(?= )|[ \t]*(`{3,}(?!`)(?![^\n]*`)|~{3,})([^\n]*))/;

/** Headings are lowered by `levels`; written line by line, so that it is not in memory twice. */
export function* writeShifted(
  markdown: string,
  out: MarkdownBuilder,
  levels: number,
): CooperativeWork<void> {
  const progress = new Progress();
  const start = out.length;
  let fence = "";
  for (const line of linesOf(markdown.trim())) {
    const [mark = "", heading, code = "", rest = ""] = MARKS.exec(line) ?? [];
    let output = line;
    if (heading !== undefined && fence === "")
      output = "#".repeat(Math.min(mark.length + levels, MAX_LEVEL)) + line.slice(mark.length);
    else if (fence === "") fence = code;
    else if (code.startsWith(fence) && rest.trim() === "") fence = "";
    if (out.length === start) out.raw(output);
    else out.appendRaw(`\n${output}`);
    yield* progress.advanceTo(out.length - start);
  }
}
