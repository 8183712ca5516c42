import { foldSpace } from "./fold-space.ts";

/** Superscript ends of ordinals and abbreviations: 21st, 1er, Mme, 3ème. */
const HIGH_ENDING = /^\p{L}{2,4}$/u;
/** Endings of one letter behind the character before them: 3º, XIXe, Nº; but n^a. */
const SHORT_ENDING = /^(?:\p{N}\p{L}|[IVX][aeo]|[nN]o)$/u;
const MAX_RAISED_CHARACTERS = 40;

/** Powers are written apart from their base: 10^6 is not 106. `before`: the last character. */
export function markExponent(text: string, before: string): string {
  const label = foldSpace(text);
  const isExponent =
    /[\p{L}\p{N})\]]/u.test(before) &&
    /^[-+−–]?[\p{L}\p{N}]/u.test(label) &&
    label.length <= MAX_RAISED_CHARACTERS;
  if (!isExponent || HIGH_ENDING.test(label) || SHORT_ENDING.test(before + label)) return text;
  const power = /^[-+−–]?[\p{L}\p{N}.,]+$/u.test(label) ? `^${label}` : `^(${label})`;
  return power + text.slice(text.trimEnd().length);
}

export const markSubscript = (text: string, before: string) =>
  /\d/.test(before) && /^\s*\d/.test(text) ? `_${text.trimStart()}` : text;

const HEIGHTS: Record<string, number> = { sup: 1, sub: -1 };
/** Whether text stands above (1), on or below the line, by the words or the shift of a format. */
export const heightOf = (value = ""): number =>
  HEIGHTS[value.slice(0, 3)] ?? (Math.sign(Number.parseInt(value, 10)) || 0);
