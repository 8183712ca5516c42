import { columnsInUse, type BlockList, type FilledRow } from "./block-list.ts";
import { MAX_TEXT_BYTES, tooMuchText } from "./compact-text.ts";
import { foldSpace } from "./fold-space.ts";

/** Characters of an empty cell with its bar. */
const CELL_CHARACTERS = 3;

/** Rows of wider tables end with their last cell: a short one would be bars alone. */
const WIDE_COLUMNS = 100;

/** In characters: a longer cell that covers rows stands in the first alone. */
export const MAX_REPEATED = 120;

export function filledRow(row: readonly string[]): FilledRow {
  const filled: FilledRow = { columns: [], cells: [] };
  for (const [column, cell] of row.entries()) addCell(filled, column, cell);
  return filled;
}

/** `column` comes after the columns that the row has. */
export function addCell(
  row: FilledRow,
  column: number,
  text: string | undefined,
  blocks: BlockList | null = null,
): void {
  const cell = text === undefined ? "" : foldSpace(text);
  if (cell === "") return;
  row.columns.push(column);
  row.cells.push(cell);
  row.blocks?.push(blocks);
}

export const charactersOf = ({ cells }: FilledRow) =>
  cells.reduce((characters, { length }) => characters + length, 0);

/**
 * Written rows, and the columns that are used. The first row is the header, or there is an empty one.
 * Empty columns are dropped; a single column becomes paragraphs.
 */
export function tableText(rows: FilledRow[], hasHeader = true) {
  const columns = columnsInUse(rows);
  const lines = rowsText(rows, columns, true);
  if (columns.length < 2 || lines.length === 0) return { lines, columns };
  if (!hasHeader) lines.unshift(`|${"  |".repeat(columns.length)}`);
  lines.splice(1, 0, `|${" --- |".repeat(columns.length)}`);
  return { lines, columns };
}

/** Rows that continue a table; cells beyond its columns are added at the row's end. */
export function rowsText(rows: FilledRow[], columns: number[], hasHeader = false): string[] {
  const filled = rows.filter((row) => row.cells.length > 0);
  // Checked before they are built: a wide table is mostly the bars of empty cells.
  if (filled.length * columns.length * CELL_CHARACTERS > MAX_TEXT_BYTES) throw tooMuchText();
  const isNarrow = columns.length <= WIDE_COLUMNS;
  return filled.map((row, at) => rowText(row, columns, isNarrow || (hasHeader && at === 0)));
}

function rowText(row: FilledRow, columns: number[], isWhole: boolean): string {
  const texts: string[] = [];
  const more: string[] = [];
  let at = 0;
  for (const column of columns) {
    if (!isWhole && at === row.cells.length) break;
    for (; (row.columns[at] ?? Infinity) < column; at++) more.push(row.cells[at] ?? "");
    texts.push(row.columns[at] === column ? (row.cells[at++] ?? "") : "");
  }
  more.push(...row.cells.slice(at));
  const [only = "", ...rest] = [...texts, ...more].map((cell) => cell.replaceAll("|", "\\|"));
  return rest.length === 0 ? only : `| ${[only, ...rest].join(" | ")} |`;
}
