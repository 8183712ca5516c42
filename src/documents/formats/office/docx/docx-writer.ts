import { foldSpace } from "../../../writing/fold-space.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { CODE_STYLE, QUOTE_STYLE, TextWriter } from "../text-writer.ts";
import type { Numbering } from "./docx-numbering.ts";
import { styleOf, type ParagraphStyle } from "./docx-styles.ts";

/** With what it says itself, beside its style. */
export type DocxParagraph = Pick<ParagraphStyle, "headingLevel" | "numId" | "listLevel"> & {
  text: string;
  style: string;
  hasText: boolean;
  hasHiddenText: boolean;
};

/** `w:numId` 0 takes a paragraph out of its style's list. */
const NO_LIST = "0";

export class DocxWriter extends TextWriter {
  #note: string | null = null;
  readonly #styles: Map<string, ParagraphStyle>;
  readonly #numbering: Numbering;

  constructor(styles: Map<string, ParagraphStyle>, numbering: Numbering, out: MarkdownBuilder) {
    super(out);
    this.#styles = styles;
    this.#numbering = numbering;
  }

  isHidden({ style }: DocxParagraph): boolean {
    return styleOf(this.#styles, style).isHidden === true;
  }

  beginNote(mark: string | null): void {
    this.#note = mark === null ? null : `${mark}: `;
  }

  paragraph(paragraph: DocxParagraph): void {
    const style = styleOf(this.#styles, paragraph.style);
    if (CODE_STYLE.test(style.name)) this.code(paragraph.text);
    else {
      this.endCode();
      const label = this.#labelOf(paragraph, style);
      if (foldSpace(paragraph.text) !== "") this.#writeText(paragraph, style, label);
    }
    this.endBlock();
  }

  cellText(paragraph: DocxParagraph): string {
    const label = this.#labelOf(paragraph, styleOf(this.#styles, paragraph.style)) ?? "";
    return label === "" ? paragraph.text : `${label} ${paragraph.text}`;
  }

  #writeText(
    { text, headingLevel, listLevel }: DocxParagraph,
    style: ParagraphStyle,
    label: string | null,
  ): void {
    const note = this.#note;
    this.#note = null;
    this.text(note === null ? text : `${note}${foldSpace(text)}`, {
      level: headingLevel ?? style.headingLevel ?? 0,
      label,
      depth: listLevel ?? style.listLevel ?? 0,
      isQuote: QUOTE_STYLE.test(style.name),
    });
  }

  /** The list label; null outside lists. Empty paragraphs count as items, too. */
  #labelOf({ numId, listLevel }: DocxParagraph, style: ParagraphStyle): string | null {
    const list = numId ?? style.numId ?? NO_LIST;
    return list === NO_LIST ? null : this.#numbering.next(list, listLevel ?? style.listLevel ?? 0);
  }
}
