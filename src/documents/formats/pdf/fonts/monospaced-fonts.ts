import type { TextItem } from "../layout/segment.ts";

/** `usual`: the advance of the most characters. */
type FontAdvances = { characters: number; byAdvance: Map<number, number>; usual: number };

/** Advances are compared to within 1/200 em. */
const STEPS_AN_EM = 200;
/** Digits are no evidence: they have equal widths in most fonts. */
const WORD = /\p{L}{2}/u;
/** In ems: Chinese and Japanese characters have equal widths in all fonts. */
const MAX_ADVANCE = 0.8;
const MIN_CHARACTERS = 24;
const MIN_SHARE = 0.75;
const BODY_SHARE = 0.5;

export class MonospacedFonts {
  readonly #seen = new Map<string, FontAdvances>();
  #characters = 0;

  /** Returns whether any mark is another than before. */
  mark(items: TextItem[]): boolean {
    for (const item of items) this.#countItem(item);
    const fonts = new Set(items.map(({ fontName }) => fontName));
    const monospaced = new Set([...fonts].filter((font) => this.#isMonospaced(font)));
    let isChanged = false;
    for (const item of items) {
      const isMonospaced = monospaced.has(item.fontName);
      isChanged ||= item.isMonospaced !== isMonospaced;
      item.isMonospaced = isMonospaced;
    }
    return isChanged;
  }

  get isBodyMonospaced(): boolean {
    let total = 0;
    for (const [font, { characters }] of this.#seen) {
      if (this.#isMonospaced(font)) total += characters;
    }
    return total > this.#characters * BODY_SHARE;
  }

  #countItem({ str, width, transform, fontName }: TextItem): void {
    const size = Math.hypot(transform[2] ?? 0, transform[3] ?? 0);
    const { length } = str;
    this.#characters += length;
    if (size === 0 || !WORD.test(str)) return;
    const fontUse = this.#seen.get(fontName) ?? { characters: 0, byAdvance: new Map(), usual: 0 };
    const advance = Math.round((width / length / size) * STEPS_AN_EM);
    fontUse.characters += length;
    const count = (fontUse.byAdvance.get(advance) ?? 0) + length;
    fontUse.byAdvance.set(advance, count);
    if (count > (fontUse.byAdvance.get(fontUse.usual) ?? 0)) fontUse.usual = advance;
    this.#seen.set(fontName, fontUse);
  }

  #isMonospaced(font: string): boolean {
    const use = this.#seen.get(font);
    if (use === undefined || use.characters < MIN_CHARACTERS) return false;
    const count = use.byAdvance.get(use.usual) ?? 0;
    return use.usual < MAX_ADVANCE * STEPS_AN_EM && count >= use.characters * MIN_SHARE;
  }
}
