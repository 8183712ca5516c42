import type { ExtractedDocument } from "../extracted-document.ts";

type Kind = "zero-width" | "tag" | "bidirectional control" | "control" | "variation";

/** Anything that might have to go; a quick test for the many texts that hold none of it. */
const SUSPECT =
  /[\p{Cc}\p{Cf}\p{Variation_Selector}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}]/gu;
/** White space among the control characters. */
const KEPT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x85]);
/** Format characters that print something: Arabic number signs, Kaithi and Egyptian signs. */
const PRINTED_FORMATS =
  /[\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}\u{13430}-\u{1343f}]/u;

const JOINED_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Thai}\p{Script=Lao}\p{M}]/u;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\ufe0f#*0-9]/u;
const IDEOGRAPH = /\p{Script=Han}/u;
const BLACK_FLAG = 0x1f3f4;
const CANCEL_TAG = 0xe007f;

/** Characters that only carry layout: taken out without a word. */
const SILENT = new Set([0xad, 0x200e, 0x200f, 0x61c]);

/** Takes out what a reader cannot see and says so; page starts follow the text. */
export function removeHiddenCharacters(document: ExtractedDocument): ExtractedDocument {
  const text = document.markdown.isWellFormed()
    ? document.markdown
    : document.markdown.toWellFormed();
  SUSPECT.lastIndex = 0;
  if (!SUSPECT.test(text)) return { ...document, markdown: text };
  const removals: number[] = [];
  const counts = new Map<Kind, number>();
  const markdown = text.replace(SUSPECT, (character: string, at: number) => {
    const kind = hiddenKind(text, character, at);
    if (kind === "keep") return character;
    for (let unit = 0; unit < character.length; unit++) removals.push(at);
    if (kind !== "silent") counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return "";
  });
  const notes = [...counts].map(([kind, count]) => noteOf(kind, count));
  return {
    ...document,
    markdown,
    pages: movePages(document.pages, removals),
    notes: [...document.notes, ...notes],
  };
}

function hiddenKind(text: string, character: string, at: number): Kind | "keep" | "silent" {
  const code = character.codePointAt(0) ?? 0;
  if (KEPT_CONTROLS.has(code) || PRINTED_FORMATS.test(character)) return "keep";
  if (SILENT.has(code)) return "silent";
  if (isBidirectional(code)) return "bidirectional control";
  if (/\p{Cc}/u.test(character)) return "control";
  return kindBesideText(code, text, at);
}

/** What is right or wrong by what stands beside it. */
function kindBesideText(code: number, text: string, at: number): Kind | "keep" {
  const before = characterBefore(text, at);
  if (code >= 0xe0000 && code <= CANCEL_TAG) return isFlagTag(text, at) ? "keep" : "tag";
  if (code >= 0xe0100) return IDEOGRAPH.test(before) ? "keep" : "variation";
  if (code >= 0xfe00 && code <= 0xfe0f) return isVisible(before) ? "keep" : "variation";
  const isJoiner = code === 0x200c || code === 0x200d;
  return isJoiner && joins(text, at, before) ? "keep" : "zero-width";
}

const isBidirectional = (code: number) =>
  (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

const isVisible = (character: string) => /[^\s\p{C}\ufe00-\ufe0f]/u.test(character);

/** Joiners belong to Arabic and Indic writing and to composed emoji. */
function joins(text: string, at: number, before: string): boolean {
  const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x20);
  if (JOINED_SCRIPTS.test(before) && JOINED_SCRIPTS.test(after)) return true;
  return EMOJI.test(before) && /\p{Extended_Pictographic}|[\u2640\u2642\u2695]/u.test(after);
}

/** The flags of England, Scotland and Wales are a black flag followed by tag characters. */
function isFlagTag(text: string, at: number): boolean {
  const window = text.slice(Math.max(0, at - 14), at);
  const flag = window.lastIndexOf(String.fromCodePoint(BLACK_FLAG));
  if (flag < 0) return false;
  const between = window.slice(flag + 2);
  return [...between].every((each) => {
    const code = each.codePointAt(0) ?? 0;
    return code > 0xe0000 && code < CANCEL_TAG;
  });
}

function characterBefore(text: string, at: number): string {
  if (at === 0) return "";
  const unit = text.charCodeAt(at - 1);
  const isTrail = unit >= 0xdc00 && unit <= 0xdfff;
  return text.slice(isTrail ? at - 2 : at - 1, at);
}

function noteOf(kind: Kind, count: number): string {
  const what = kind === "variation" ? "stray variation selector" : `${kind} character`;
  const name = kind === "bidirectional control" ? kind : what;
  return `${count} ${name}${count === 1 ? "" : "s"} removed`;
}

/** `removals`: offsets of removed code units, ascending. */
function movePages(pages: ExtractedDocument["pages"], removals: number[]) {
  let removed = 0;
  return pages.map(({ page, start }) => {
    while (removed < removals.length && (removals[removed] ?? 0) < start) removed++;
    return { page, start: start - removed };
  });
}
