const MAX_SPAN = 200;
/** A wider row goes on as another. */
const MAX_COLUMNS = 2_000;
const MANY_ROWS = 1_000;

/** Gathers the rows of one table; spans leave empty cells so that columns stay aligned. */
export class TableCollector {
  readonly rows: string[][] = [];
  #row: string[] = [];
  /** Column by column, rows that a cell above still covers. */
  readonly #covered: number[] = [];

  /** All rows but the open one when there are many, else none; they are no longer held here. */
  takeMany(): string[][] {
    return this.rows.length < MANY_ROWS ? [] : this.rows.splice(0, this.rows.length - 1);
  }

  startRow(): void {
    this.#row = [];
    this.rows.push(this.#row);
    this.#skipCovered();
  }

  addCell(text: string, columnSpan = 1, rowSpan = 1): void {
    if (this.rows.length === 0) this.startRow();
    this.#skipCovered();
    if (this.#row.length >= MAX_COLUMNS) this.startRow();
    for (let at = 0; at < clampSpan(columnSpan); at++) {
      this.#covered[this.#row.length] = clampSpan(rowSpan) - 1;
      this.#row.push(at === 0 ? text : "");
    }
  }

  #skipCovered(): void {
    for (let column = this.#row.length; (this.#covered[column] ?? 0) > 0; column++) {
      this.#covered[column] = (this.#covered[column] ?? 1) - 1;
      this.#row.push("");
    }
  }
}

function clampSpan(span: number): number {
  return Number.isFinite(span) ? Math.min(Math.max(Math.trunc(span), 1), MAX_SPAN) : 1;
}
