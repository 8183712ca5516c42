import { longer } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { filledRow } from "../../writing/table-text.ts";
import { TextWriter } from "../office/text-writer.ts";
import type { RtfStyles } from "./rtf-styles.ts";

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

/** Writes paragraphs and table rows according to their properties. */
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
    if (this.table.length > 0) this.table.end();
  }
}
