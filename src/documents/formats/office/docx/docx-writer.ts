import { foldSpace } from "../../../writing/fold-space.ts";
import { LongTable } from "../../../writing/long-table.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { Numbering } from "./docx-numbering.ts";
import { styleOf } from "./docx-styles.ts";
import type { ParagraphStyle } from "./docx-styles.ts";
import { writeDrawing } from "../drawings.ts";
import type { Drawing } from "../drawings.ts";
import { markerFor } from "../list-labels.ts";
import { CODE_STYLE, QUOTE_STYLE } from "../style-names.ts";

export type DocxParagraph = {
  text: string;
  style: string;
  headingLevel: number | null;
  numId: string | null;
  listLevel: number | null;
  hasHiddenText: boolean;
};

/** `w:numId` 0 takes a paragraph out of its style's list. */
const NO_LIST = "0";

/** Writes paragraphs by their styles and lists, table rows, and page starts. */
export class DocxWriter {
  #page = 1;
  #pageFollows = false;
  #note: string | null = null;
  readonly #code: string[] = [];
  readonly #drawings: Drawing[] = [];
  readonly #table: LongTable;
  readonly #styles: Map<string, ParagraphStyle>;
  readonly #numbering: Numbering;
  readonly #out: MarkdownBuilder;

  constructor(styles: Map<string, ParagraphStyle>, numbering: Numbering, out: MarkdownBuilder) {
    this.#styles = styles;
    this.#numbering = numbering;
    this.#out = out;
    this.#table = new LongTable(out);
  }

  isHidden({ style }: DocxParagraph): boolean {
    return styleOf(this.#styles, style).isHidden === true;
  }

  openNote(mark: string | null): void {
    this.#note = mark === null ? null : `${mark}: `;
  }

  /** `isInside`: a paragraph or table has begun; the page before ends after it. */
  nextPage(isInside: boolean): void {
    this.#page++;
    if (isInside) this.#pageFollows = true;
    else this.#out.page(this.#page);
  }

  paragraph(paragraph: DocxParagraph): void {
    const style = styleOf(this.#styles, paragraph.style);
    if (CODE_STYLE.test(style.name)) this.#code.push(paragraph.text);
    else {
      this.#writeCode();
      const label = this.#labelOf(paragraph, style);
      if (foldSpace(paragraph.text) !== "") this.#writeText(paragraph, style, label);
    }
    this.#endBlock();
  }

  cellText(paragraph: DocxParagraph): string {
    const label = this.#labelOf(paragraph, styleOf(this.#styles, paragraph.style)) ?? "";
    return label === "" ? paragraph.text : `${label} ${paragraph.text}`;
  }

  #writeText(paragraph: DocxParagraph, style: ParagraphStyle, label: string | null): void {
    const note = this.#note;
    this.#note = null;
    const text = note === null ? paragraph.text : `${note}${foldSpace(paragraph.text)}`;
    const level = paragraph.headingLevel ?? style.headingLevel;
    if (level !== null) this.#out.heading(level, `${label ?? ""} ${text}`);
    else if (label !== null) {
      const { marker, prefix } = markerFor(label);
      this.#out.listItem(paragraph.listLevel ?? style.listLevel ?? 0, marker, prefix + text);
    } else if (QUOTE_STYLE.test(style.name)) this.#out.quote(text);
    else this.#out.paragraph(text);
  }

  /** The list label; null outside lists. Empty paragraphs count as items, too. */
  #labelOf({ numId, listLevel }: DocxParagraph, style: ParagraphStyle): string | null {
    const list = numId ?? style.numId ?? NO_LIST;
    return list === NO_LIST ? null : this.#numbering.next(list, listLevel ?? style.listLevel ?? 0);
  }

  draw(drawing: Drawing): void {
    this.#drawings.push(drawing);
  }

  rows(rows: string[][]): void {
    if (rows.length > 0) this.#writeCode();
    this.#table.add(rows);
  }

  endTable(): void {
    this.#writeCode();
    this.#table.end();
    this.#endBlock();
  }

  finish(): void {
    this.#writeCode();
    this.#endBlock();
  }

  #endBlock(): void {
    for (const drawing of this.#drawings.splice(0)) writeDrawing(drawing, this.#out);
    if (this.#pageFollows) this.#out.page(this.#page);
    this.#pageFollows = false;
  }

  #writeCode(): void {
    if (this.#code.length > 0) this.#out.code(this.#code.splice(0).join("\n"));
  }
}
