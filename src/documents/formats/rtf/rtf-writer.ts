import { longer } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { isLinkTarget, withLink } from "../../writing/link-text.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { filledRow } from "../../writing/table-text.ts";
import { CODE_STYLE, QUOTE_STYLE, TextWriter } from "../office/text-writer.ts";

export type RtfStyle = { name: string; basedOn: number; outlineLevel: number | null };

const MAX_INHERITANCE = 20;
/** Word's number for "based on no style". */
export const NO_STYLE = 222;

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

/** `label`: what an item shows, empty for bullets; null outside lists. `depth` counts from 0. */
export type RtfParagraph = {
  style: number;
  outlineLevel: number | null;
  isInTable: boolean;
  label: string | null;
  depth: number;
};

export const BODY_TEXT: RtfParagraph = {
  style: 0,
  outlineLevel: null,
  isInTable: false,
  label: null,
  depth: 0,
};

const MAX_OUTLINE_LEVEL = 8;
const LETTER_BULLET = /^[o•·▪■●-]$/;

export class RtfWriter extends TextWriter {
  #row: string[] = [];
  #cell = "";
  readonly #styles: RtfStyles;

  constructor(styles: RtfStyles, out: MarkdownBuilder) {
    super(out);
    this.#styles = styles;
  }

  paragraph({ style, isInTable, label, depth, outlineLevel }: RtfParagraph, text: string): void {
    if (isInTable) {
      this.#cell = longer(this.#cell, `${text}\n`);
      return;
    }
    this.#endRows();
    if (this.#styles.isCode(style)) this.code(text);
    else {
      this.endCode();
      if (foldSpace(text) === "") return;
      const outline = (outlineLevel ?? 0) > MAX_OUTLINE_LEVEL ? 0 : (outlineLevel ?? 0) + 1;
      const level = outlineLevel === null ? this.#styles.headingLevel(style) : outline;
      const shown = label !== null && LETTER_BULLET.test(label) ? "" : label;
      this.text(text, { level, label: shown, depth, isQuote: this.#styles.isQuote(style) });
    }
  }

  endCell(text: string): void {
    this.#row.push(this.#cell + text);
    this.#cell = "";
  }

  endRow(): void {
    this.rows(this.#row.length > 0 ? [filledRow(this.#row)] : []);
    this.#row = [];
    this.#cell = "";
  }

  override finish(): void {
    this.#endRows();
    super.finish();
  }

  /** Ends the table; an unfinished row is kept. */
  #endRows(): void {
    if (this.#row.length > 0 || foldSpace(this.#cell) !== "") {
      this.endCell("");
      this.endRow();
    }
    this.#cell = "";
    if (this.table.length > 0) this.table.end();
  }
}

type Link = { start: number; target: string; depth: number };

export class RtfText {
  #text = "";
  /** The open link; links inside a link are ignored. */
  #link: Link | null = null;

  /** @throws UnreadableDocument when it becomes longer than any paragraph. */
  add(text: string): void {
    this.#text = longer(this.#text, text);
  }

  openLink(target: string, depth: number): void {
    if (this.#link !== null || !isLinkTarget(target)) return;
    this.#link = { start: this.#text.length, target, depth };
  }

  closeGroup(depth: number): void {
    if (this.#link?.depth !== depth) return;
    this.#text = this.#linked();
    this.#link = null;
  }

  /** Ends the paragraph or cell; a link that is open goes on in the next. */
  take(): string {
    const text = this.#linked();
    this.#text = "";
    if (this.#link !== null) this.#link.start = 0;
    return text;
  }

  #linked(): string {
    if (this.#link === null) return this.#text;
    return withLink(this.#text, this.#link.start, this.#link.target);
  }
}
