import type { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { headingLevel, type DocumentShape } from "./bounds/document-shape.ts";
import { unfoldTables } from "./layout/folded-tables.ts";
import { textOf, type Block, type PagePart } from "./layout/page-blocks.ts";
import type { Interval } from "./layout/segment.ts";
import { areAlike, isFigure } from "./layout/tables.ts";
import type { BlockRole } from "./structure/structure-tree.ts";

const BULLET = /^\s*[•◦▪‣●○■·]\s*/;
const NUMBER = /^\s*(\d{1,3})[.)]\s+/;
const YEAR = /^(?:19|20)\d\d$/;

/** Writes the parts of a document's pages. */
export class PageWriter {
  readonly #out: MarkdownBuilder;
  readonly #shape: DocumentShape;
  readonly #stamps = new Set<string>();
  /** The table that ends the text so far; `header` is null if the table has none. */
  #table: { page: number; columns: Interval[]; header: string[] | null } | null = null;

  constructor(out: MarkdownBuilder, shape: DocumentShape) {
    this.#out = out;
    this.#shape = shape;
  }

  write(part: PagePart, next: PagePart | undefined): void {
    const out = this.#out;
    if (part.kind === "table") return this.#writeTable(part.rows, part.columns);
    const isStamp = part.kind === "text" && part.isNote === true;
    if (isStamp) return this.#writeStamp(textOf(part.block));
    this.#table = null;
    if (part.kind === "code") return out.code(part.text);
    const text = textOf(part.block, this.#shape.compounds);
    if (part.role !== undefined && writeTagged(part, part.role, text, out)) return;
    const level = headingLevel(part.block, text, next, this.#shape);
    const item = itemIn(text);
    if (level > 0) out.heading(level, text);
    else if (item === null) out.paragraph(text);
    else out.listItem(0, item.marker, item.text);
  }

  /** A table that continues on a new page repeats the header of the page before. */
  #writeTable(table: string[][], columns: Interval[] = []): void {
    const rows = table.filter((row) => row.some((cell) => cell !== ""));
    const [first = []] = rows;
    const page = this.#out.pages.at(-1)?.page ?? 0;
    const above = this.#headerAbove(rows, columns, page);
    const header = above ?? (above === null || isOfFigures(first) ? null : first);
    const isRepeated = header === null || header.join(" ") === first.join(" ");
    const whole = isRepeated ? rows : [header, ...rows];
    for (const each of header === null ? [whole] : unfoldTables(whole))
      this.#out.table(each, header !== null);
    this.#table = { page, columns, header };
  }

  /** @returns undefined if no table continues, null if the continued table has no header */
  #headerAbove(rows: string[][], columns: Interval[], page: number): string[] | null | undefined {
    const last = this.#table;
    const isSame = last !== null && last.page < page && areAlike(columns, last.columns);
    const isData = rows[0]?.some(isFigure) === true || !rows.flat().some(isFigure);
    return isSame && isData ? last.header : undefined;
  }

  #writeStamp(text: string): void {
    if (!this.#stamps.has(text)) this.#out.paragraph(text);
    this.#stamps.add(text);
  }
}

/** The item of a text that begins with a bullet or a number; null for other text. */
function itemIn(text: string): { marker: string; text: string } | null {
  const [mark = "", number] = NUMBER.exec(text) ?? BULLET.exec(text) ?? [];
  if (mark === "") return null;
  return { marker: number === undefined ? "-" : `${number}.`, text: text.slice(mark.length) };
}

/** Whether at least half of a row's cells are figures, but not years, which head columns. */
function isOfFigures(row: string[]): boolean {
  const figures = row.filter(isFigure);
  const isHalf = figures.length * 2 >= row.filter((cell) => cell !== "").length;
  return isHalf && !figures.every((cell) => YEAR.test(cell));
}

/** False for paragraphs of the structure tree: their typography may say more. */
function writeTagged(
  { block, label = "" }: { block: Block; label?: string },
  role: BlockRole,
  text: string,
  out: MarkdownBuilder,
): boolean {
  if (role.kind === "heading") out.heading(role.level, text);
  else if (role.kind === "quote") out.quote(text);
  else if (role.kind === "code") out.code(block.lines.map((line) => line.text).join("\n"));
  else if (role.kind === "item") {
    const marked = `${label} ${text}`.trim();
    const item = itemIn(marked) ?? { marker: "-", text: marked };
    out.listItem(role.depth, item.marker, item.text);
  } else return false;
  return true;
}
