import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { extractDocument } from "../../../../../src/documents/extract-document.ts";

const FOLDER = `${import.meta.dirname}/../../../../fixtures/documents`;
const NAMES = ["chromium-handbook.pdf", "libreoffice-handbook.pdf", "pdfkit-report.pdf"];

const bytesOf = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/${name}`));
const read = async (bytes: Uint8Array) =>
  (await extractDocument({ name: "a.pdf", mimeType: null, bytes })).markdown;

/** The file with each entry of its table of objects changed in turn, or those that are asked for. */
function withTable(name: string, change: (entry: string, number: number) => string): Uint8Array {
  const text = Buffer.from(bytesOf(name)).toString("latin1");
  const table = text.lastIndexOf("\nxref");
  let number = 0;
  const changed = text
    .slice(table)
    .replace(/\d{10} \d{5} n/g, (entry: string) => change(entry, number++));
  return new Uint8Array(Buffer.from(text.slice(0, table) + changed, "latin1"));
}

test.each(NAMES)("%s loses no word when its table of objects is wrong anywhere", async (name) => {
  const whole = await read(bytesOf(name));
  const entries = [
    ...Buffer.from(bytesOf(name))
      .toString("latin1")
      .matchAll(/\d{10} \d{5} n/g),
  ];
  expect(entries.length).toBeGreaterThan(5);
  const step = Math.max(1, Math.floor(entries.length / 12));
  for (let wrong = 0; wrong < entries.length; wrong += step) {
    const bytes = withTable(name, (entry, number) =>
      number === wrong
        ? `${String(Number(entry.slice(0, 10)) + 7).padStart(10, "0")} 00000 n`
        : entry,
    );
    expect(await read(bytes)).toBe(whole);
  }
});

test("a table whose line ends were changed on the way costs no text", async () => {
  const name = "libreoffice-handbook.pdf";
  const whole = await read(bytesOf(name));
  const bytes = withTable(name, (entry, number) => (number % 3 === 0 ? `${entry}  ` : entry));
  expect(await read(bytes)).toBe(whole);
});
