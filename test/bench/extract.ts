import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";

import { extractDocument, UnreadableDocument } from "../../src/documents/extract-document.ts";
import { countsOf, oracleWords, ourWords, sharesOf } from "../support/document-words.ts";

/** `names`: of elements and attributes, which a reader may show beside what they hold. */
type Said = { text: string; names?: string };

const CONVERSION_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1 << 28;
/** All sheets as they are shown. */
const SHEETS = "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,false,false,false,-1";

function output(command: string, ...args: string[]): string {
  return execFileSync(command, args, {
    timeout: CONVERSION_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

const textIn = (path: string) => readFileSync(path, "utf8");
const pdfText = (path: string) => output("pdftotext", path, "-");

/** What LibreOffice makes of a file, as text. */
function converted(path: string, filter: string, read = textIn): string {
  const folder = mkdtempSync(join(tmpdir(), "quarry-oracle-"));
  try {
    output("soffice", "--headless", "--convert-to", filter, "--outdir", folder, path);
    return readdirSync(folder)
      .map((file) => read(join(folder, file)))
      .join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PYTHON = join(import.meta.dirname, "support/independent-words.py");
const byPython = (path: string) => JSON.parse(output("python3", PYTHON, path)) as Said;
const byPandoc = (...options: string[]) => {
  return (path: string) => output("pandoc", ...options, "-t", "plain", "--wrap=none", path);
};

type Oracle = [oracle: string, endings: string, read: (path: string) => string | Said];
const ORACLES: Oracle[] = [
  ["Python's json", ".json .jsonl", byPython],
  ["Python's ElementTree", ".xml .rss .atom .dbk .tei .opml", byPython],
  ["Python's email", ".eml .mbox", byPython],
  ["Python's codecs", ".txt", byPython],
  ["pdftotext", ".pdf", pdfText],
  ["pandoc", ".docx .dotx .docm", byPandoc("-s", "-f", "docx")],
  ["pandoc", ".epub .html .ipynb .csv .tsv", byPandoc()],
  ["libreoffice", ".odt .ott .rtf", (path) => converted(path, "txt:Text (encoded):UTF8")],
  ["libreoffice calc", ".xlsx .xlsm .xltx .ods .ots", (path) => converted(path, SHEETS)],
  ["libreoffice, pdftotext", ".pptx .potx .odp .otp", (path) => converted(path, "pdf", pdfText)],
  ["the file itself", ".md .ts .py .go .sql .sh .yaml", textIn],
];

/** Null where no independent reader is installed, or it cannot read the file. */
function said(path: string): (Said & { oracle: string }) | null {
  const found = ORACLES.find(([, endings]) => endings.split(" ").includes(extname(path)));
  if (found === undefined) return null;
  const [oracle, , read] = found;
  try {
    const told = read(path);
    return { oracle, ...(typeof told === "string" ? { text: told } : told) };
  } catch {
    return null;
  }
}

function printDifference(file: string, ours: string[], theirs: string[]): void {
  const [left, right] = [countsOf(ours), countsOf(theirs)];
  const words = [...new Set([...left.keys(), ...right.keys()])];
  const differing = words.filter((word) => left.get(word) !== right.get(word));
  const shown = differing.map((word) => `${word} ${left.get(word) ?? 0}:${right.get(word) ?? 0}`);
  console.log(`${file}: ${shown.slice(0, 60).join(", ")}`);
}

async function measure(path: string) {
  const file = basename(path);
  const bytes = new Uint8Array(readFileSync(path));
  const started = performance.now();
  let markdown: string | null = null;
  let outcome = "read";
  try {
    ({ markdown } = await extractDocument({ name: file, mimeType: null, bytes }));
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    outcome = error.message;
  }
  const ms = Math.round(performance.now() - started);
  const expected = markdown === null ? null : said(path);
  const base = { file, outcome, ms, characters: markdown?.length ?? 0 };
  if (markdown === null || expected === null) return { ...base, expected, shares: null };
  const { oracle, text, names = "" } = expected;
  const [ours, theirs] = [ourWords(markdown, oracle), oracleWords(text, oracle)];
  if (process.env["BENCH_DIFF"] === "true") printDifference(file, ours, theirs);
  return { ...base, expected, shares: sharesOf(ours, theirs, oracleWords(names, oracle)) };
}

/**
 * `npm run bench -- extract FOLDER…`: reads every file of the folders and compares its words with
 * those of an independent reader (pandoc, pdftotext with poppler-data, LibreOffice, Python), where
 * one is installed. BENCH_DIFF=true prints the words that differ, BENCH_EXPECTED=FILE keeps the
 * readers' text for the tests.
 */
export async function run(folders: string[]): Promise<Record<string, unknown>> {
  const rows = [];
  for (const folder of folders) {
    for (const name of readdirSync(folder).sort()) {
      if (extname(name) !== "") rows.push(await measure(join(folder, name)));
    }
  }
  console.table(
    rows.map(({ expected, shares, ...row }) => {
      return { ...row, oracle: expected?.oracle, ...shares };
    }),
  );
  const texts = Object.fromEntries(rows.map(({ file, expected }) => [file, expected ?? undefined]));
  const kept = process.env["BENCH_EXPECTED"];
  if (kept !== undefined) writeFileSync(kept, `${JSON.stringify(texts, null, 1)}\n`);
  const compared = rows.flatMap(({ shares }) => shares ?? []);
  return {
    files: rows.length,
    compared: compared.length,
    worstRecall: Math.min(1, ...compared.map(({ recall }) => recall)),
    worstPrecision: Math.min(1, ...compared.map(({ precision }) => precision)),
    slowestMs: Math.max(...rows.map(({ ms }) => ms)),
  };
}
