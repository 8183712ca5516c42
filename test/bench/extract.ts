/**
 * `npm run bench -- extract FOLDER…`: reads every file of the folders and compares its words with
 * those of an independent reader (pandoc, pdftotext with poppler-data, LibreOffice, Python), where
 * one is installed. BENCH_DIFF=true prints the words that differ, BENCH_EXPECTED=FILE keeps the readers' text.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import Table from "cli-table3";
import { extractDocument, UnreadableDocument } from "../../src/documents/extract-document.ts";
import { countsOf, oracleWords, ourWords, sharesOf } from "../support/document-words.ts";

/** What the independent readers said, for tests that run without them. */
const expected: Record<string, Said> = {};

/** `names`: of elements and attributes, which a reader may show beside what they hold. */
type Said = { oracle: string; text: string; names?: string };

type Row = {
  file: string;
  outcome: string;
  milliseconds: number;
  characters: number;
  oracle: string;
  recall: number | null;
  precision: number | null;
};

const PANDOC = new Set(".docx .dotx .docm .epub .html .ipynb .csv .tsv".split(" "));
const WRITER = new Set(".odt .ott .rtf".split(" "));
const SHEETS = new Set(".xlsx .xlsm .xltx .ods .ots".split(" "));
const SLIDES = new Set(".pptx .potx .odp .otp".split(" "));
const PYTHON: Record<string, string> = {
  ".json": "Python's json",
  ".jsonl": "Python's json",
  ".xml": "Python's ElementTree",
  ".rss": "Python's ElementTree",
  ".atom": "Python's ElementTree",
  ".dbk": "Python's ElementTree",
  ".tei": "Python's ElementTree",
  ".opml": "Python's ElementTree",
  ".eml": "Python's email",
  ".mbox": "Python's email",
  ".txt": "Python's codecs",
};
/** Their words are those of the file itself. */
const VERBATIM = new Set([".md", ".ts", ".py", ".go", ".sql", ".sh", ".yaml"]);
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
  const kept = process.env["BENCH_EXPECTED"];
  if (kept !== undefined) writeFileSync(kept, `${JSON.stringify(expected, null, 1)}\n`);
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
  const ours = ourWords(markdown, oracle.oracle);
  const theirs = oracleWords(oracle.text, oracle.oracle);
  const names = oracleWords(oracle.names ?? "", oracle.oracle);
  if (process.env["BENCH_DIFF"] === "true") printDifference(basename(path), ours, theirs);
  expected[basename(path)] = oracle;
  return { ...base, oracle: oracle.oracle, ...sharesOf(ours, theirs, names) };
}

function printDifference(file: string, ours: string[], theirs: string[]): void {
  const [left, right] = [countsOf(ours), countsOf(theirs)];
  const words = [...new Set([...left.keys(), ...right.keys()])];
  const differing = words.filter((word) => left.get(word) !== right.get(word));
  const shown = differing.map((word) => `${word} ${left.get(word) ?? 0}:${right.get(word) ?? 0}`);
  console.log(`${file}: ${shown.slice(0, 60).join(", ")}`);
}

function oracleText(path: string): Said | null {
  const ending = extname(path);
  try {
    const python = PYTHON[ending];
    if (python !== undefined) return { oracle: python, ...pythonText(path) };
    if (ending === ".pdf") return { oracle: "pdftotext", text: output("pdftotext", [path, "-"]) };
    if (PANDOC.has(ending)) return { oracle: "pandoc", text: pandocText(path) };
    if (WRITER.has(ending)) return { oracle: "libreoffice", text: writerText(path) };
    if (SHEETS.has(ending)) return { oracle: "libreoffice calc", text: sheetText(path) };
    if (SLIDES.has(ending)) return { oracle: "libreoffice, pdftotext", text: slideText(path) };
    if (VERBATIM.has(ending))
      return { oracle: "the file itself", text: readFileSync(path, "utf8") };
  } catch {
    return null;
  }
  return null;
}

function pythonText(path: string): { text: string; names: string } {
  const script = join(import.meta.dirname, "support/independent-words.py");
  return JSON.parse(output("python3", [script, path])) as { text: string; names: string };
}

function pandocText(path: string): string {
  const isWord = /^\.do[ct]/.test(extname(path));
  const options = isWord ? ["-s", "-f", "docx"] : [];
  return output("pandoc", [...options, "-t", "plain", "--wrap=none", path]);
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
