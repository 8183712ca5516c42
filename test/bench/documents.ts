import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";

import { extractDocument, UnreadableDocument } from "../../src/documents/extract-document.ts";
import { oracleWords, ourWords, sharesOf } from "../support/document-words.ts";
import { referencesOf } from "./support/independent-readers.ts";

const SECOND = 1000;
const MAX_FILE_BYTES = 1 << 26;
const WORDS_IN_ORDER = 3;
/** Below it, the order of a file's words is poor. */
const POOR_ORDER = 0.8;
const MIN_WORDS = 20;
const REFERENCE = /\.(?:txt|rows\.json)$/;
const FIGURE = /^[\p{Sc}\s()+\-–−±<>~]*\d[\d\s.,:'’/%()\p{Sc}\-–−*]*$/u;

/** The table rows of a Markdown text; `isHeader` of the row above a rule. */
function tableRows(markdown: string): { cells: string[]; isHeader: boolean }[] {
  const lines = markdown.split("\n");
  return lines.flatMap((line, at) => {
    if (!line.startsWith("| ") || line.startsWith("| ---")) return [];
    const cells = line.slice(1, -1).split(/(?<!\\)\|/);
    return [{ cells: cells.map((cell) => cell.trim()), isHeader: isRule(lines[at + 1]) }];
  });
}

const isRule = (line = "") => line.startsWith("| ---");

/** Most cells that are filled, and at least two, are figures. */
function isFigures(cells: string[]): boolean {
  const filled = cells.filter((cell) => cell !== "");
  const figures = filled.filter((cell) => FIGURE.test(cell));
  return figures.length >= 1 && figures.length * 2 >= filled.length;
}

const folded = (cell: string) =>
  cell
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

const rowKey = (cells: string[]) =>
  cells
    .map(folded)
    .filter((cell) => cell !== "")
    .join("|");

/** `FILE.rows.json`: the rows of the file's tables, each an array of cells. */
function countRows(path: string, markdown: string) {
  if (!existsSync(`${path}.rows.json`)) return { whole: 0, expected: 0 };
  const rows = JSON.parse(readFileSync(`${path}.rows.json`, "utf8")) as string[][];
  const expected = rows.map(rowKey).filter((key) => key.includes("|"));
  const ours = new Map<string, number>();
  for (const { cells } of tableRows(markdown)) {
    ours.set(rowKey(cells), (ours.get(rowKey(cells)) ?? 0) + 1);
  }
  const whole = expected.filter((key) => {
    const count = ours.get(key) ?? 0;
    ours.set(key, count - 1);
    return count > 0;
  });
  return { whole: whole.length, expected: expected.length };
}

const triplesOf = (words: string[]) =>
  words
    .slice(WORDS_IN_ORDER - 1)
    .map((_word, at) => words.slice(at, at + WORDS_IN_ORDER).join(" "));

function compared(path: string, markdown: string) {
  const ours = ourWords(markdown, "");
  const references = referencesOf(path).map((text) => oracleWords(text, ""));
  if (references.length === 0 || (references[0] ?? []).length < MIN_WORDS) return null;
  const words = references.map((theirs) => sharesOf(ours, theirs));
  const triples = references.map((theirs) => sharesOf(triplesOf(ours), triplesOf(theirs)));
  return {
    recall: Math.max(...words.map(({ recall }) => recall)),
    precision: Math.max(...words.map(({ precision }) => precision)),
    order: Math.max(...triples.map(({ recall }) => recall)),
  };
}

type Row = Awaited<ReturnType<typeof measure>>;

async function measure(path: string) {
  const bytes = new Uint8Array(readFileSync(path));
  const before = process.cpuUsage();
  let markdown: string | null = null;
  let outcome = "read";
  try {
    ({ markdown } = await extractDocument({ name: basename(path), mimeType: null, bytes }));
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    outcome = error.message;
  }
  const { user, system } = process.cpuUsage(before);
  const headers = tableRows(markdown ?? "").filter(({ isHeader }) => isHeader);
  const output = process.env["BENCH_OUTPUT"];
  if (output !== undefined) writeFileSync(join(output, `${basename(path)}.md`), markdown ?? "");
  return {
    path,
    outcome,
    ms: (user + system) / SECOND,
    shares: markdown === null ? null : compared(path, markdown),
    tables: headers.length,
    figures: headers.filter(({ cells }) => isFigures(cells)).length,
    ...countRows(path, markdown ?? ""),
  };
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => extname(path) !== "" && !isReference(path))
    .sort();
}

const isReference = (path: string) =>
  REFERENCE.test(path) && existsSync(path.replace(REFERENCE, ""));

const round = (value: number) => Math.round(value * 1000) / 1000;
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

function summaryOf(rows: Row[]) {
  const shares = rows.flatMap((row) => row.shares ?? []);
  return {
    files: rows.length,
    read: rows.filter(({ outcome }) => outcome === "read").length,
    compared: shares.length,
    recall: median(shares.map(({ recall }) => recall)),
    precision: median(shares.map(({ precision }) => precision)),
    order: median(shares.map(({ order }) => order)),
    meanOrder: round(sum(shares.map(({ order }) => order)) / Math.max(1, shares.length)),
    poorOrder: shares.filter(({ order }) => order < POOR_ORDER).length,
    rows: `${sum(rows.map(({ whole }) => whole))} of ${sum(rows.map(({ expected }) => expected))}`,
    tables: sum(rows.map(({ tables }) => tables)),
    headersOfFigures: sum(rows.map(({ figures }) => figures)),
    ms: Math.round(sum(rows.map(({ ms }) => ms))),
  };
}

/**
 * `npm run bench -- documents FOLDER…`: reads every file below the folders, and compares words and
 * their order (triples of words) with `FILE.txt` beside the file or an independent reader, and
 * table rows with `FILE.rows.json`. `ms` is processor time. BENCH_FILES=true prints every file,
 * BENCH_OUTPUT=FOLDER keeps the texts.
 */
export async function run(folders: string[]): Promise<Record<string, unknown>> {
  const rows: Row[] = [];
  for (const path of folders.flatMap(filesIn)) {
    const { size } = statSync(path);
    if (size <= MAX_FILE_BYTES) rows.push(await measure(path));
  }
  if (process.env["BENCH_FILES"] === "true") {
    for (const { path, shares, ...row } of rows) {
      const shareColumns = shares === null ? "" : `${round(shares.recall)} ${round(shares.order)}`;
      console.log(
        `${shareColumns}\t${row.whole}/${row.expected}\t${row.figures}/${row.tables}\t${Math.round(row.ms)}\t${path}\t${row.outcome}`,
      );
    }
  }
  const byFormat = Map.groupBy(rows, ({ path }) => extname(path).toLowerCase());
  const summaries = [...byFormat].map(([format, each]) => [format, summaryOf(each)] as const);
  const table = Object.fromEntries(summaries);
  console.table(table);
  return table;
}
