import { plainText } from "./roff-escapes.ts";

/** The rows of a table (tbl(1)), without its options and formats. */
export function rowsOf(lines: string[]): string[][] {
  const hasOptions = lines[0]?.trimEnd().endsWith(";") === true;
  const tab = /\btab ?\((.)\)/.exec(hasOptions ? (lines[0] ?? "") : "")?.[1] ?? "\t";
  const rows: string[][] = [];
  let isFormat = true;
  for (const line of wholeRows(lines.slice(hasOptions ? 1 : 0))) {
    if (isFormat) isFormat = !line.trimEnd().endsWith(".");
    else if (line.startsWith(".T&")) isFormat = true;
    else if (!/^(?:[.'_=]|$)/.test(line)) rows.push(line.split(tab));
  }
  return rows.map((row) => row.map((cell) => (/^[_=]$/.test(cell) ? "" : plainText(cell))));
}

/** Joins the lines of text blocks: `T{` at the end of a line, `T}` at the beginning of another. */
function* wholeRows(lines: string[]): Generator<string> {
  let row = "";
  for (const line of lines) {
    const text = line.startsWith("T}") ? line.slice(2) : line.replace(/^[.'][A-Z]{1,2}\s/, "");
    const isInside = row !== "";
    row += isInside && !line.startsWith("T}") ? ` ${text}` : isInside ? text : line;
    if (row.endsWith("T{")) row = row.slice(0, -2) || " ";
    else if (!isInside || line.startsWith("T}")) {
      yield row;
      row = "";
    }
  }
}
