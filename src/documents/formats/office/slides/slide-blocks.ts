import { ITEM_COST, type CooperativeWork } from "../../../../core/work/cooperative.ts";
import { BlockList, type Block } from "../../../writing/block-list.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";

const MAX_TITLE_CHARACTERS = 200;

export class SlideBlocks extends BlockList {
  title(text: string): void {
    this.add("title", text, (out) => out.paragraph(text));
  }

  note(text: string): void {
    this.add("note", text, (out) => out.quote(text));
  }

  override heading(_level: number, text: string): void {
    this.paragraph(text);
  }

  override quote(text: string): void {
    this.paragraph(text);
  }

  override code(text: string): void {
    this.paragraph(text);
  }

  addTo(target: SlideBlocks): void {
    for (const { kind, text } of this.blocks) if (kind !== "table") target.note(text);
  }

  /** Writes a heading, the content and the notes; a slide without text is left out. */
  *write(out: MarkdownBuilder, page: number): CooperativeWork<void> {
    if (this.blocks.length === 0) return;
    out.page(page);
    const title = titleOf(this.blocks);
    out.heading(1, title?.text ?? `Slide ${page}`);
    const isNote = ({ kind }: Block) => kind === "note";
    const rest = this.blocks.filter((block) => block !== title && !isNote(block));
    for (const { write } of [...rest, ...this.blocks.filter(isNote)]) {
      const { length } = out;
      write(out);
      yield out.length - length + ITEM_COST;
    }
  }
}

/** The title, or the first text of a slide without one if it is short enough for a heading. */
function titleOf(blocks: Block[]): Block | undefined {
  const title = blocks.find(({ kind }) => kind === "title");
  const first = title ?? blocks.find(({ kind }) => kind === "text");
  const isShort = (first?.text.length ?? 0) <= MAX_TITLE_CHARACTERS;
  return title ?? (isShort ? first : undefined);
}
