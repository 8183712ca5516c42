import type { ExtractedDocument } from "./extracted-document.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";

/** Source code as one block of code, named after its file's ending. */
export function extractSourceCode(text: string, language: string): ExtractedDocument {
  const out = new MarkdownBuilder();
  out.code(text, language);
  return { markdown: out.toString(), title: null, language: null, pages: [], notes: [] };
}
