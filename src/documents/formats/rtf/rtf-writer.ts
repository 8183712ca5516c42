import { longer } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { filledRow } from "../../writing/table-text.ts";
import { headingLevelOf, type TextStyles } from "../office/text-styles.ts";
import { TextWriter, type ListMark } from "../office/text-writer.ts";

/** `style`: the number of its style. */
export type RtfParagraph = ListMark & {
  style: number;
  outlineLevel: number | null;
  isInTable: boolean;
};

export const BODY_TEXT: RtfParagraph = {
  style: 0,
  outlineLevel: null,
  isInTable: false,
  label: null,
  depth: 0,
};

const LETTER_BULLET = /^[o•·▪■●-]$/;

export class RtfWriter extends TextWriter {
  #row: string[] = [];
  #cell = "";
  readonly #styles: TextStyles;

  constructor(styles: TextStyles, out: MarkdownBuilder) {
    super(out);
    this.#styles = styles;
  }

  add({ style: number, isInTable, label, depth, outlineLevel }: RtfParagraph, text: string): void {
    const mark = label !== null && LETTER_BULLET.test(label) ? "" : label;
    if (isInTable) {
      this.#cell = longer(this.#cell, mark && /\w/.test(mark) ? `${mark} ${text}\n` : `${text}\n`);
      return;
    }
    this.#endRows();
    const style = this.#styles.of(String(number));
    const level = outlineLevel === null ? style.headingLevel : headingLevelOf(outlineLevel);
    this.paragraph(text, { style, level: level ?? 0, mark: () => ({ label: mark, depth }) });
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
    this.table.end();
  }
}
