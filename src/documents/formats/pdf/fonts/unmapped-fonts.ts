import { normalForm } from "../../../../core/normal-form.ts";
import type { CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { TextItem } from "../layout/segment.ts";

/** Characters that text never contains, but glyph numbers produce. */
const NO_TEXT = /[[\p{Cc}\p{Cn}\p{Cs}]--\s]/gv;
const PLAIN = /^[ -~]*$/;
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

const NOTHING = { all: 0, odd: 0, spaceGlyphs: 0, latin: 0, frequent: 0, digits: 0 };
type FontCounts = typeof NOTHING;

/** Leaves out fonts of glyph numbers without a map (ISO 32000-2, §9.10): "7KH" is "The". */
export class UnmappedFonts {
  readonly #seen = new Map<string, FontCounts>();
  readonly #isSuspect: boolean;
  readonly #isEvery: boolean;
  hasDropped = false;

  constructor({ unmapped, mapped }: { unmapped: number; mapped: number }) {
    this.#isSuspect = unmapped > 0;
    this.#isEvery = unmapped > 0 && mapped === 0;
  }

  *withoutUnreadable(items: TextItem[]): CooperativeWork<TextItem[]> {
    for (const { str, fontName } of items) {
      const use = this.#seen.get(fontName) ?? { ...NOTHING };
      const odd = PLAIN.test(str) ? [] : (str.match(NO_TEXT) ?? []);
      const spaceGlyphs = odd.filter((glyph) => glyph === SPACE_GLYPH).length;
      use.all += str.length;
      use.odd += odd.length - spaceGlyphs;
      use.spaceGlyphs += spaceGlyphs;
      if (this.#isSuspect) {
        const letters = normalForm(str, "NFD");
        use.latin += letters.match(LATIN_LETTER)?.length ?? 0;
        use.frequent += letters.match(FREQUENT)?.length ?? 0;
        use.digits += letters.match(/[0-9]/g)?.length ?? 0;
      }
      this.#seen.set(fontName, use);
      yield str.length;
    }
    return items.filter(({ str, fontName }) => {
      if (str.trim() === "" || !this.#isUnreadable(this.#seen.get(fontName))) return true;
      this.hasDropped = true;
      return false;
    });
  }

  get isMost(): boolean {
    let [unmapped, all] = [0, 0];
    for (const use of this.#seen.values()) {
      all += use.all;
      if (this.#isUnreadable(use)) unmapped += use.all;
    }
    return unmapped * 2 > all;
  }

  #isUnreadable(use = NOTHING): boolean {
    if (use.all === 0) return false;
    if (this.#isEvery) return true;
    if (use.odd > use.all * (this.#isSuspect ? SUSPECT_SHARE : MIN_SHARE)) return true;
    return this.#isSuspect && isEnciphered(use);
  }
}

/** All letters, but in the order of a font's glyphs and not of a language. */
function isEnciphered({ all, spaceGlyphs, latin, frequent, digits }: FontCounts): boolean {
  if (spaceGlyphs > all * SUSPECT_SHARE) return true;
  if (digits > latin * CODE_DIGITS_SHARE) return false;
  return latin >= MIN_LETTERS && frequent < latin * MIN_FREQUENT_SHARE;
}
