import { Buffer } from "node:buffer";

import { linkMarkdown } from "../../../writing/link-text.ts";
import { MAX_REPEATED } from "../../../writing/table-text.ts";
import type { XmlAttributes } from "../../xml/xml-stream.ts";

/** Further ranges are not used: they are in memory while the rows are read. */
const MAX_RANGES = 1 << 17;
const ROWS_END = /<\/(?:[\w.-]{1,40}:)?sheetData\s{0,9}>/;
const ROWS_END_CHARACTERS = 64;

/** Merged cells and links of a sheet (ECMA-376 part 1, §18.3.1.55 and §18.3.1.47). */
export class CellRanges {
  /** The last row of merged cells, and the target of a link, by the place of the first cell. */
  readonly #lastRows = new Map<number, number>();
  readonly #targets = new Map<number, string>();
  /** By column: the merged cell that may cover the next rows. */
  readonly #above = new Map<number, { text: string; lastRow: number }>();
  #lastRow = 0;
  readonly #links: Map<string, string>;

  constructor(links: Map<string, string>) {
    this.#links = links;
  }

  open(name: string, { ref = "", "r:id": id = "" }: XmlAttributes): void {
    if (this.#lastRows.size + this.#targets.size >= MAX_RANGES) return;
    const [first = "", last = first] = ref.split(":", 2);
    const place = placeOf(rowOf(first), columnOf(first) ?? 0);
    if (name === "mergeCell") this.#lastRows.set(place, rowOf(last));
    else if (name === "hyperlink") this.#targets.set(place, this.#links.get(id) ?? "");
  }

  /** The text with its link, if a formula has no other target; it may cover rows below. */
  textOf(text: string, target: string, row: number, column: number, last = 0): string {
    const label = linkMarkdown(text, target || (this.#targets.get(placeOf(row, column)) ?? ""));
    const lastRow = this.#lastRows.get(placeOf(row, column)) ?? last;
    if (lastRow > row && label !== "" && label.length <= MAX_REPEATED) {
      this.#above.set(column, { text: label, lastRow });
      this.#lastRow = Math.max(this.#lastRow, lastRow);
    }
    return label;
  }

  covers(row: number): boolean {
    return row <= this.#lastRow;
  }

  /** Adds the cells above that cover a row, except where it has cells of its own. */
  cover(cells: Map<number, string>, row: number): void {
    for (const [column, { text, lastRow }] of this.#above) {
      if (lastRow < row) this.#above.delete(column);
      else if (!cells.has(column)) cells.set(column, text);
    }
  }
}

const MAX_COLUMN_LETTERS = 3;
const COLUMNS = 1 << 15;
const LETTERS = 26;

const placeOf = (row: number, column: number) => row * COLUMNS + column;
const rowOf = (reference: string) => Number(/\d{1,7}$/.exec(reference)?.[0] ?? 0);

/** Where `HYPERLINK("https://…")` leads, in the formulas of Excel and OpenDocument; or empty. */
export const formulaTarget = (formula = ""): string =>
  /^(?:of:)?=?HYPERLINK\("([^"]{1,300})"\s*[,;)]/i.exec(formula)?.[1] ?? "";

/** Cells of a range such as `B2:C4`; at least one. */
export function cellsIn(ref: string): number {
  const [first = "", last = first] = ref.split(":", 2);
  const columns = (columnOf(last) ?? 0) - (columnOf(first) ?? 0) + 1;
  return Math.max(1, (rowOf(last) - rowOf(first) + 1) * columns);
}

export function columnOf(reference: string): number | null {
  const letters = /^[A-Z]+/.exec(reference)?.[0] ?? "";
  if (letters === "" || letters.length > MAX_COLUMN_LETTERS) return null;
  let column = 0;
  for (const letter of letters) column = column * LETTERS + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** Leaves out most of the rows: parsing these twice would take half as long again. */
export function* skipRows(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let before = "";
  let isBehind = false;
  for (const chunk of chunks) {
    const text = isBehind ? "" : before + Buffer.from(chunk).toString("latin1");
    isBehind ||= ROWS_END.test(text);
    before = text.slice(-ROWS_END_CHARACTERS);
    yield isBehind ? chunk : chunk.subarray(chunk.length);
  }
}
