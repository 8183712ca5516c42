import { Progress } from "../../../core/work/cooperative.ts";
import type { CooperativeWork } from "../../../core/work/cooperative.ts";
import type { Extraction } from "../../extracted-document.ts";
import { MarkdownBuilder } from "../../writing/markdown-builder.ts";
import { ENDS_EARLY } from "../../notes.ts";
import { SheetWriter } from "../office/sheets/sheet-writer.ts";
import { filledRow } from "../../writing/table-text.ts";

const DELIMITERS = [",", ";", "\t", "|"];
const SAMPLE_CHARACTERS = 20_000;
const SAMPLE_ROWS = 20;
/** A longer row is broken: the text is no table, and its cells must not all be held in memory. */
const MAX_CELLS = 2_000;
/** Limit of a quoted cell: a quote that opens a longer one is a stray character. */
const MAX_QUOTED = 1 << 20;
const STRAY_QUOTE = "a quote is not closed within 1 MiB: it is read as a letter";
/** A stray quote cannot be told from a file that is cut off. */
const OPEN_QUOTE = `a quote is never closed: ${ENDS_EARLY}, or a cell holds all that follows`;

type Place = { at: number; isInQuotes: boolean; hasStrayQuote: boolean };

/** Delimited text (RFC 4180 and its relatives) as tables; empty rows divide them. */
export function* extractCsv(
  text: string,
  delimiter: string | null = null,
): CooperativeWork<Extraction> {
  const out = new MarkdownBuilder();
  const writer = new SheetWriter(out);
  // `sep=;` on the first line is Excel's way to name the delimiter.
  const named = /^sep=(.)\r?\n/.exec(text);
  const body = named === null ? text : text.slice(named[0].length);
  const place: Place = { at: 0, isInQuotes: false, hasStrayQuote: false };
  const progress = new Progress();
  for (const row of rowsOf(body, named?.[1] ?? delimiter ?? guessDelimiter(body), place)) {
    writer.addRow(filledRow(row));
    const advanced = progress.advanceTo(place.at);
    if (advanced > 0) yield advanced;
  }
  writer.endTable();
  const notes = [
    ...(place.hasStrayQuote ? [STRAY_QUOTE] : []),
    ...(place.isInQuotes ? [OPEN_QUOTE] : []),
  ];
  return { text: out, title: null, language: null, pages: [], notes };
}

function guessDelimiter(text: string): string {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const scores = DELIMITERS.map((delimiter) => {
    const rows = [...rowsOf(sample, delimiter)].slice(0, SAMPLE_ROWS);
    const widths = rows.map((row) => row.length).filter((width) => width > 1);
    const commonest = mostFrequent(widths);
    const agreeing = widths.filter((width) => width === commonest).length;
    return { delimiter, score: (agreeing / Math.max(rows.length, 1)) * Math.log2(1 + commonest) };
  });
  return scores.reduce((best, each) => (each.score > best.score ? each : best)).delimiter;
}

function mostFrequent(values: number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Rows of cells; a quote that is never closed ends with the text. `place`: how far it came. */
function* rowsOf(
  text: string,
  delimiter: string,
  place: Place = { at: 0, isInQuotes: false, hasStrayQuote: false },
): Generator<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { cell, end } = cellAt(text, at, delimiter, place);
    row.push(cell);
    at = end;
    place.at = at;
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) row.push("");
      if (row.length < MAX_CELLS) continue;
      yield row;
      row = [];
      continue;
    }
    yield row;
    row = [];
    at++;
  }
  if (row.length > 0) yield row;
}

type Cell = { cell: string; end: number };

function cellAt(text: string, at: number, delimiter: string, place: Place): Cell {
  const quoted = text[at] === '"' ? quotedCell(text, at) : null;
  if (quoted?.isStray === true) place.hasStrayQuote = true;
  if (quoted === null || quoted.isStray) return bareCell(text, at, delimiter);
  place.isInQuotes ||= quoted.isOpen;
  // What follows a closing quote still belongs to the cell.
  const tail = bareCell(text, quoted.end, delimiter);
  return { cell: quoted.cell + tail.cell, end: tail.end };
}

function bareCell(text: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end++;
  return { cell: text.slice(from, end), end };
}

/** `isStray`: the quote is not closed within a cell's limit, so it opens none. */
function quotedCell(text: string, from: number): Cell & { isOpen: boolean; isStray: boolean } {
  const last = from + MAX_QUOTED;
  let end = text.indexOf('"', from + 1);
  while (end >= 0 && end <= last && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  const stop = end < 0 ? text.length : end;
  if (stop > last) return { cell: "", end: from, isOpen: false, isStray: true };
  return {
    cell: text.slice(from + 1, stop).replaceAll('""', '"'),
    end: Math.min(stop + 1, text.length),
    isOpen: end < 0,
    isStray: false,
  };
}
