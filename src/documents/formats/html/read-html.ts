import { Parser } from "htmlparser2";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { HtmlReader } from "./html-reader.ts";
import type { HtmlOptions } from "./html-reader.ts";
import type { LeadingParts } from "./leading-parts.ts";
import type { ShownText } from "./shown-text.ts";

export type HtmlFacts = {
  title: string | null;
  language: string | null;
  hiddenElements: number;
  shown: ShownText;
  parts: LeadingParts;
};

const PARSE_STEP_CHARACTERS = 1 << 16;

/** Reads HTML in one pass, without a tree, so that memory does not grow with nesting. */
export function* readHtml(
  html: string,
  out: MarkdownBuilder,
  options: HtmlOptions = {},
): CooperativeWork<HtmlFacts> {
  const reader = new HtmlReader(out, options);
  const parser = new Parser(reader);
  for (let at = 0; at < html.length; at += PARSE_STEP_CHARACTERS) {
    const step = html.slice(at, at + PARSE_STEP_CHARACTERS);
    parser.write(step);
    yield step.length;
  }
  parser.end();
  reader.finish();
  const { hidden: hiddenElements, shown, parts } = reader;
  const { title, language } = reader.facts;
  return { title, language, hiddenElements, shown, parts };
}
