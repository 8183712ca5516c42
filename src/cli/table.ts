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

/** Columns of the terminal, within bounds. */
export function terminalColumns(stream: NodeJS.WriteStream = process.stdout): number {
  return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, stream.columns ?? NO_TERMINAL));
}

/**
 * A table of at most `columns` columns. Its widest cells are wrapped, at words where possible.
 * @param caps the most columns of text for each column; none where left out
 */
export function drawTable(
  head: string[],
  rows: string[][],
  columns: number,
  caps: (number | undefined)[] = [],
): string {
  const natural = head.map((title, at) => {
    const widest = Math.max(...[title, ...rows.map((row) => row[at] ?? "")].map(widthOf));
    return Math.min(widest, caps[at] ?? widest);
  });
  const borders = head.length + 1;
  const words = head.map((title, at) => wholeWord([title, ...rows.map((row) => row[at] ?? "")]));
  const widths = shrunk(natural, words, columns - borders - head.length * PADDING);
  const table = new Table({
    head,
    wordWrap: true,
    style: { head: [], border: [] },
    colWidths: widths.map((width) => width + PADDING),
  });
  table.push(...rows.map((row) => row.map((cell, at) => brokenToFit(cell, widths[at] ?? 1))));
  return table.toString();
}

/** Columns of the longest word in a column's cells that is not too long to be kept whole. */
function wholeWord(cells: string[]): number {
  const widths = cells.flatMap((cell) => cell.split(/\s+/).map((word) => lineWidth(word)));
  return Math.max(MIN_CELL, ...widths.filter((width) => width <= MAX_WHOLE_WORD_LENGTH));
}

/** The widest columns become narrower until all fit: first those that break no word by it. */
function shrunk(widths: number[], words: number[], room: number): number[] {
  const fitting = [...widths];
  let total = fitting.reduce((sum, width) => sum + width, 0);
  for (const floors of [words, words.map(() => MIN_CELL)]) {
    const spare = (at: number) => (fitting[at] ?? 0) > (floors[at] ?? 0);
    while (total > room && fitting.some((_, at) => spare(at))) {
      const widest = Math.max(...fitting.filter((_, at) => spare(at)));
      const at = fitting.findIndex((width, index) => width === widest && spare(index));
      fitting[at] = widest - 1;
      total--;
    }
  }
  return fitting;
}

/** The width of the longest line, in columns. */
function widthOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => lineWidth(line)));
}

function lineWidth(line: string): number {
  let width = 0;
  for (const character of line) width += TWO_COLUMNS.test(character) ? 2 : 1;
  return width;
}

/** Words that are wider than the cell are broken, paths after slashes where possible. */
function brokenToFit(text: string, width: number): string {
  return text.replaceAll(/\S+/g, (word) =>
    lineWidth(word) <= width ? word : brokenWord(word, width),
  );
}

function brokenWord(word: string, width: number): string {
  const lines: string[] = [""];
  for (const piece of word.match(/[^/]*\/?/g) ?? []) {
    const parts = lineWidth(piece) <= width ? [piece] : piece;
    for (const part of parts) {
      const last = lines.length - 1;
      const line = `${lines[last] ?? ""}${part}`;
      if (lineWidth(line) <= width) lines[last] = line;
      else lines.push(part);
    }
  }
  return lines.join("\n");
}
