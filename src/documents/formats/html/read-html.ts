import { Parser } from "htmlparser2";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { HtmlReader, type HtmlOptions } from "./html-reader.ts";

const PARSE_STEP_CHARACTERS = 1 << 16;

/** Reads HTML in one pass, without a tree, so that memory does not grow with nesting. */
export function* readHtml(
  html: string,
  out: MarkdownBuilder,
  options: HtmlOptions = {},
): CooperativeWork<HtmlReader> {
  const reader = new HtmlReader(out, options);
  const parser = new Parser(reader);
  for (let at = 0; at < html.length; at += PARSE_STEP_CHARACTERS) {
    const step = html.slice(at, at + PARSE_STEP_CHARACTERS);
    parser.write(step);
    yield step.length;
  }
  parser.end();
  reader.finish();
  return reader;
}
