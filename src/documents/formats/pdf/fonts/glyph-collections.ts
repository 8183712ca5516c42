import { encodedCharacters } from "./encoded-characters.ts";
import type { Code } from "./encoded-characters.ts";

/**
 * Adobe's collections of glyphs for Chinese, Japanese and Korean (Adobe-Japan1, -GB1, -CNS1,
 * -Korea1): fonts whose codes are such numbers often have no other map to characters. A collection
 * took the signs and ideographs of its national standard in their own order, so a few runs give
 * nearly all that text needs.
 */
type Run = { first: number; characters: Iterable<string> };

const ASCII = between(0x20, 0x7e);
const JAPANESE_SIGNS = "¡¢£⁄ƒ§¤“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿";
/** Upright forms for vertical lines, as they look in level ones. */
const JAPANESE_UPRIGHT =
  "、。￣＿ー―‐～∥｜…‥（）〔〕［］｛｝〈〉《》「」『』【】＝ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ";
const CHINESE_UPRIGHT = "，。、：；！？（）〔〕〈〉《》「」『』〖〗【】｛｝";
/** Rows 1 to 6 of GB 2312, without what GBK added. */
const GB_SIGNS: [number, number][] = [
  [0xa1a1, 0xa1fe],
  [0xa2b1, 0xa2e2],
  [0xa2e5, 0xa2ee],
  [0xa2f1, 0xa2fc],
  [0xa3a1, 0xa3fe],
  [0xa4a1, 0xa4f3],
  [0xa5a1, 0xa5f6],
  [0xa6a1, 0xa6b8],
  [0xa6c1, 0xa6d8],
];
/** Without a number: what a standard lacks, fills up with, or has once for each reading. */
const UNNUMBERED = /[\u3164\ue000-\uf8ff\uf900-\ufa0b]/;

/** Of Big5, which has these at other places than CNS 11643, the order of the collection. */
const MOVED_IN_BIG5: Record<string, number> = {
  耄: 2431,
  銬: 4308,
  薦: 5221,
  嚨: 5495,
  繳: 5550,
  羅: 5551,
  刉: 6039,
  攷: 6134,
  笻: 8142,
  筇: 8788,
  莚: 8889,
  錥: 10_926,
  徻: 11_073,
  螤: 11_361,
  磿: 11_719,
  鎀: 12_308,
  舋: 12_526,
  鎥: 12_640,
  瀪: 12_783,
  鐼: 12_900,
  鬮: 13_585,
  鸙: 13_629,
  爩: 13_641,
  "→": 247,
  "←": 248,
};
/** The second copies of 兀 and 嗀 have no numbers among the others. */
const TWICE_IN_BIG5 = new Set([0xc94a, 0xddfc]);

const COLLECTIONS: Record<string, () => Run[]> = {
  Japan1: () => [
    { first: 1, characters: ASCII },
    { first: 101, characters: JAPANESE_SIGNS },
    { first: 231, characters: ASCII },
    { first: 327, characters: between(0xff61, 0xff9f) },
    { first: 633, characters: coded("euc-jp", [0xa1a1, 0xa7fe]) },
    { first: 1125, characters: coded("euc-jp", [0xb0a1, 0xf4a4]) },
    { first: 7479, characters: between(0x2500, 0x254b) },
    { first: 7555, characters: between(0x2460, 0x2473) },
    { first: 7575, characters: between(0x2160, 0x2169) },
    { first: 7887, characters: JAPANESE_UPRIGHT },
    { first: 8284, characters: coded("euc-jp", [0xf4a5, 0xf4a6]) },
  ],
  GB1: () => [
    { first: 1, characters: ASCII },
    { first: 96, characters: coded("gb18030", ...GB_SIGNS) },
    { first: 573, characters: CHINESE_UPRIGHT },
    { first: 602, characters: coded("gb18030", [0xa7a1, 0xa7c1], [0xa7d1, 0xa7f1]) },
    { first: 668, characters: coded("gb18030", [0xa8a1, 0xa8ba]) },
    { first: 700, characters: coded("gb18030", [0xa8c5, 0xa8e9]) },
    { first: 738, characters: coded("gb18030", [0xa9a4, 0xa9ef]) },
    { first: 814, characters: between(0x21, 0x7e) },
    { first: 940, characters: coded("gb18030", [0xb0a1, 0xf7fe]) },
  ],
  CNS1: () => [
    { first: 1, characters: ASCII },
    { first: 99, characters: coded("big5", [0xa140, 0xa3bb], [0xa3bd, 0xa3bf]) },
    { first: 595, characters: coded("big5", [0xa440, 0xc67e]) },
    { first: 5996, characters: coded("big5", [0xc940, 0xf9d5]) },
    { first: 13_648, characters: ASCII },
  ],
  Korea1: () => [
    { first: 1, characters: ASCII },
    { first: 101, characters: coded("euc-kr", [0xa1a1, 0xa2e5], [0xa3a1, 0xacfe]) },
    { first: 1086, characters: coded("euc-kr", [0xb0a1, 0xc8fe]) },
    { first: 3436, characters: coded("euc-kr", [0xcaa1, 0xfdfe]) },
    { first: 8094, characters: ASCII },
  ],
};

/** The characters of a collection's glyphs by their number. */
export function glyphsOf(collection: string): Map<number, string> {
  const glyphs = new Map<number, string>();
  const moved = collection === "CNS1" ? new Map(Object.entries(MOVED_IN_BIG5)) : new Map();
  const taken = new Set(moved.values());
  for (const { first, characters } of COLLECTIONS[collection]?.() ?? []) {
    let number = first;
    for (const character of characters) {
      while (taken.has(number)) number++;
      if (!moved.has(character)) glyphs.set(number++, character);
    }
  }
  for (const [character, number] of moved) glyphs.set(number, character);
  return glyphs;
}

function between(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_unused, at) => String.fromCharCode(first + at));
}

/** In the order of their codes; outside of Big5, within the 94 of each row. */
function coded(encoding: string, ...ranges: [number, number][]): string[] {
  const isCoded = ({ code, bytes, character }: Code) =>
    bytes === 2 &&
    ranges.some(([first, last]) => code >= first && code <= last) &&
    (encoding === "big5" ? !TWICE_IN_BIG5.has(code) : (code & 0xff) > 0xa0) &&
    !UNNUMBERED.test(character);
  return [...encodedCharacters(encoding)].filter(isCoded).map(({ character }) => character);
}
