import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { FilledRow } from "../../../writing/table-text.ts";

export type SlideBlock =
  | { kind: "title" | "paragraph" | "note"; text: string }
  /** `marker` is `-` or a number with its point. */
  | { kind: "item"; depth: number; marker: string; text: string }
  | { kind: "table"; rows: FilledRow[] };

const TITLE_MAX_CHARACTERS = 200;

/** Writes a slide as a heading, its content and its notes; a slide without text is left out. */
export function writeSlideBlocks(blocks: SlideBlock[], out: MarkdownBuilder, page: number): void {
  if (blocks.length === 0) return;
  out.page(page);
  const title = titleOf(blocks);
  out.heading(1, title?.text ?? `Slide ${page}`);
  const notes = blocks.filter(({ kind }) => kind === "note");
  const rest = blocks.filter((block) => block !== title && block.kind !== "note");
  for (const block of [...rest, ...notes]) writeBlock(block, out);
}

/** The title, or the first text of a slide without one if it is short enough for a heading. */
function titleOf(blocks: SlideBlock[]): { text: string } | undefined {
  for (const block of blocks) if (block.kind === "title") return block;
  for (const block of blocks) {
    if (block.kind === "table" || block.kind === "note") continue;
    return block.text.length <= TITLE_MAX_CHARACTERS ? block : undefined;
  }
  return undefined;
}

function writeBlock(block: SlideBlock, out: MarkdownBuilder): void {
  if (block.kind === "table") out.filledTable(block.rows);
  else if (block.kind === "item") out.listItem(block.depth, block.marker, block.text);
  else if (block.kind === "note") out.quote(block.text);
  else out.paragraph(block.text);
}
