import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { TextItem } from "../layout/page-segments.ts";

/**
 * Fonts whose codes are glyph numbers without a map to characters (ISO 32000-2, §9.10): pdf.js
 * takes the numbers for characters, which gives "7KH" for "The".
 */
export type FontMaps = {
  unmapped: number;
  mapped: number;
  /** Encodings of simple fonts that name glyphs by numbers: their codes may mean anything. */
  nameless: number;
  drawn: number;
  cmaps: Set<string>;
};

const DIFFERENCES = /\/Differences\s*\[/g;
/** 256 codes and names; a name has 127 characters at most. */
const MAX_DIFFERENCES_CHARACTERS = 1 << 16;
const NUMBERED_GLYPH = /^\/(?:[a-z]{1,2}|cid|glyph|index)_?\d+$/i;
const COMPOSITE = /\/Subtype\s*\/Type0\b/;
const ENCODING_NAME = /\/Encoding\s*\/([\w-]{1,40})/;
const MAX_CMAPS = 100;
const DICTIONARY = /<<[^<>]*>>/g;
/** Collections whose glyph numbers are known: each has a character. */
const COLLECTION = /\/Ordering\s*\((?:Japan1|GB1|CNS1|Korea1)\)/g;

/** Counts a file's fonts, except in encrypted or damaged objects. */
export function* countFonts(texts: Iterable<string>): CooperativeWork<FontMaps> {
  const count = { unmapped: 0, mapped: 0, nameless: 0, drawn: 0, cmaps: new Set<string>() };
  let known = 0;
  for (const text of texts) {
    addFonts(count, text);
    known += text.match(COLLECTION)?.length ?? 0;
    yield text.length;
  }
  known = Math.min(known, count.unmapped);
  return { ...count, unmapped: count.unmapped - known, mapped: count.mapped + known };
}

function addFonts(count: FontMaps, text: string): void {
  count.nameless += [...differencesIn(text)].filter(isNameless).length;
  count.drawn += text.match(/\/Subtype\s*\/Type3\b/g)?.length ?? 0;
  const fonts = text.match(/\/Type\s*\/Font\b/g)?.length ?? 0;
  if (fonts === 0) return;
  const parts = text.match(/\/CIDFontType[02]\b/g)?.length ?? 0;
  const composite = (text.match(DICTIONARY) ?? []).filter((font) => COMPOSITE.test(font));
  addCmaps(count.cmaps, composite);
  const unmapped = composite.filter(
    (font) => /\/Encoding\s*\/Identity-[HV]\b/.test(font) && !/\/ToUnicode\b/.test(font),
  ).length;
  count.unmapped += unmapped;
  count.mapped += Math.max(0, fonts - parts - unmapped);
}

function addCmaps(cmaps: Set<string>, fonts: string[]): void {
  for (const font of fonts) {
    const name = ENCODING_NAME.exec(font)?.[1];
    if (name !== undefined && cmaps.size < MAX_CMAPS) cmaps.add(name);
  }
}

function isNameless(differences: string): boolean {
  const names = differences.match(/\/[^\s/]+/g) ?? [];
  return (
    names.length > 0 && names.every((name) => name === "/.notdef" || NUMBERED_GLYPH.test(name))
  );
}

/** The contents of the arrays of that name; text within an array is scanned once. */
function* differencesIn(text: string): Generator<string> {
  let end = 0;
  for (const { 0: start, index } of text.matchAll(DIFFERENCES)) {
    const from = index + start.length;
    if (from < end) continue;
    end = text.indexOf("]", from);
    if (end < 0) return;
    if (end - from <= MAX_DIFFERENCES_CHARACTERS) yield text.slice(from, end);
  }
}

/** Characters that text never contains, but glyph numbers produce. */
const NO_TEXT = /[[\p{Cc}\p{Cn}\p{Cs}]--\s]/gv;
const SPACE_GLYPH = "\u0003";
const MIN_SHARE = 0.1;
/** The share for a file that is known to contain fonts without a map. */
const SUSPECT_SHARE = 0.01;

/** The commonest letters of most languages in Latin script: well over half of any text. */
const FREQUENT = /[etaoinsr]/gi;
/** Share of all letters, ignoring accents; misread codes seldom reach a third. */
const MIN_FREQUENT_SHARE = 0.35;
const MIN_LETTERS = 30;
const CODE_DIGITS_SHARE = 0.25;

const LATIN_LETTER = /\p{Script=Latin}/gu;
const NOTHING_SEEN: Seen = {
  characters: 0,
  odd: 0,
  spaceGlyphs: 0,
  latin: 0,
  frequent: 0,
  digits: 0,
};

type Seen = { characters: number; odd: number; spaceGlyphs: number } & LetterCount;
type LetterCount = { latin: number; frequent: number; digits: number };

/** Finds unmapped fonts by their text so far; their items are left out. */
export class UnmappedFonts {
  readonly #share: number;
  readonly #seen = new Map<string, Seen>();
  readonly #isSuspect: boolean;
  /** Whether all these fonts are drawn: then no other font is suspect. */
  readonly #isDrawn: boolean;
  readonly #described = new Set<string>();
  /** Whether fonts without a map use glyph numbers as codes. */
  readonly #areNumbers: boolean;
  readonly #isEvery: boolean;
  hasDropped = false;

  constructor({ unmapped, mapped, nameless, drawn }: Omit<FontMaps, "cmaps">) {
    this.#isSuspect = unmapped + nameless > 0;
    this.#areNumbers = nameless === 0;
    this.#isDrawn = unmapped === 0 && nameless <= drawn;
    this.#share = unmapped > 0 ? SUSPECT_SHARE : MIN_SHARE;
    this.#isEvery = unmapped > 0 && mapped === 0;
  }

  /** pdf.js gives letter heights for all fonts except those whose glyphs are drawings. */
  learn(fontName: string, ascent: unknown): void {
    if (Number.isFinite(ascent)) this.#described.add(fontName);
  }

  withoutUnreadable(items: TextItem[]): TextItem[] {
    for (const { str, fontName } of items) {
      const seen = this.#seen.get(fontName) ?? { ...NOTHING_SEEN };
      const odd = str.match(NO_TEXT) ?? [];
      const spaceGlyphs = odd.filter((found) => found === SPACE_GLYPH).length;
      seen.characters += str.length;
      seen.odd += odd.length - spaceGlyphs;
      seen.spaceGlyphs += spaceGlyphs;
      if (this.#mayLackMap(fontName)) {
        const letters = str.normalize("NFD");
        seen.latin += letters.match(LATIN_LETTER)?.length ?? 0;
        seen.frequent += letters.match(FREQUENT)?.length ?? 0;
        seen.digits += letters.match(/[0-9]/g)?.length ?? 0;
      }
      this.#seen.set(fontName, seen);
    }
    return items.filter(({ str, fontName }) => {
      if (str.trim() === "" || !this.#isUnreadable(fontName)) return true;
      this.hasDropped = true;
      return false;
    });
  }

  /** Whether most of the text so far is in such fonts. */
  get isMost(): boolean {
    let [lost, all] = [0, 0];
    for (const [font, { characters }] of this.#seen) {
      all += characters;
      if (this.#isUnreadable(font)) lost += characters;
    }
    return lost * 2 > all;
  }

  #isUnreadable(font: string): boolean {
    const seen = this.#seen.get(font) ?? NOTHING_SEEN;
    const { characters, odd } = seen;
    if (characters === 0) return false;
    return (
      this.#isEvery ||
      odd > characters * this.#share ||
      (this.#mayLackMap(font) && this.#isEnciphered(seen))
    );
  }

  #mayLackMap(font: string): boolean {
    return this.#isSuspect && !(this.#isDrawn && this.#described.has(font));
  }

  /** All letters, but in the order of a font's glyphs and not of a language. */
  #isEnciphered({ characters, spaceGlyphs, latin, frequent, digits }: Seen): boolean {
    if (spaceGlyphs > characters * SUSPECT_SHARE) return true;
    if (this.#areNumbers && digits > latin * CODE_DIGITS_SHARE) return false;
    return latin >= MIN_LETTERS && frequent < latin * MIN_FREQUENT_SHARE;
  }
}
