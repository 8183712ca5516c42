import { longer } from "../../writing/bounded-text.ts";
import { foldSpace } from "../../writing/fold-space.ts";
import { LongTable } from "../../writing/long-table.ts";
import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { markerFor } from "../office/list-labels.ts";
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
export class RtfWriter {
  #page = 1;
  #row: string[] = [];
  #cell = "";
  readonly #code: string[] = [];
  readonly #table: LongTable;
  readonly #styles: RtfStyles;
  readonly #out: MarkdownBuilder;

  constructor(styles: RtfStyles, out: MarkdownBuilder) {
    this.#styles = styles;
    this.#out = out;
    this.#table = new LongTable(out);
  }

  paragraph(paragraph: RtfParagraph, text: string): void {
    if (paragraph.isInTable) {
      this.#cell = longer(this.#cell, `${text}\n`);
      return;
    }
    this.#endTable();
    if (this.#styles.isCode(paragraph.style)) this.#code.push(text);
    else {
      this.#writeCode();
      if (foldSpace(text) !== "") this.#writeText(paragraph, text);
    }
  }

  #writeText({ style, outlineLevel, label, depth }: RtfParagraph, text: string): void {
    const level =
      outlineLevel === null
        ? this.#styles.headingLevel(style)
        : outlineLevel <= MAX_OUTLINE_LEVEL
          ? outlineLevel + 1
          : 0;
    if (level > 0) this.#out.heading(level, `${markerLabel(label)} ${text}`);
    else if (label !== null) {
      const { marker, prefix } = markerFor(markerLabel(label));
      this.#out.listItem(depth, marker, prefix + text);
    } else if (this.#styles.isQuote(style)) this.#out.quote(text);
    else this.#out.paragraph(text);
  }

  endCell(text: string): void {
    this.#row.push(this.#cell + text);
    this.#cell = "";
  }

  endRow(): void {
    this.#writeCode();
    if (this.#row.length > 0) this.#table.add([this.#row]);
    this.#row = [];
    this.#cell = "";
  }

  nextPage(): void {
    this.#out.page(++this.#page);
  }

  /** Writes the notes in the order of their references. */
  finish(notes: string[]): void {
    this.#endTable();
    this.#writeCode();
    for (const [index, note] of notes.entries()) this.#out.paragraph(`[^${index + 1}]: ${note}`);
  }

  #writeCode(): void {
    if (this.#code.length > 0) this.#out.code(this.#code.splice(0).join("\n"));
  }

  /** Ends the table; an unfinished row is kept. */
  #endTable(): void {
    if (this.#row.length > 0 || foldSpace(this.#cell) !== "") {
      this.endCell("");
      this.endRow();
    }
    if (this.#table.length > 0) this.#table.end();
  }
}

const markerLabel = (label: string | null) =>
  label === null || LETTER_BULLET.test(label) ? "" : label;
