import type { Stretches } from "../../core/stretches.ts";
import type { Extraction } from "./extracted-document.ts";
import { endsEarly } from "./html/ends-early.ts";
import type { HtmlOptions } from "./html/html-reader.ts";
import { readHtml } from "./html/read-html.ts";
import type { HtmlFacts } from "./html/read-html.ts";
import { MarkdownBuilder } from "./markdown-builder.ts";
import { countNote, ENDS_EARLY } from "./notes.ts";

/** Shorter than this, what stands around an empty page is not its text. */
const LEAST_CHARACTERS = 200;
const BUILT_BY_SCRIPTS = "page is built by scripts and holds no text of its own";

/** A page that is nothing but links keeps them: better than no text. */
export function* readPage(
  html: string,
  options: HtmlOptions = {},
): Stretches<{ extraction: Extraction; hiddenElements: number }> {
  let out = new MarkdownBuilder();
  let facts = yield* readHtml(html, out, options);
  if (facts.shown.hasEmptyMount && out.length < LEAST_CHARACTERS && /<script/i.test(html)) {
    const { title, language, hiddenElements } = facts;
    const extraction = {
      text: "",
      title,
      language,
      pages: [],
      notes: [],
      reason: BUILT_BY_SCRIPTS,
    };
    return { extraction, hiddenElements };
  }
  const again = options.keepNavigation === true ? null : readAgain(facts, out);
  if (again !== null) {
    out = new MarkdownBuilder();
    facts = yield* readHtml(html, out, again);
  }
  const notes = countNote(facts.hiddenElements, "hidden element", "removed");
  if (endsEarly(html)) notes.push(ENDS_EARLY);
  if (facts.flattened) notes.push("nesting deeper than 1000 elements flattened");
  const title = facts.title ?? out.firstHeading();
  const extraction = { text: out, title, language: facts.language, pages: [], notes };
  return { extraction, hiddenElements: facts.hiddenElements };
}

/** How to read a page once more, now that it is known what it holds; null when it is read well. */
function readAgain({ shown }: HtmlFacts, out: MarkdownBuilder): HtmlOptions | null {
  if (out.length === 0) return { keepNavigation: true };
  if (!shown.isAllInMain) return null;
  return { onlyMain: shown.mainHasTitle ? "alone" : "and title" };
}

export function* extractHtml(html: string): Stretches<Extraction> {
  return (yield* readPage(html)).extraction;
}

/** Nothing leads around a letter: what pages have in such places is its author's. */
export function* extractLetter(html: string): Stretches<Extraction> {
  return (yield* readPage(html, { keepNavigation: true })).extraction;
}
