import { normalForm } from "../../../../core/normal-form.ts";
import { rankByTotal } from "../../../rank-by-total.ts";
import { compoundsIn } from "../layout/joined-lines.ts";
import type { Block, PagePart } from "../layout/page-blocks.ts";
import { groupByTurn } from "../layout/page-rows.ts";
import type { Segment } from "../layout/segment.ts";

export type DocumentShape = ReturnType<typeof shapeOf>;

/** Least size of headings, relative to the body's. */
export const HEADING_SCALE = 1.12;
const MAX_HEADING_CHARACTERS = 200;
const MAX_HEADING_LINES = 3;
/** Text may be larger than that of tables, which there is more of. */
const SENTENCE = /[。；，、]\s*$/u;
const PROSE_END = /\p{Ll}{2}[.;,]\s*$/u;
/** Larger text is a title, even if it ends with a full stop. */
const TITLE_SCALE = 1.6;
const MAX_FONT_HEADING_CHARACTERS = 90;
const MAX_LEVELS = 4;

const roundSize = (size: number) => Math.round(size * 2) / 2;

export function shapeOf(pages: Segment[][], bookmarks: Map<string, number>) {
  const segments = pages.flatMap((page) => groupByTurn(page)[0] ?? []);
  const bySize = rankByTotal(
    segments.map(({ size, text }) => [roundSize(size), text.length] as const),
  );
  const byFont = rankByTotal(segments.map(({ font, text }) => [font, text.length] as const));
  const [[bodySize] = [10]] = bySize;
  const [[bodyFont] = [""]] = byFont;
  const headingSizes = bySize
    .map(([size]) => size)
    .filter((size) => size >= bodySize * HEADING_SCALE)
    .sort((a, b) => b - a);
  const compounds = compoundsIn(segments.map(({ text }) => text));
  return { bodySize, bodyFont, headingSizes, bookmarks, compounds };
}

export const foldTitle = (text: string) =>
  normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** 0 for text that is no heading. @param text of the block */
export function headingLevel(
  block: Block,
  text: string,
  next: PagePart | undefined,
  shape: DocumentShape,
): number {
  if (text.length > MAX_HEADING_CHARACTERS || !/\p{L}/u.test(text)) return 0;
  const marked = shape.bookmarks.get(foldTitle(text));
  if (marked !== undefined) return marked;
  const size = roundSize(block.lines[0]?.size ?? 0);
  const isTitle = size >= shape.bodySize * TITLE_SCALE;
  if (isProse(block, text, isTitle) || block.lines.length > MAX_HEADING_LINES) return 0;
  if (size >= shape.bodySize * HEADING_SCALE) {
    const rank = shape.headingSizes.findIndex((headingSize) => headingSize <= size);
    return Math.min((rank < 0 ? shape.headingSizes.length : rank) + 1, MAX_LEVELS);
  }
  return isFontHeading(block, text, next, shape) ? fontLevel(shape) : 0;
}

const isProse = ({ lines }: Block, text: string, isTitle: boolean) =>
  SENTENCE.test(text) || (!isTitle && lines.length > 1 && PROSE_END.test(text));

const fontLevel = (shape: DocumentShape) => Math.min(shape.headingSizes.length + 1, MAX_LEVELS + 1);

function isFontHeading(
  block: Block,
  text: string,
  next: PagePart | undefined,
  shape: DocumentShape,
): boolean {
  const [line] = block.lines;
  if (line === undefined || block.lines.length > 1 || line.font === shape.bodyFont) return false;
  if (roundSize(line.size) < shape.bodySize || text.length > MAX_FONT_HEADING_CHARACTERS)
    return false;
  if (/[.,;:!?]$/.test(text) || !/^[\p{Lu}\p{N}\p{Lo}]/u.test(text)) return false;
  return isBody(next, shape);
}

function isBody(part: PagePart | undefined, { bodyFont }: DocumentShape): boolean {
  if (part?.kind === "text") return part.block.lines[0]?.font === bodyFont;
  return part?.kind === "code";
}
