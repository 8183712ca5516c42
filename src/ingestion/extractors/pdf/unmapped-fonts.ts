import type { TextItem } from "./page-segments.ts";

/**
 * Fonts whose codes are glyph numbers, with no map from these to characters (ISO 32000-2, §9.10):
 * pdf.js takes the numbers for characters, which gives "7KH" for "The".
 */
export type FontMaps = { unmapped: number; mapped: number };

const DICTIONARY = /<<[^<>]*>>/g;

/** Counts a file's fonts. What is encrypted or damaged is not counted. */
export function countFonts(texts: Iterable<string>): FontMaps {
  const count: FontMaps = { unmapped: 0, mapped: 0 };
  for (const text of texts) addFonts(count, text);
  return count;
}

function addFonts(count: FontMaps, text: string): void {
  const fonts = text.match(/\/Type\s*\/Font\b/g)?.length ?? 0;
  if (fonts === 0) return;
  const parts = text.match(/\/CIDFontType[02]\b/g)?.length ?? 0;
  const dictionaries = text.match(DICTIONARY) ?? [];
  const unmapped = dictionaries.filter(
    (font) =>
      /\/Subtype\s*\/Type0\b/.test(font) &&
      /\/Encoding\s*\/Identity-[HV]\b/.test(font) &&
      !/\/ToUnicode\b/.test(font),
  ).length;
  count.unmapped += unmapped;
  count.mapped += Math.max(0, fonts - parts - unmapped);
}

/** What no text holds, but glyph numbers do. */
const NO_TEXT = /[[\p{Cc}\p{Cn}\p{Cs}]--\s]/gv;
/** The space of many fonts, and often the only glyph that their maps forget. */
const SPACE_GLYPH = "\u0003";
const LEAST_SHARE = 0.1;
/** Where the file is known to hold fonts without a map. */
const SUSPECT_SHARE = 0.01;

/** Tells fonts apart by the text that came of them so far; their items are left out. */
export class UnmappedFonts {
  readonly #share: number;
  readonly #seen = new Map<string, { characters: number; odd: number }>();
  /** No font of the file has a map. */
  readonly #isEvery: boolean;
  hasDropped = false;

  constructor({ unmapped, mapped }: FontMaps) {
    this.#share = unmapped > 0 ? SUSPECT_SHARE : LEAST_SHARE;
    this.#isEvery = unmapped > 0 && mapped === 0;
  }

  withoutUnreadable(items: TextItem[]): TextItem[] {
    for (const { str, fontName } of items) {
      const seen = this.#seen.get(fontName) ?? { characters: 0, odd: 0 };
      seen.characters += str.length;
      seen.odd += str.match(NO_TEXT)?.filter((found) => found !== SPACE_GLYPH).length ?? 0;
      this.#seen.set(fontName, seen);
    }
    return items.filter(({ str, fontName }) => {
      if (str.trim() === "" || !this.#isUnreadable(fontName)) return true;
      this.hasDropped = true;
      return false;
    });
  }

  /** Whether most of what was seen is in such fonts. */
  get isMost(): boolean {
    let [lost, all] = [0, 0];
    for (const [font, { characters }] of this.#seen) {
      all += characters;
      if (this.#isUnreadable(font)) lost += characters;
    }
    return lost * 2 > all;
  }

  #isUnreadable(font: string): boolean {
    const { characters, odd } = this.#seen.get(font) ?? { characters: 0, odd: 0 };
    return characters > 0 && (this.#isEvery || odd > characters * this.#share);
  }
}
