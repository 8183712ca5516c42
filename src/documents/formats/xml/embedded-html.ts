import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import { textOf } from "../../extracted-document.ts";
import type { Omissions } from "../../notes.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { readPage } from "../html/extract-html.ts";

const NAMES = "p|div|ul|ol|li|h[1-6]|a|b|i|em|strong|span|table|blockquote|pre";
const OPENED = new RegExp(String.raw`<(${NAMES})\b[^<>]*>`, "gi");
const CLOSED = /<\/([a-z][a-z0-9]{0,9})\s*>/gi;
const WITH_ATTRIBUTE = new RegExp(
  String.raw`<(?:${NAMES})\s+(?:[\w:-]{1,30}\s*=|hidden[\s>])`,
  "i",
);
const ALONE = /<(?:br|hr)\s*\/?>|<img\s[^<>]*>/i;

/** Feeds contain HTML as text; its headings are placed below the feed's own. */
export function* htmlToMarkdown(text: string, leftOut: Omissions): CooperativeWork<string> {
  if (!isHtml(text)) return text;
  return (yield* embeddedPage(text, leftOut)).replace(/^(#{1,4}) /gm, "##$1 ");
}

/** HTML as text on one line; other text stays as it is. */
export function* htmlToLine(text: string, leftOut: Omissions): CooperativeWork<string> {
  const prose = yield* htmlToMarkdown(text, leftOut);
  return prose === text ? text : foldSpace(prose);
}

export function* embeddedPage(html: string, leftOut: Omissions): CooperativeWork<string> {
  const page = yield* readPage(html);
  leftOut.add("hidden element", page.hiddenElements);
  return textOf(page);
}

/** Whether a value contains HTML, as in feeds. `List<a>` is not HTML. */
function isHtml(text: string): boolean {
  if (!text.includes("<")) return false;
  if (ALONE.test(text) || WITH_ATTRIBUTE.test(text)) return true;
  const closedNames = namesIn(text, CLOSED);
  return closedNames.size > 0 && [...namesIn(text, OPENED)].some((name) => closedNames.has(name));
}

function namesIn(text: string, tags: RegExp): Set<string> {
  const names = new Set<string>();
  for (const [, name = ""] of text.matchAll(tags)) names.add(name.toLowerCase());
  return names;
}
