import { foldSpace } from "../../writing/fold-space.ts";
import { linked } from "../../writing/link-text.ts";
import { loweredText, raisedText } from "../../writing/raised-text.ts";
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
  if (effect === "link" && leadsNowhere(text, attributes)) return "";
  if (effect === "raised") return isNote ? noteText(text) : raisedText(text, before);
  if (effect === "lowered") return loweredText(text, before);
  if (effect === "ruby") return readings === "" ? text : `${text}(${readings})`;
  return isInCode ? text : outsideCode(effect, text, around);
}

function outsideCode(effect: Effect, text: string, around: InlineSurroundings): string {
  if (effect === "struck") return struckText(text);
  if (effect === "link") return linked(text, around.attributes["href"]?.trim() ?? "");
  if (effect === "note") return noteText(text);
  return effect === "code" ? codeText(text) : text;
}

/** Whether a link points to its own place, or on this page past the navigation. */
function leadsNowhere(text: string, attributes: Attributes): boolean {
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
