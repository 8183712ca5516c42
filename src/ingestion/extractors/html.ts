import type { Stretches } from "../../core/stretches.ts";
import type { Extraction } from "./extracted-document.ts";
import { endsEarly } from "./html/ends-early.ts";
import { readHtml } from "./html/html-reader.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { countNote, ENDS_EARLY } from "./notes.ts";

/** A page that is nothing but links keeps them: better than no text. */
export function* readPage(
  html: string,
): Stretches<{ extraction: Extraction; hiddenElements: number }> {
  let out = new MarkdownBuilder();
  let facts = yield* readHtml(html, out);
  if (out.length === 0) {
    out = new MarkdownBuilder();
    facts = yield* readHtml(html, out, { keepNavigation: true });
  }
  const notes = countNote(facts.hiddenElements, "hidden element", "removed");
  if (endsEarly(html)) notes.push(ENDS_EARLY);
  if (facts.flattened) notes.push("nesting deeper than 1000 elements flattened");
  const title = facts.title ?? out.firstHeading();
  const extraction = { text: out, title, language: facts.language, pages: [], notes };
  return { extraction, hiddenElements: facts.hiddenElements };
}

export function* extractHtml(html: string): Stretches<Extraction> {
  return (yield* readPage(html)).extraction;
}
