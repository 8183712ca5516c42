import { foldSpace } from "./fold-space.ts";

const cellText = (cell: string) => foldSpace(cell).replaceAll("|", "\\|");

/** Rows as they are written, empty ones left out, and the columns in which anything stands. */
export type TableText = { lines: string[]; columns: number[] };

/**
 * The first row is the header. Columns without any text go; without a second column there is no
 * table and each row is a paragraph.
 */
export function tableText(rows: string[][]): TableText {
  const filled = filledRows(rows);
  const columns = usedColumns(filled);
  const [header, ...lines] = filled.map((row) => rowText(row, columns));
  if (header === undefined) return { lines: [], columns };
  const rule = columns.length === 1 ? [] : [`|${" --- |".repeat(columns.length)}`];
  return { lines: [header, ...rule, ...lines], columns };
}

/** Rows that go on with a table; cells beyond its columns are added at the row's end. */
export function rowsText(rows: string[][], columns: number[]): string[] {
  const known = new Set(columns);
  return filledRows(rows).map((row) => {
    const more = usedColumns([row]).filter((column) => !known.has(column));
    return rowText(row, [...columns, ...more]);
  });
}

function rowText(row: string[], columns: number[]): string {
  const cells = columns.map((column) => row[column] ?? "");
  return columns.length === 1 ? (cells[0] ?? "") : `| ${cells.join(" | ")} |`;
}

function filledRows(rows: string[][]): string[][] {
  return rows.map((row) => row.map(cellText)).filter((row) => row.some(Boolean));
}

function usedColumns(rows: string[][]): number[] {
  const used = new Set<number>();
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      if (cell !== "" && cell !== undefined) used.add(column);
  }
  return [...used].sort((a, b) => a - b);
}
