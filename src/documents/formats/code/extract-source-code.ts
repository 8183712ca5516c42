import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";

/** Source code as one block of code, named after its file's ending. */
export function* extractSourceCode(text: string, language: string): CooperativeWork<Extraction> {
  const out = new MarkdownBuilder();
  yield* out.longCode(text, language);
  return out.extraction();
}
