/**
 * `npm run bench -- extract FOLDER…`: reads every file of the folders and compares its words with
 * those of an independent reader (pandoc, pdftotext, LibreOffice), where one is installed.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import Table from "cli-table3";
import {
  extractDocument,
  UnreadableDocument,
} from "../../src/ingestion/extractors/extract-document.ts";

type Row = {
  file: string;
  outcome: string;
  milliseconds: number;
  characters: number;
  oracle: string;
  recall: number | null;
  precision: number | null;
};

const PANDOC = new Set([".docx", ".epub", ".html", ".ipynb", ".csv", ".tsv"]);
const WRITER = new Set([".odt", ".fodt", ".rtf"]);
const SHEETS = new Set([".xlsx", ".ods"]);
const SLIDES = new Set([".pptx", ".odp"]);
const CONVERSION_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1 << 28;

export async function run(folders: string[]): Promise<Record<string, unknown>> {
  const rows: Row[] = [];
  for (const folder of folders) {
    for (const name of readdirSync(folder).sort()) {
      if (extname(name) !== "") rows.push(await measure(join(folder, name)));
    }
  }
  const table = new Table({
    head: ["file", "outcome", "ms", "characters", "oracle", "recall", "precision"],
  });
  for (const row of rows) {
    const share = (value: number | null) => (value === null ? "" : value.toFixed(3));
    const { file, outcome, milliseconds, characters, oracle } = row;
    table.push([
      file,
      outcome,
      milliseconds,
      characters,
      oracle,
      share(row.recall),
      share(row.precision),
    ]);
  }
  console.log(table.toString());
  const compared = rows.filter(({ recall }) => recall !== null);
  const worst = (values: (number | null)[]) => Math.min(...values.map((value) => value ?? 1));
  return {
    files: rows.length,
    compared: compared.length,
    worstRecall: worst(compared.map(({ recall }) => recall)),
    worstPrecision: worst(compared.map(({ precision }) => precision)),
    slowestMs: Math.max(...rows.map(({ milliseconds }) => milliseconds)),
  };
}

async function measure(path: string): Promise<Row> {
  const bytes = new Uint8Array(readFileSync(path));
  const started = performance.now();
  let markdown = "";
  let outcome = "read";
  try {
    ({ markdown } = await extractDocument({ name: basename(path), mimeType: null, bytes }));
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    outcome = error.message;
  }
  const milliseconds = Math.round(performance.now() - started);
  const oracle = outcome === "read" ? oracleText(path) : null;
  const base = { file: basename(path), outcome, milliseconds, characters: markdown.length };
  if (oracle === null) return { ...base, oracle: "", recall: null, precision: null };
  const comparable = markdown.replace(unseenBy(oracle.name), "");
  const [ours, theirs] = [wordsOf(plain(comparable)), wordsOf(plain(oracle.text))];
  const shared = sharedCount(ours, theirs);
  if (process.env["BENCH_DIFF"] === "true") printDifference(basename(path), ours, theirs);
  return {
    ...base,
    oracle: oracle.name,
    recall: shared / Math.max(1, theirs.length),
    precision: shared / Math.max(1, ours.length),
  };
}

/** What LibreOffice leaves out of its text: notes under the page, notes of the speaker, sheet names. */
function unseenBy(oracle: string): RegExp {
  if (oracle === "libreoffice, pdftotext") return /^> .*$/gm;
  if (oracle === "libreoffice calc") return /^# .*$/gm;
  return oracle === "libreoffice" ? /^\[\^\d+\]: .*$/gm : /(?!)/g;
}

/** Without what only one of the two writes: link targets, numbers of notes and of list items. */
function plain(text: string): string {
  const withoutLinks = text.replace(/\]\((?:https?|mailto):[^)]*\)/g, "]");
  const withoutNotes = withoutLinks.replace(/\[\^?[\w-]+\]:?(?= |$)|\[\^?\d+\]/gm, " ");
  return withoutNotes.replace(/^[\s>]*(\d+[.)]|[-•])\s/gm, " ");
}

function wordsOf(text: string): string[] {
  const folded = text.normalize("NFKC").toLowerCase();
  const bare = folded.replace(/(?<=\d)[,](?=\d{3})/g, "");
  return (
    bare.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}

function countsOf(words: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function sharedCount(left: string[], right: string[]): number {
  const counts = countsOf(left);
  let shared = 0;
  for (const [word, count] of countsOf(right)) shared += Math.min(count, counts.get(word) ?? 0);
  return shared;
}

function printDifference(file: string, ours: string[], theirs: string[]): void {
  const [left, right] = [countsOf(ours), countsOf(theirs)];
  const words = [...new Set([...left.keys(), ...right.keys()])];
  const differing = words.filter((word) => left.get(word) !== right.get(word));
  const shown = differing.map((word) => `${word} ${left.get(word) ?? 0}:${right.get(word) ?? 0}`);
  console.log(`${file}: ${shown.slice(0, 60).join(", ")}`);
}

function oracleText(path: string): { name: string; text: string } | null {
  const ending = extname(path);
  try {
    if (ending === ".pdf") return { name: "pdftotext", text: output("pdftotext", [path, "-"]) };
    if (PANDOC.has(ending))
      return {
        name: "pandoc",
        text: output("pandoc", [
          ...(ending === ".docx" ? ["-s"] : []),
          "-t",
          "plain",
          "--wrap=none",
          path,
        ]),
      };
    if (WRITER.has(ending)) return { name: "libreoffice", text: writerText(path) };
    if (SHEETS.has(ending)) return { name: "libreoffice calc", text: sheetText(path) };
    if (SLIDES.has(ending)) return { name: "libreoffice, pdftotext", text: slideText(path) };
  } catch {
    return null;
  }
  return null;
}

function output(command: string, args: string[]): string {
  const options = { timeout: CONVERSION_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES } as const;
  return execFileSync(command, args, {
    ...options,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function writerText(path: string): string {
  return converted(path, "txt:Text (encoded):UTF8", (file) => readFileSync(file, "utf8"));
}

/** All sheets as they are shown. */
function sheetText(path: string): string {
  const filter = "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,false,false,false,-1";
  return converted(path, filter, (file) => readFileSync(file, "utf8"));
}

function slideText(path: string): string {
  return converted(path, "pdf", (file) => output("pdftotext", [file, "-"]));
}

function converted(path: string, filter: string, read: (file: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "quarry-oracle-"));
  try {
    output("soffice", ["--headless", "--convert-to", filter, "--outdir", folder, path]);
    return readdirSync(folder)
      .map((file) => read(join(folder, file)))
      .join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
