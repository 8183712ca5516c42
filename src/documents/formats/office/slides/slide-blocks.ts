import { foldSpace } from "../../../writing/fold-space.ts";
import type { BlockTarget, MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import { filledRow, type FilledRow } from "../../../writing/table-text.ts";

type SlideBlock =
  | { kind: "title" | "paragraph" | "note"; text: string }
  /** `marker` is `-` or a number with its point. */
  | { kind: "item"; depth: number; marker: string; text: string }
  | { kind: "table"; rows: FilledRow[] };

const MAX_TITLE_CHARACTERS = 200;

export class SlideBlocks implements BlockTarget {
  readonly #blocks: SlideBlock[] = [];
  readonly paragraph = (text: string) => this.#add("paragraph", text);
  readonly quote = this.paragraph;
  readonly code = this.paragraph;
  readonly title = (text: string) => this.#add("title", foldSpace(text));
  readonly note = (text: string) => this.#add("note", text);
  readonly heading = (_level: number, text: string) => this.paragraph(text);

  #add(kind: "title" | "paragraph" | "note", text: string): void {
    this.#blocks.push({ kind, text });
  }

  listItem(depth: number, marker: string, text: string): void {
    this.#blocks.push({ kind: "item", depth, marker, text });
  }

  table(rows: string[][]): void {
    this.filledTable(rows.map(filledRow));
  }

  filledTable(rows: FilledRow[]): void {
    if (rows.length > 0) this.#blocks.push({ kind: "table", rows });
  }

  addTo(other: SlideBlocks): void {
    for (const block of this.#blocks) if (block.kind !== "table") other.note(block.text);
  }

  /** Writes a heading, the content and the notes; a slide without text is left out. */
  write(out: MarkdownBuilder, page: number): void {
    if (this.#blocks.length === 0) return;
    out.page(page);
    const title = titleOf(this.#blocks);
    out.heading(1, title?.text ?? `Slide ${page}`);
    const isNote = ({ kind }: SlideBlock) => kind === "note";
    const rest = this.#blocks.filter((block) => block !== title && !isNote(block));
    for (const block of [...rest, ...this.#blocks.filter(isNote)]) writeBlock(block, out);
  }
}

/** The title, or the first text of a slide without one if it is short enough for a heading. */
function titleOf(blocks: SlideBlock[]): { text: string } | undefined {
  for (const block of blocks) if (block.kind === "title") return block;
  for (const block of blocks) {
    if (block.kind === "table" || block.kind === "note") continue;
    return block.text.length <= MAX_TITLE_CHARACTERS ? block : undefined;
  }
  return undefined;
}

function writeBlock(block: SlideBlock, out: MarkdownBuilder): void {
  if (block.kind === "table") out.filledTable(block.rows);
  else if (block.kind === "item") out.listItem(block.depth, block.marker, block.text);
  else if (block.kind === "note") out.quote(block.text);
  else out.paragraph(block.text);
}
