import { MAX_NESTED_TABLES } from "../../writing/block-list.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { headingLevelOf, type TextStyles } from "../office/text-styles.ts";
import { TextWriter, type ListMark } from "../office/text-writer.ts";

const NO_MARK: ListMark = { label: null, depth: 0 };

/** `style`: the number of its style; `level`: that of tables around it. */
export const BODY_TEXT = { ...NO_MARK, style: 0, outlineLevel: null as number | null, level: 0 };
export type RtfParagraph = typeof BODY_TEXT;

const LETTER_BULLET = /^[o•·▪■●-]$/;

export class RtfWriter extends TextWriter {
  #level = 0;
  readonly #styles: TextStyles;

  constructor(styles: TextStyles, out: MarkdownBuilder) {
    super(out);
    this.#styles = styles;
  }

  add(paragraph: RtfParagraph, text: string): void {
    const { style: number, level: tables, label, depth, outlineLevel } = paragraph;
    const mark = label !== null && LETTER_BULLET.test(label) ? "" : label;
    this.#enter(tables);
    const style = this.#styles.styleOf(String(number));
    const level = outlineLevel === null ? style.headingLevel : headingLevelOf(outlineLevel);
    this.paragraph(text, { style, level: level ?? 0, mark: () => ({ label: mark, depth }) });
  }

  endCell(level: number, text = ""): void {
    this.#enter(level);
    this.tables.cell?.paragraph(text);
    this.closeCell();
    this.tables.openCell();
  }

  /** `rest`: the text of a cell that does not end. */
  endRow(level: number, rest = ""): void {
    if (foldSpace(rest) !== "") this.endCell(level, rest);
    if (this.#level >= level) this.#enter(level);
    this.closeRow();
    this.#openRow();
  }

  override finish(): void {
    this.#enter(0);
    super.finish();
  }

  #openRow(): void {
    this.tables.openRow();
    this.tables.openCell();
  }

  /** Opens and ends tables, until text belongs to the cell of so many; an unfinished row is kept. */
  #enter(level: number): void {
    for (; this.#level > level; this.#level--) {
      this.closeCell();
      this.closeRow();
      this.closeTable();
    }
    for (; this.#level < Math.min(level, MAX_NESTED_TABLES); this.#level++) {
      this.openTable();
      this.#openRow();
    }
  }
}
