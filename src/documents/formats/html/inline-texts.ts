import { foldSpace } from "../../writing/fold-space.ts";
import { linkMarkdown } from "../../writing/link-text.ts";
import { markSubscript, markExponent } from "../../writing/raised-text.ts";
import { isSkipLink, type Attributes, type Effect } from "./html-roles.ts";

const PERMALINK = /^(?:[¶#§¤∞↩↑⚓⌗\u{1f517}\uf0c1]|\ufe0e|\ufe0f)+$/u;

/** Deeper inline elements are plain text: each level scans and copies all of its text. */
export const MAX_INLINE_DEPTH = 12;

type InlineSurroundings = {
  attributes: Attributes;
  readings: string;
  before: string;
  isInCode: boolean;
  isNote: boolean;
};

export function inlineText(effect: Effect, text: string, around: InlineSurroundings): string {
  const { attributes, before, isInCode, isNote, readings } = around;
  if (effect === "link" && isSelfLink(text, attributes)) return "";
  if (effect === "raised") return isNote ? noteText(text) : markExponent(text, before);
  if (effect === "lowered") return markSubscript(text, before);
  if (effect === "ruby") return readings === "" ? text : `${text}(${readings})`;
  return isInCode ? text : writeEffect(effect, text, around);
}

function writeEffect(effect: Effect, text: string, around: InlineSurroundings): string {
  if (effect === "struck") return struckText(text);
  if (effect === "link") return linkMarkdown(text, around.attributes["href"]?.trim() ?? "");
  if (effect === "note") return noteText(text);
  return effect === "code" ? codeText(text) : text;
}

/** Whether a link points to its own place, or on this page past the navigation. */
function isSelfLink(text: string, attributes: Attributes): boolean {
  const { href = "" } = attributes;
  if (href.startsWith("#") && isSkipLink(attributes, text)) return true;
  return href.includes("#") && PERMALINK.test(foldSpace(text));
}

function noteText(text: string): string {
  const mark = text.replace(/\D/g, "");
  return mark === "" ? text : `[^${mark}]`;
}

function codeText(code: string): string {
  return code.trim() === "" || code.includes("`") ? code : `\`${foldSpace(code)}\``;
}

/** Struck text stays apart from the text around it: ~~100~~ 80. */
const struckText = (text: string) => (text.trim() === "" ? text : ` ~~${text.trim()}~~ `);
