import { wholeCharacterEnd } from "../../core/whole-character.ts";
import { walkParts, type CooperativeWork } from "../../core/work/cooperative.ts";
import {
  textOf,
  type ExtractedDocument,
  type Extraction,
  type PageStart,
} from "../extracted-document.ts";
import { countNote } from "../notes.ts";
import { CompactText } from "../writing/compact-text.ts";

/** Characters, and colours of a terminal, that may have to be removed: a quick test, as most texts have none. */
const SUSPECT =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /\u{1b}(?:\[[\d;:?]{0,32}[A-Za-z]|\][^\n\u{7}\u{1b}]{0,256}(?:\u{7}|\u{1b}\\)|\(B)|[\0-\u{8}\u{b}\u{e}-\u{1f}\u{7f}-\u{84}\u{86}-\u{9f}\p{Cf}\p{Variation_Selector}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}]/gu;
/** A sequence for a terminal that goes on in the next part of a text. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CUT_SEQUENCE = /\u{1b}(?:\(|\[[\d;:?]*|\][^\n\u{7}\u{1b}]*\u{1b}?)?$/u;
const LONGEST_SEQUENCE = 260;
/** Any but the usual characters: one of these is in each text with a suspect, and quickly found. */
const UNUSUAL =
  /[^\t\n\r\f -~\u0085\u00a0-\u00ac\u00ae-\u034e\u0350-\u05ff\u2010-\u2027\u2030-\u205f\u2070-\u2bff\u3000-\u3163\u3165-\ud7ff]/;
/** Format characters that print something: Arabic number signs, Kaithi and Egyptian signs. */
const PRINTED_FORMATS =
  /[\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}\u{13430}-\u{1343f}]/u;

const JOINED_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Thai}\p{Script=Lao}\p{M}]/u;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\ufe0f#*0-9]/u;
const IDEOGRAPH = /\p{Script=Han}/u;

/** Characters that only carry layout: removed without a note. */
const SILENT = new Set([0xad, 0x200e, 0x200f, 0x61c]);

/** Removes characters that a reader cannot see and adds notes; page starts are adjusted. */
export function* removeHiddenCharacters(
  extraction: Extraction,
): CooperativeWork<ExtractedDocument> {
  const { title, language, pages, notes } = extraction;
  const text = textOf(extraction);
  if (text.isWellFormed() && !(yield* hasSuspect(text))) {
    return { markdown: text, title, language, pages, notes };
  }
  const { kept: visible, count, moved } = yield* dropHidden(text, pages);
  const removed = countNote(count, "invisible character", "removed");
  return { markdown: visible.take(), title, language, pages: moved, notes: [...notes, ...removed] };
}

function* hasSuspect(text: string): CooperativeWork<boolean> {
  let isFound = false;
  yield* walkParts(text, (part) => {
    isFound = UNUSUAL.test(part) && part.search(SUSPECT) >= 0;
    return !isFound;
  });
  return isFound;
}

type VisibleText = { kept: CompactText; count: number; moved: PageStart[] };

function* dropHidden(text: string, pages: PageStart[]): CooperativeWork<VisibleText> {
  const visible = new CompactText();
  let count = 0;
  const moved: PageStart[] = [];
  let removed = 0;
  const movePages = (before: number) => {
    for (let page = pages[moved.length]; page !== undefined; page = pages[moved.length]) {
      if (page.start > before) break;
      moved.push({ page: page.page, start: page.start - removed });
    }
  };
  const clean = (character: string, at: number) => {
    const code = character.codePointAt(0) ?? 0;
    if (PRINTED_FORMATS.test(character) || (!SILENT.has(code) && isShown(code, text, at)))
      return character;
    movePages(at);
    removed += character.length;
    if (!SILENT.has(code)) count++;
    return "";
  };
  let from = 0;
  yield* walkParts(text, (part, at) => {
    const end = at + part.length;
    const cut = end < text.length ? CUT_SEQUENCE.exec(part.slice(-LONGEST_SEQUENCE)) : null;
    const whole = text.slice(from, end - (cut?.[0].length ?? 0));
    visible.append(whole.replace(SUSPECT, (character, offset) => clean(character, from + offset)));
    from += whole.length;
  });
  movePages(text.length);
  return { kept: visible, count, moved };
}

/** Whether a character that shows nothing by itself changes what stands beside it. */
function isShown(code: number, text: string, at: number): boolean {
  const before = text.slice(wholeCharacterEnd(text, at - 1), at);
  if (code >= 0xe0100) return IDEOGRAPH.test(before);
  if (code >= 0xfe00 && code <= 0xfe0f) return isVisible(before);
  return (code === 0x200c || code === 0x200d) && isJoiner(text, at, before);
}

const isVisible = (character: string) => /[^\s\p{C}\ufe00-\ufe0f]/u.test(character);

function isJoiner(text: string, at: number, before: string): boolean {
  const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x20);
  if (JOINED_SCRIPTS.test(before) && JOINED_SCRIPTS.test(after)) return true;
  return EMOJI.test(before) && /\p{Extended_Pictographic}|[\u2640\u2642\u2695]/u.test(after);
}
