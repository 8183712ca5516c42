import { foldSpace } from "../../writing/fold-space.ts";
import type { Effect } from "./html-roles.ts";

const LINK_TARGET = /^(https?:\/\/|mailto:)/i;
const MAX_LINK_CHARACTERS = 300;
/** Signs by which a heading links to itself, and a note back to its mark. */
const PERMALINK = /^(?:[¶#§¤∞↩↑⚓⌗\u{1f517}\uf0c1]|\ufe0e|\ufe0f)+$/u;
/** Ends of ordinals and short forms that are set high: 21st, 1er, Mme, 3ème, Nº. */
const HIGH_ENDING = /^\p{L}{2,4}$/u;
const WORD = /[\p{L}\p{N}]/u;
const MAX_RAISED_CHARACTERS = 40;

export const INLINE_EFFECTS: ReadonlySet<Effect> = new Set<Effect>([
  "link",
  "note",
  "code",
  "raised",
  "struck",
  "lowered",
  "ruby",
  "reading",
]);

/** Deeper ones are plain: each looks at all of its text, and writes it anew. */
export const MAX_INLINE_DEPTH = 12;

type InlineSurroundings = {
  href: string;
  /** How a ruby's characters are read. */
  readings: string;
  /** The character before. */
  before: string;
  isInCode: boolean;
  /** Beside or around what is raised stands a link to another place of the page. */
  isNote: boolean;
};

/** What the text of an inline element becomes when the element ends. */
export function inlineText(effect: Effect, text: string, around: InlineSurroundings): string {
  const { href, before, isInCode, isNote, readings } = around;
  if (effect === "link" && isPermalink(text, href)) return "";
  if (effect === "raised") return isNote ? noteText(text) : raisedText(text, before);
  if (effect === "lowered") return loweredText(text, before);
  if (effect === "ruby") return readings === "" ? text : `${text}(${readings})`;
  return isInCode ? text : outsideCode(effect, text, around);
}

function outsideCode(effect: Effect, text: string, { href, before }: InlineSurroundings): string {
  if (effect === "struck") return struckText(text, before);
  if (effect === "link") return linkText(text, href);
  if (effect === "note") return noteText(text);
  return effect === "code" ? codeText(text) : text;
}

/** Whether a link says nothing but where it stands itself. */
const isPermalink = (text: string, href: string) =>
  href.includes("#") && PERMALINK.test(foldSpace(text));

/** A link with its target, unless the label says it already or Markdown cannot hold it. */
function linkText(text: string, href: string): string {
  const label = foldSpace(text);
  const target = href.trim();
  if (!LINK_TARGET.test(target)) return text;
  const isPlain = label === "" || label === target || /[\s()]/.test(target);
  if (isPlain || target.length > MAX_LINK_CHARACTERS) return text;
  return `${/^\s/.test(text) ? " " : ""}[${label}](${target})`;
}

/** The mark of a note, where it is a number. */
function noteText(text: string): string {
  const mark = text.replace(/\D/g, "");
  return mark === "" ? text : `[^${mark}]`;
}

function codeText(code: string): string {
  return code.trim() === "" || code.includes("`") ? code : `\`${foldSpace(code)}\``;
}

/** Powers stay apart from what they raise: 10^6 is not 106. */
function raisedText(text: string, before: string): string {
  const label = foldSpace(text);
  const isExponent =
    /[\p{L}\p{N})\]]/u.test(before) &&
    /^[-+−–]?[\p{L}\p{N}]/u.test(label) &&
    label.length <= MAX_RAISED_CHARACTERS;
  if (!isExponent || HIGH_ENDING.test(label)) return text;
  if (/^\p{L}$/u.test(label) && /\p{N}/u.test(before)) return text;
  return /^[-+−–]?[\p{L}\p{N}.,]+$/u.test(label) ? `^${label}` : `^(${label})`;
}

/** What no longer holds says so, and stays apart from what holds: ~~100~~ 80. */
function struckText(text: string, before: string): string {
  const label = text.trim();
  if (label === "") return text;
  const gap = WORD.test(before) || /^\s/.test(text) ? " " : "";
  return `${gap}~~${label}~~${/\s$/.test(text) ? " " : ""}`;
}

/** Digits set low after digits are another number. */
const loweredText = (text: string, before: string) =>
  /\d/.test(before) && /^\s*\d/.test(text) ? `_${foldSpace(text)}` : text;
