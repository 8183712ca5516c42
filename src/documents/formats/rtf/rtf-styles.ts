import { CODE_STYLE, QUOTE_STYLE } from "../office/style-names.ts";

export type RtfStyle = { name: string; basedOn: number; outlineLevel: number | null };

const MAX_INHERITANCE = 20;
/** Word's number for "based on no style". */
export const NO_STYLE = 222;

/** Paragraph styles by number. */
export class RtfStyles {
  readonly #styles = new Map<number, RtfStyle>();

  define(number: number, style: RtfStyle): void {
    this.#styles.set(number, style);
  }

  /** 1 to 9; 0 for body text. */
  headingLevel(number: number): number {
    for (const { name, outlineLevel } of this.#lineage(number)) {
      const named = /^heading ([1-9])$/i.exec(name)?.[1];
      if (named !== undefined) return Number(named);
      if (/^title$/i.test(name)) return 1;
      if (outlineLevel !== null) return outlineLevel < 9 ? outlineLevel + 1 : 0;
    }
    return 0;
  }

  isCode = (number: number) => this.#lineage(number).some(({ name }) => CODE_STYLE.test(name));
  isQuote = (number: number) => this.#lineage(number).some(({ name }) => QUOTE_STYLE.test(name));

  #lineage(number: number): RtfStyle[] {
    const found: RtfStyle[] = [];
    let style = this.#styles.get(number);
    while (style !== undefined && found.length < MAX_INHERITANCE) {
      found.push(style);
      style = style.basedOn === NO_STYLE ? undefined : this.#styles.get(style.basedOn);
    }
    return found;
  }
}
