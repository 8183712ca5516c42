import { Parser } from "htmlparser2";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { HtmlReader } from "./html-reader.ts";
import type { HtmlOptions } from "./html-reader.ts";
import type { LeadingParts } from "./leading-parts.ts";
import { NestingLimit } from "./nesting-limit.ts";
import type { ShownText } from "./shown-text.ts";

export type HtmlFacts = {
  title: string | null;
  language: string | null;
  hiddenElements: number;
  flattened: boolean;
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
  const limit = new NestingLimit(html, reader);
  const parser = new Parser(reader, { Tokenizer: limit.tokenizer });
  for (let at = 0; at < html.length; at += PARSE_STEP_CHARACTERS) {
    const step = html.slice(at, at + PARSE_STEP_CHARACTERS);
    parser.write(step);
    yield step.length;
  }
  parser.end();
  reader.finish();
  const { hidden: hiddenElements, shown, parts } = reader;
  const { title, language } = reader.facts;
  return { title, language, hiddenElements, flattened: limit.flattened, shown, parts };
}
