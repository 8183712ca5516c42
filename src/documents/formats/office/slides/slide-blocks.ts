import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import type { BlockTarget, MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { usedColumns, type FilledRow } from "../../../writing/table-text.ts";

type Kind = "title" | "text" | "table" | "note";
type SlideBlock = { kind: Kind; text: string; write: (out: MarkdownBuilder) => void };

const MAX_TITLE_CHARACTERS = 200;

export class SlideBlocks implements BlockTarget {
  readonly #blocks: SlideBlock[] = [];
  readonly paragraph = (text: string) => this.#add("text", text, (out) => out.paragraph(text));
  readonly quote = this.paragraph;
  readonly code = this.paragraph;
  readonly title = (text: string) => this.#add("title", text, (out) => out.paragraph(text));
  readonly note = (text: string) => this.#add("note", text, (out) => out.quote(text));
  readonly heading = (_level: number, text: string) => this.paragraph(text);

  #add(kind: Kind, text: string, write: SlideBlock["write"]): void {
    this.#blocks.push({ kind, text, write });
  }

  /** `marker` is `-` or a number with its point. */
  listItem(depth: number, marker: string, text: string): void {
    this.#add("text", text, (out) => out.listItem(depth, marker, text));
  }

  filledTable(rows: FilledRow[]): number[] {
    if (rows.length > 0) this.#add("table", "", (out) => void out.filledTable(rows));
    return usedColumns(rows);
  }

  moreRows(rows: FilledRow[], columns: number[]): void {
    this.#add("table", "", (out) => out.moreRows(rows, columns));
  }

  addTo(target: SlideBlocks): void {
    for (const block of this.#blocks) if (block.kind !== "table") target.note(block.text);
  }

  /** Writes a heading, the content and the notes; a slide without text is left out. */
  *write(out: MarkdownBuilder, page: number): CooperativeWork<void> {
    if (this.#blocks.length === 0) return;
    out.page(page);
    const title = titleOf(this.#blocks);
    out.heading(1, title?.text ?? `Slide ${page}`);
    const isNote = ({ kind }: SlideBlock) => kind === "note";
    const rest = this.#blocks.filter((block) => block !== title && !isNote(block));
    for (const { write } of [...rest, ...this.#blocks.filter(isNote)]) {
      const { length } = out;
      write(out);
      yield out.length - length + ITEM_COST;
    }
  }
}

/** The title, or the first text of a slide without one if it is short enough for a heading. */
function titleOf(blocks: SlideBlock[]): SlideBlock | undefined {
  const title = blocks.find(({ kind }) => kind === "title");
  const first = title ?? blocks.find(({ kind }) => kind === "text");
  const isShort = (first?.text.length ?? 0) <= MAX_TITLE_CHARACTERS;
  return title ?? (isShort ? first : undefined);
}
