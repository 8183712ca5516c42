/** A row of cells and the line, from 1, on which it begins. */
export type CsvRow = { line: number; cells: string[] };

/** What is wrong with an imported file, and on which line. */
export class ImportProblem extends Error {
  override readonly name = "ImportProblem";

  readonly line: number;

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.line = line;
  }
}

/** No question needs as many. */
const CELLS_MAX = 50;

/** Spreadsheets write semicolons where a comma is the decimal sign. */
const DELIMITERS = [",", ";", "\t"];

/**
 * Comma-separated values (RFC 4180), quoted cells may hold delimiters, quotes and line ends. The
 * first line tells whether cells are divided by comma, semicolon or tab. Empty lines are left out.
 * @throws ImportProblem
 */
export function* readCsv(text: string): Generator<CsvRow> {
  const delimiter = delimiterOf(text);
  const ends = `${delimiter}\r\n`;
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const row: CsvRow = { line, cells: [] };
    let ended = false;
    while (!ended) {
      const { cell, end } =
        text[at] === '"' ? quoted(text, at, { line, ends }) : bare(text, at, ends);
      row.cells.push(cell);
      if (row.cells.length > CELLS_MAX) throw new ImportProblem(row.line, "has too many cells");
      line += countLines(cell);
      ended = text[end] !== delimiter;
      at = ended ? afterLineEnd(text, end) : end + 1;
    }
    line += 1;
    if (row.cells.some((cell) => cell.trim() !== "")) yield row;
  }
}

type Cell = { cell: string; end: number };

function delimiterOf(text: string): string {
  const [head = ""] = text.trimStart().split("\n", 1);
  return DELIMITERS.find((one) => head.includes(one)) ?? ",";
}

function bare(text: string, start: number, ends: string): Cell {
  let end = start;
  while (end < text.length && !ends.includes(text.charAt(end))) end += 1;
  return { cell: text.slice(start, end), end };
}

type Place = { line: number; ends: string };

function quoted(text: string, start: number, { line, ends }: Place): Cell {
  let cell = "";
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new ImportProblem(line, "a quote is never closed");
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      const end = quote + 1;
      if (end < text.length && !ends.includes(text.charAt(end))) {
        throw new ImportProblem(line + countLines(cell), "text follows a closing quote");
      }
      return { cell, end };
    }
    cell += '"';
    from = quote + 2;
  }
}

const countLines = (text: string) => text.split("\n").length - 1;

function afterLineEnd(text: string, end: number): number {
  return text[end] === "\r" && text[end + 1] === "\n" ? end + 2 : end + 1;
}
