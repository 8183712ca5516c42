const LETTERS = 26;
const FIRST_LETTER = 0x61;
/** The largest number written as a Roman numeral or as repeated letters. */
const MAX_LETTERED = 3_999;
const ROMAN: [number, string][] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

/** A list's number in a format, named as in ECMA-376 (`lowerRoman`) or in ODF (`i`). */
export function countedAs(format: string, count: number): string {
  if (count < 1 || count > MAX_LETTERED) return String(count);
  if (format === "lowerLetter") return letters(count);
  if (format === "upperLetter") return letters(count).toUpperCase();
  if (format === "a") return alphabetic(count);
  if (format === "A") return alphabetic(count).toUpperCase();
  if (format === "lowerRoman" || format === "i") return roman(count);
  if (format === "upperRoman" || format === "I") return roman(count).toUpperCase();
  return format === "decimalZero" ? String(count).padStart(2, "0") : String(count);
}

/** a, b, … z, aa, bb: the letter is repeated, as Word does. */
function letters(count: number): string {
  const letter = String.fromCharCode(FIRST_LETTER + ((count - 1) % LETTERS));
  return letter.repeat(Math.ceil(count / LETTERS));
}

/** a, b, … z, aa, ab, as HTML and OpenDocument count. */
function alphabetic(count: number): string {
  const last = String.fromCharCode(FIRST_LETTER + ((count - 1) % LETTERS));
  const before = Math.floor((count - 1) / LETTERS);
  return before === 0 ? last : alphabetic(before) + last;
}

function roman(count: number): string {
  let left = count;
  let text = "";
  for (const [value, sign] of ROMAN) {
    while (left >= value) {
      text += sign;
      left -= value;
    }
  }
  return text;
}

/**
 * The Markdown marker for an item with this label. Plain numbers are markers themselves; other
 * labels, such as `(a)` or `4.2`, become text, so that references to the item still make sense.
 */
export function markerFor(label: string): { marker: string; prefix: string } {
  const number = /^\(?(\d{1,9})[.)]?$/.exec(label)?.[1];
  if (number !== undefined) return { marker: `${number}.`, prefix: "" };
  return { marker: "-", prefix: /[\p{L}\p{N}]/u.test(label) ? `${label} ` : "" };
}
