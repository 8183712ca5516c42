import { UnreadableDocument } from "../../../extracted-document.ts";

/** A font has 65,536 characters at most: an array whose range ends higher holds no widths. */
const MAX_RANGE_END = 1_000_000;
const LOOK_CHARACTERS = 1 << 16;
const MAX_LOOKED_AT = 1 << 25;
/** An integer of seven digits or more that is not part of a reference or an offset table. */
const LARGE = /(?<![\d.\-A-Za-z])(?:\d{20}(?=\d)|\d{7,20}(?![\d.]|\s+\d+\s+(?:R|n|f|obj)\b))/g;
const NUMERIC = /[\d\s.-]/;
const NAME_CHARACTERS = 130;
const NAME_BEFORE = /\/([^\s/<>[\]()]+)\s*$/;

/**
 * Passes on the texts of a PDF's objects and checks their arrays of widths (`/W`, `/W2`, or an
 * array that is an object by itself): pdf.js expands their ranges to single characters.
 * @throws UnreadableDocument
 */
export function* withinWidthBounds(texts: Iterable<string>): Generator<string> {
  let looked = 0;
  for (const text of texts) {
    for (const { 0: number, index } of text.matchAll(LARGE)) {
      if (Number(number) < MAX_RANGE_END || looked > MAX_LOOKED_AT) continue;
      const before = text.slice(Math.max(0, index - LOOK_CHARACTERS), index);
      looked += before.length;
      if (endsInWidths(before)) {
        throw new UnreadableDocument("PDF's font gives widths of too many characters");
      }
    }
    yield text;
  }
}

function endsInWidths(before: string): boolean {
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    const character = before[at] ?? "";
    if (character === "]") depth++;
    else if (character === "[") {
      if (depth === 0) return isWidths(before.slice(Math.max(0, at - NAME_CHARACTERS), at));
      depth--;
    } else if (!NUMERIC.test(character)) return false;
  }
  // No other array has so many numbers.
  return before.length === LOOK_CHARACTERS;
}

function isWidths(before: string): boolean {
  const name = NAME_BEFORE.exec(before)?.[1];
  return name === undefined || name === "W" || name === "W2";
}
