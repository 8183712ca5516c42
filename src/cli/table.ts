import Table from "cli-table3";

const MIN_COLUMNS = 60;
const MAX_COLUMNS = 200;
/** Where there is no terminal, such as in a pipe or a log. */
const NO_TERMINAL = 110;
/** A blank on each side of a cell. */
const PADDING = 2;
const MIN_CELL = 5;
/** Longer words, such as paths, are broken rather than others. */
const MAX_WHOLE_WORD_LENGTH = 12;
const TWO_COLUMNS =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

export function terminalColumns(stream: NodeJS.WriteStream = process.stdout): number {
  return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, stream.columns ?? NO_TERMINAL));
}

/** The widest cells are wrapped. @param caps the most columns of each cell's text; none: no cap */
export function drawTable(
  head: string[],
  rows: string[][],
  columns: number,
  caps: (number | undefined)[] = [],
): string {
  const cellsAt = (at: number) => [head, ...rows].map((row) => row[at] ?? "");
  const natural = head.map((_, at) => {
    const lines = cellsAt(at).flatMap((cell) => cell.split("\n"));
    return Math.min(caps[at] ?? Infinity, Math.max(...lines.map(widthOf)));
  });
  const words = head.map((_, at) => longestWordWidth(cellsAt(at)));
  const borders = head.length + 1;
  const widths = shrinkColumns(natural, words, columns - borders - head.length * PADDING);
  const table = new Table({
    head,
    wordWrap: true,
    style: { head: [], border: [] },
    colWidths: widths.map((width) => width + PADDING),
  });
  table.push(...rows.map((row) => row.map((cell, at) => breakWords(cell, widths[at] ?? 1))));
  return table.toString();
}

/** Columns of the longest word in a column's cells that is not too long to be kept whole. */
function longestWordWidth(cells: string[]): number {
  const widths = cells.flatMap((cell) => cell.split(/\s+/).map(widthOf));
  return Math.max(MIN_CELL, ...widths.filter((width) => width <= MAX_WHOLE_WORD_LENGTH));
}

/** The widest columns become narrower until all fit: first those that break no word by it. */
function shrinkColumns(widths: number[], words: number[], room: number): number[] {
  const fitting = [...widths];
  let excess = fitting.reduce((sum, width) => sum + width, 0) - room;
  for (const floors of [words, words.map(() => MIN_CELL)]) {
    for (; excess > 0; excess--) {
      const spare = fitting.map((width, at) => (width > (floors[at] ?? 0) ? width : 0));
      const widest = Math.max(...spare);
      if (widest === 0) break;
      fitting[spare.indexOf(widest)] = widest - 1;
    }
  }
  return fitting;
}

function widthOf(line: string): number {
  return [...line].reduce((sum, letter) => sum + (TWO_COLUMNS.test(letter) ? 2 : 1), 0);
}

/** Words that are wider than the cell are broken, paths after slashes where possible. */
function breakWords(text: string, width: number): string {
  return text.replaceAll(/\S+/g, (word) => {
    if (widthOf(word) <= width) return word;
    const most = TWO_COLUMNS.test(word) ? Math.floor(width / 2) : width;
    const parts: string[] = [];
    const rest = [...word];
    while (rest.length > most) {
      const slash = rest.lastIndexOf("/", most - 1);
      parts.push(rest.splice(0, slash === -1 ? most : slash + 1).join(""));
    }
    return [...parts, rest.join("")].join("\n");
  });
}
