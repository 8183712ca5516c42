import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

/** `names`: of elements and attributes, which a reader may show beside what they hold. */
export type IndependentText = { text: string; names?: string };

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

/** Converts a file by LibreOffice, and returns its text. */
function converted(path: string, filter: string, readText = textIn): string {
  const folder = mkdtempSync(join(tmpdir(), "quarry-oracle-"));
  try {
    output("soffice", "--headless", "--convert-to", filter, "--outdir", folder, path);
    return readdirSync(folder)
      .map((file) => readText(join(folder, file)))
      .join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PYTHON = join(import.meta.dirname, "independent-words.py");
const byPython = (path: string) => JSON.parse(output("python3", PYTHON, path)) as IndependentText;
const byPandoc = (...options: string[]) => {
  return (path: string) => output("pandoc", ...options, "-t", "plain", "--wrap=none", path);
};

type Reader = [name: string, endings: string, read: (path: string) => string | IndependentText];
const READERS: Reader[] = [
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
export function independentText(path: string): (IndependentText & { oracle: string }) | null {
  const reader = READERS.find(([, endings]) => endings.split(" ").includes(extname(path)));
  if (reader === undefined) return null;
  const [oracle, , readText] = reader;
  try {
    const text = readText(path);
    return { oracle, ...(typeof text === "string" ? { text } : text) };
  } catch {
    return null;
  }
}

/** The texts beside a file (`FILE.txt`), or both readings of pdftotext, or another reader's. */
export function referencesOf(path: string): string[] {
  if (existsSync(`${path}.txt`)) return [textIn(`${path}.txt`)];
  const text = independentText(path)?.text;
  if (text === undefined) return [];
  return extname(path) === ".pdf" ? [text, output("pdftotext", "-layout", path, "-")] : [text];
}
