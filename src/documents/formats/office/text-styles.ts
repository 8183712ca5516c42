/** A style of paragraphs or characters; null: as the style that it is based on, or as usual. */
export const PLAIN_STYLE = {
  name: "",
  basedOn: null as string | null,
  /** 1 to 9; 0 for body text. */
  headingLevel: null as number | null,
  numId: null as string | null,
  listLevel: null as number | null,
  isHidden: null as boolean | null,
  height: null as number | null,
  isCode: false,
  isQuote: false,
};
export type TextStyle = typeof PLAIN_STYLE;

const CODE = /preformatted|source.?code|^code(?: block)?$/i;
const QUOTE = /^(?:intense )?quote|^block ?text|^block quotation|^quotations$/i;
const MAX_INHERITANCE = 20;
/** More than any document needs: a file may define millions. */
const MAX_STYLES = 1 << 16;

/** The styles of a document by their ids. Undefined ones have Word's own ids, such as `Heading2`. */
export class TextStyles {
  readonly #styles = new Map<string, TextStyle>();
  /** Styles with what they inherit, once they are in use. */
  readonly #whole = new Map<string, TextStyle>();

  /** The style may be filled until it is used for the first time. */
  define(id: string, own: Partial<TextStyle> = {}): TextStyle {
    const style = { ...PLAIN_STYLE, ...own };
    if (this.#styles.size < MAX_STYLES) this.#styles.set(id, style);
    return style;
  }

  styleOf(id: string): TextStyle {
    const cached = this.#whole.get(id);
    if (cached !== undefined) return cached;
    const whole = { ...PLAIN_STYLE };
    let next: string | null = id;
    for (let step = 0; next !== null && step < MAX_INHERITANCE; step++) {
      const style: TextStyle = this.#styles.get(next) ?? { ...PLAIN_STYLE, name: next };
      inherit(whole, style);
      next = style.basedOn;
    }
    if (this.#styles.has(id)) this.#whole.set(id, whole);
    return whole;
  }
}

function inherit(style: TextStyle, from: TextStyle): void {
  style.headingLevel ??= from.headingLevel ?? levelByName(from.name);
  style.numId ??= from.numId;
  style.listLevel ??= from.listLevel;
  style.isHidden ??= from.isHidden;
  style.height ??= from.height;
  style.isCode ||= CODE.test(from.name);
  style.isQuote ||= QUOTE.test(from.name);
}

const levelByName = (name: string) =>
  /^title$/i.test(name) ? 1 : Number(/^heading ?([1-9])$/i.exec(name)?.[1] ?? 0) || null;

const BODY_OUTLINE_LEVEL = 9;

/** The heading level of an outline level, which counts from 0; null for body text. */
export const headingLevelOf = (outlineLevel: number) =>
  Number.isInteger(outlineLevel) && outlineLevel >= 0 && outlineLevel < BODY_OUTLINE_LEVEL
    ? outlineLevel + 1
    : null;
