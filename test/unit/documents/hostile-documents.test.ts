import { gzipSync } from "fflate";
import { describe, expect, it } from "vitest";

import { chunkDocument } from "../../../src/documents/chunking/chunk-document.ts";
import { unitsOf } from "../../support/growth/growth.ts";
import { compound, HOSTILE_FILES } from "../../support/hostile-files.ts";
import { docx, zipped } from "../../support/office-files.ts";
import { encryptedPdf } from "../../support/pdf-of.ts";
import { bytesOf, extract, reads } from "../../support/read-document.ts";

const MULTIPART = "Content-Type: multipart/mixed; boundary=b0\n\n--b0\n";
const TEXTS = `<w:t>${Array.from({ length: 100_000 }, (_unused, at) => `word${at} `).join("")}</w:t>`;

describe("work without end", () => {
  reads("a", {
    "a paragraph that grows beyond any": [
      docx(`<w:p><w:r>${TEXTS.repeat(9)}</w:r></w:p>`),
      new Error("a single paragraph or cell has more than 2 million characters"),
    ],
    "mail of parts without end": [
      `From: a@b.c\nMIME-Version: 1.0\n${MULTIPART}${"\nx\n--b0\n".repeat(20_000)}`,
      new Error("message has more than 10000 parts"),
    ],
    "list items that are indented by millions of levels": [
      docx(
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="999999999"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>needle</w:t></w:r></w:p>',
      ),
      /^ {0,180}- needle$/,
    ],
  });
  reads("a.xml", {
    "entities that are declared": [
      `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x><y>see &b; there</y></x>`,
      "- y: see hahaha there",
    ],
  });
  reads("a.csv", {
    "a quoted cell that is never closed": [
      `id,note,sum\n1,"open,2\n${"12345,The pump at the north lock was serviced,42.50\n".repeat(25_000)}`,
      /^\| id \| note \| sum \|\n\| --- \| --- \| --- \|\n\| 1 \| "open \| 2 \|\n\| 12345 \| The pump at the north lock was serviced \| 42\.50 \|\n/,
      "a quote is not closed within 1 MiB: it is read as a character",
    ],
  });
});

describe("what can never be read says why", () => {
  const unsupported = (type: string) => new Error(`unsupported media type: ${type}`);
  reads("a.txt", {
    "an empty file": ["", new Error("no text found")],
    "white space": [" \n\t\n", new Error("no text found")],
    "nothing but invisible characters": ["\u200b\u2060\u{e0041}", new Error("no text found")],
    "gzip in gzip": [gzipSync(gzipSync(bytesOf("a"))), unsupported("application/gzip")],
    "gzip cut short": [
      gzipSync(bytesOf("A note.")).subarray(0, 20),
      new Error("archive is damaged or incomplete"),
    ],
    "Word's old format": [
      compound("WordDocument"),
      unsupported("application/msword; save it as DOCX"),
    ],
    "an encrypted PDF": [encryptedPdf(), new Error("PDF is encrypted")],
    "another archive": [zipped({ "a.txt": "text" }), unsupported("application/zip")],
    zeros: [new Uint8Array(500), unsupported("application/octet-stream")],
  });

  it.each([
    ["application/x-weights", "unsupported media type: application/x-weights"],
    // There is a reader for it: the bytes are something else.
    ["application/pdf", "document is damaged"],
  ])("no text, and no known signature, sent as %s", async (mimeType, message) => {
    const bytes = Uint8Array.from({ length: 600 }, (_unused, at) => (at * 37) % 32);
    await expect(extract("sent.bin", bytes, mimeType)).rejects.toThrow(message);
  });
});

/** Processor time: the slowest takes 800 units; where a bound is missing, it takes minutes. */
const LIMIT_UNITS = 4_000;
const SETTINGS = { chunkSize: 400, chunkOverlap: 60, tokenizer: "unknown" } as const;

async function readAndCut(name: string, bytes: Uint8Array): Promise<string> {
  const document = await extract(name, bytes);
  chunkDocument(document, { ...SETTINGS, fileName: name });
  return document.markdown;
}

it.each(HOSTILE_FILES)("%s ends, and soon", async (name, bytes, end) => {
  let reading = Promise.resolve("");
  const units = await unitsOf(() => (reading = readAndCut(name, bytes.slice())));
  if ("text" in end) expect(await reading).toContain(end.text);
  else await expect(reading).rejects.toThrow(end.error);
  expect(units).toBeLessThan(LIMIT_UNITS);
});

/** Documents may use names that every object of JavaScript has something under. */
describe("an object's own name is read as any other", () => {
  reads("a.html", {
    "as a language of a class": [
      '<pre class="language-constructor">x = 1</pre>',
      "```constructor\nx = 1\n```",
    ],
    "as a language of an attribute": [
      '<pre data-lang="__proto__">x = 1</pre>',
      "```__proto__\nx = 1\n```",
    ],
  });
  reads("a", {
    "as a control word": [String.raw`{\rtf1 a\constructor  b}`, /a b/],
    "as an element of Word": [
      docx(
        "<w:p><w:__proto__/><w:__defineGetter__></w:__defineGetter__><w:r><w:t>a b</w:t></w:r></w:p>",
      ),
      "a b",
    ],
    "as an element of a formula": [
      docx("<w:p><m:oMath><m:constructor><m:r><m:t>x</m:t></m:r></m:constructor></m:oMath></w:p>"),
      "x",
    ],
  });
});
