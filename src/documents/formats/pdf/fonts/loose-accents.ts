import { normalForm } from "../../../../core/normal-form.ts";

type TextRun = { text: string; x0: number; x1: number; y: number; size: number };

/** Older TeX fonts draw an accent before or after its letter: "für" is read as "f¨" and "ur". */
const COMBINING: Record<string, string> = {
  "`": "\u0300",
  "´": "\u0301",
  ˆ: "\u0302",
  "˜": "\u0303",
  "¯": "\u0304",
  "˘": "\u0306",
  "˙": "\u0307",
  "¨": "\u0308",
  "˚": "\u030a",
  "˝": "\u030b",
  ˇ: "\u030c",
  "¸": "\u0327",
  "˛": "\u0328",
};
const DOTLESS: Record<string, string> = { ı: "i", ȷ: "j" };
const ENDING_ACCENT = /[`´ˆ˜¯˘˙¨˚˝ˇ¸˛]$/u;
/** No word begins with these, so a gap before the accent of a wide letter is not a space. */
const NEVER_FIRST = /[ąęńň]/u;

/** In ems: how far a letter and its accent overlap, and how far they are apart vertically. */
const MIN_OVERLAP = 0.1;
const MIN_OVERLAP_BEHIND = 0.25;
const MAX_OVERLAP = 1;
const MAX_RAISED = 0.45;

export function joinAccent(last: TextRun, next: TextRun): string | null {
  const size = Math.max(last.size, next.size);
  const overlap = (last.x1 - next.x0) / size;
  if (overlap < MIN_OVERLAP || overlap > MAX_OVERLAP) return null;
  if (Math.abs(last.y - next.y) > size * MAX_RAISED) return null;
  const first = joinAccentFirst(last.text, next.text);
  return first ?? (overlap < MIN_OVERLAP_BEHIND ? null : joinLetterFirst(last.text, next.text));
}

function joinAccentFirst(before: string, after: string): string | null {
  const accent = ENDING_ACCENT.exec(before)?.[0];
  if (accent === undefined) return null;
  const letter = composeLetter(after.slice(0, 1), accent);
  if (letter === null) return null;
  const bare = before.slice(0, -accent.length);
  return (NEVER_FIRST.test(letter) ? bare.trimEnd() : bare) + letter + after.slice(1);
}

function joinLetterFirst(before: string, after: string): string | null {
  const letter = composeLetter(before.slice(-1), after.slice(0, 1));
  return letter === null ? null : before.slice(0, -1) + letter + after.slice(1);
}

function composeLetter(letter: string, accent: string): string | null {
  const combining = COMBINING[accent];
  if (combining === undefined || !/\p{L}/u.test(letter)) return null;
  const both = normalForm(`${DOTLESS[letter] ?? letter}${combining}`, "NFC");
  return both.length === 1 ? both : null;
}
