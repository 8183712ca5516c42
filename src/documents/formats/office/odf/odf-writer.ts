import { runToEnd } from "../../../../core/work/cooperative.ts";
import type { FilledRow } from "../../../writing/block-list.ts";
import type { MarkdownBuilder } from "../../../writing/markdown-builder.ts";
import type { Drawing } from "../drawings.ts";
import { SheetWriter } from "../sheets/sheet-writer.ts";
import { SlideBlocks } from "../slides/slide-blocks.ts";
import { TextWriter } from "../text-writer.ts";

/** `spreadsheet`: tables are sheets. `presentation`: pages are slides. */
export type OdfKind = "text" | "spreadsheet" | "presentation";

/** Text is written as it is read, sheets row by row, slides when they end: these two are pages. */
export class OdfWriter extends TextWriter {
  /** Null outside slides, and in a hidden one. */
  slide: SlideBlocks | null = null;
  #sheet: SheetWriter | null = null;
  readonly #kind: OdfKind;

  constructor(kind: OdfKind, out: MarkdownBuilder) {
    super(out, 0);
    this.#kind = kind;
  }

  override nextPage(): void {
    if (this.#kind === "text") super.nextPage();
  }

  /** `isHidden`: a hidden slide counts as a page, too. */
  openSlide(isHidden: boolean): void {
    this.page++;
    this.slide = isHidden ? null : new SlideBlocks();
    this.writeTo(this.slide ?? this.out);
  }

  closeSlide(): void {
    if (this.slide !== null) runToEnd(this.slide.write(this.out, this.page));
    this.slide = null;
    this.writeTo(this.out);
  }

  openSheet(name: string | undefined, isHidden: boolean): void {
    const page = ++this.page;
    const sheet = { page, name: name ?? `Sheet ${page}` };
    this.#sheet = isHidden ? null : new SheetWriter(this.out, sheet);
  }

  protected override rows(rows: FilledRow[]): void {
    if (this.#kind === "spreadsheet")
      for (const { columns, cells } of rows) this.#sheet?.addRow({ columns, cells });
    else super.rows(rows);
  }

  protected override endTable(): void {
    this.#sheet?.endTable();
    super.endTable();
    this.#sheet = null;
  }

  protected override writeDrawing({ texts, rows }: Drawing): void {
    this.#sheet?.begin();
    // A sheet's chart shows data of its cells.
    super.writeDrawing({ texts, rows: this.#kind === "spreadsheet" ? [] : rows });
  }
}
