import type { Extraction } from "./extracted-document.ts";
import { readHtml } from "./html/html-reader.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";

/** A page that is nothing but links keeps them: better than no text. */
export function extractHtml(html: string): Extraction {
  let out = new MarkdownBuilder();
  let facts = readHtml(html, out);
  if (out.length === 0) {
    out = new MarkdownBuilder();
    facts = readHtml(html, out, { keepNavigation: true });
  }
  const notes: string[] = [];
  const hidden = facts.hiddenElements;
  if (hidden > 0) notes.push(`${hidden} hidden element${hidden === 1 ? "" : "s"} removed`);
  if (facts.flattened) notes.push("nesting deeper than 1000 elements flattened");
  return {
    text: out,
    title: facts.title ?? out.firstHeading(),
    language: facts.language,
    pages: [],
    notes,
  };
}
