import type { Extraction } from "./extracted-document.ts";
import { endsEarly } from "./html/ends-early.ts";
import { readHtml } from "./html/html-reader.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { countNote, ENDS_EARLY } from "./notes.ts";

/** A page that is nothing but links keeps them: better than no text. */
export function readPage(html: string): { extraction: Extraction; hiddenElements: number } {
  let out = new MarkdownBuilder();
  let facts = readHtml(html, out);
  if (out.length === 0) {
    out = new MarkdownBuilder();
    facts = readHtml(html, out, { keepNavigation: true });
  }
  const notes = countNote(facts.hiddenElements, "hidden element", "removed");
  if (endsEarly(html)) notes.push(ENDS_EARLY);
  if (facts.flattened) notes.push("nesting deeper than 1000 elements flattened");
  const title = facts.title ?? out.firstHeading();
  const extraction = { text: out, title, language: facts.language, pages: [], notes };
  return { extraction, hiddenElements: facts.hiddenElements };
}

export const extractHtml = (html: string): Extraction => readPage(html).extraction;
