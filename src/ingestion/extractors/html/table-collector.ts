const MAX_SPAN = 200;

/** Gathers the rows of one table; spans leave empty cells so that columns stay aligned. */
export class TableCollector {
  readonly rows: string[][] = [];
  #row: string[] = [];
  /** Column by column, rows that a cell above still covers. */
  readonly #covered: number[] = [];

  startRow(): void {
    this.#row = [];
    this.rows.push(this.#row);
    this.#skipCovered();
  }

  addCell(text: string, columnSpan = 1, rowSpan = 1): void {
    if (this.rows.length === 0) this.startRow();
    this.#skipCovered();
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
