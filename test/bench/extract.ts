import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";

import { extractDocument, UnreadableDocument } from "../../src/documents/extract-document.ts";
import { countsOf, oracleWords, ourWords, sharesOf } from "../support/document-words.ts";
import { independentText } from "./support/independent-readers.ts";

function printDifference(file: string, ours: string[], theirs: string[]): void {
  const [ourCounts, theirCounts] = [countsOf(ours), countsOf(theirs)];
  const words = [...new Set([...ourCounts.keys(), ...theirCounts.keys()])];
  const differing = words.filter((word) => ourCounts.get(word) !== theirCounts.get(word));
  const differences = differing.map(
    (word) => `${word} ${ourCounts.get(word) ?? 0}:${theirCounts.get(word) ?? 0}`,
  );
  console.log(`${file}: ${differences.slice(0, 60).join(", ")}`);
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
  const expected = markdown === null ? null : independentText(path);
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
  const outputPath = process.env["BENCH_EXPECTED"];
  if (outputPath !== undefined) writeFileSync(outputPath, `${JSON.stringify(texts, null, 1)}\n`);
  const compared = rows.flatMap(({ shares }) => shares ?? []);
  return {
    files: rows.length,
    compared: compared.length,
    worstRecall: Math.min(1, ...compared.map(({ recall }) => recall)),
    worstPrecision: Math.min(1, ...compared.map(({ precision }) => precision)),
    slowestMs: Math.max(...rows.map(({ ms }) => ms)),
  };
}
