import { gzipSync, strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { chunkDocument } from "../../../src/documents/chunking/chunk-document.ts";
import { extractDocument, UnreadableDocument } from "../../../src/documents/extract-document.ts";
import { HOSTILE_FILES } from "../../support/hostile-files.ts";
import { encryptedPdf } from "../../support/pdf-of.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const extract = (name: string, bytes: Uint8Array, mimeType: string | null = null) =>
  extractDocument({ name, mimeType, bytes });
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0);
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const docx = (document: string, more: Record<string, Uint8Array> = {}) =>
  zipSync({
    "[Content_Types].xml": strToU8("<Types/>"),
    "word/document.xml": strToU8(document),
    ...more,
  });

async function refusal(name: string, bytes: Uint8Array, mimeType: string | null = null) {
  const error: unknown = await extract(name, bytes, mimeType).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UnreadableDocument);
  return error instanceof Error ? error.message : "";
}

describe("bombs", () => {
  it("stops a paragraph that grows beyond any", async () => {
    const words = Array.from({ length: 100_000 }, (_unused, at) => `word${at} `).join("");
    const text = `<w:t>${words}</w:t>`.repeat(9);
    const bomb = docx(
      `<w:document ${W}><w:body><w:p><w:r>${text}</w:r></w:p></w:body></w:document>`,
    );
    const message = "a single paragraph or cell has more than 2 million characters";
    expect(await refusal("bomb.docx", bomb)).toBe(message);
  });

  it("expands no declared entities", async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x><y>see &b; there</y></x>`;
    const document = await extract("laughs.xml", utf8(laughs));
    expect(document.markdown).toBe("- y: see &b; there");
    expect(document.notes).toEqual(["declared entities are not expanded"]);
  });
});

describe("work without end", () => {
  const parts = (depth: number) =>
    Array.from(
      { length: depth },
      (_unused, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
    ).join("");

  it.each([
    [
      "mail of parts without end",
      "a.eml",
      `From: a@b.c\nMIME-Version: 1.0\n${parts(1)}${"\nx\n--b0\n".repeat(20_000)}`,
      /^message has more than 10000 parts$/,
    ],
    [
      "HTML cells without end",
      "a.html",
      `<table><tr>${"<td colspan=200>".repeat(4_000)}`,
      /^no text found$/,
    ],
  ])("is refused: %s", async (_name, file, text, message) => {
    expect(await refusal(file, utf8(text))).toMatch(message);
  });

  it("ends a quoted cell that is never closed at a bound, and reads on", async () => {
    const rows = "12345,The pump at the north lock was serviced,42.50\n".repeat(25_000);
    const { markdown, notes } = await extract("a.csv", utf8(`id,note,sum\n1,"open,2\n${rows}`));
    expect(markdown.split("\n").slice(0, 4)).toEqual([
      "| id | note | sum |",
      "| --- | --- | --- |",
      '| 1 | "open | 2 |',
      "| 12345 | The pump at the north lock was serviced | 42.50 |",
    ]);
    expect(notes).toEqual(["a quote is not closed within 1 MiB: it is read as a character"]);
  });

  it("indents no list item by millions of levels", async () => {
    const item = `<w:p><w:pPr><w:numPr><w:ilvl w:val="999999999"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>needle</w:t></w:r></w:p>`;
    const docx = zipSync({
      "word/document.xml": utf8(
        `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${item}</w:body></w:document>`,
      ),
    });
    const { markdown } = await extract("a.docx", docx);
    expect(markdown.trim()).toBe("- needle");
    expect(markdown.length).toBeLessThan(200);
  });
});

describe("what can never be read says why", () => {
  const compound = (name: string) =>
    new Uint8Array([
      0xd0,
      0xcf,
      0x11,
      0xe0,
      ...[...name].flatMap((letter) => [letter.charCodeAt(0), 0]),
      0,
      0,
    ]);
  const encryptedZip = () => {
    const bytes = docx("<w:document/>");
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < bytes.length - 4; at++) {
      if (view.getUint32(at, true) === 0x02014b50) view.setUint16(at + 8, 1, true);
    }
    return bytes;
  };

  it.each([
    ["an empty file", "a.txt", new Uint8Array(), "no text found"],
    ["white space", "a.md", utf8(" \n\t\n"), "no text found"],
    ["nothing but invisible characters", "a.txt", utf8("\u200b\u2060\u{e0041}"), "no text found"],
    [
      "a picture",
      "a.pdf",
      PNG,
      "unsupported media type: image/png; only a deployed service reads pictures, with Workers AI",
    ],
    [
      "gzip in gzip",
      "a.gz",
      gzipSync(gzipSync(utf8("a"))),
      "unsupported media type: application/gzip",
    ],
    [
      "gzip cut short",
      "a.gz",
      gzipSync(utf8("A note.")).subarray(0, 20),
      "archive is damaged or incomplete",
    ],
    [
      "Word's old format",
      "a.doc",
      compound("WordDocument"),
      "unsupported media type: application/msword; save it as DOCX",
    ],
    ["an encrypted archive", "a.docx", encryptedZip(), "document is encrypted"],
    ["an encrypted PDF", "a.pdf", encryptedPdf(), "PDF is encrypted"],
    [
      "another archive",
      "a.zip",
      zipSync({ "a.txt": strToU8("text") }),
      "unsupported media type: application/zip",
    ],
    ["zeros", "a.txt", new Uint8Array(500), "unsupported media type: application/octet-stream"],
  ])("%s", async (_what, name, bytes, message) => {
    expect(await refusal(name, bytes)).toBe(message);
  });

  it("names the sender's media type of an unknown attachment", async () => {
    const bytes = Uint8Array.from({ length: 600 }, (_unused, at) => (at * 37) % 32);
    expect(await refusal("model.bin", bytes, "application/x-weights")).toBe(
      "unsupported media type: application/x-weights",
    );
  });
});

it("hands pictures and scans to a converter where there is one", async () => {
  const converter = {
    toMarkdown: (name: string, mimeType: string) => Promise.resolve(`# ${name} as ${mimeType}`),
  };
  const document = await extractDocument(
    { name: "scan", mimeType: null, bytes: PNG },
    { converter },
  );
  expect(document.markdown).toBe("# scan as image/png");
});

/**
 * The thread's own processor time, microseconds: what else the machine does is not in it. The
 * slowest takes three seconds; where a bound is missing, minutes.
 */
const LIMIT_US = 25_000_000;
const SETTINGS = { chunkSize: 400, chunkOverlap: 60, tokenizer: "unknown" } as const;

async function readAndCut(name: string, bytes: Uint8Array): Promise<string> {
  const document = await extractDocument({ name, mimeType: null, bytes });
  chunkDocument(document, { ...SETTINGS, fileName: name });
  return document.markdown;
}

it.each(HOSTILE_FILES)("%s takes no more than 25 s of the processor", async (name, bytes, end) => {
  const before = process.threadCpuUsage();
  const read = readAndCut(name, bytes.slice());
  if ("text" in end) expect(await read).toContain(end.text);
  else await expect(read).rejects.toThrow(end.error);
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(LIMIT_US);
});

/** Documents may use names that every object of JavaScript has something under. */
it.each([
  [
    "language of a class",
    "a.html",
    utf8(`<pre class="language-constructor">x = 1</pre>`),
    "```constructor\nx = 1\n```",
  ],
  [
    "language of an attribute",
    "a.html",
    utf8(`<pre data-lang="__proto__">x = 1</pre>`),
    "```__proto__\nx = 1\n```",
  ],
  ["control word", "a.rtf", utf8(String.raw`{\rtf1 a\constructor  b}`), "a b"],
  [
    "element of Word",
    "a.docx",
    docx(
      `<w:document ${W}><w:body><w:p><w:__proto__/><w:__defineGetter__></w:__defineGetter__><w:r><w:t>a b</w:t></w:r></w:p></w:body></w:document>`,
    ),
    "a b",
  ],
  [
    "element of a formula",
    "a.docx",
    docx(
      `<w:document ${W} xmlns:m="m"><w:body><w:p><m:oMath><m:constructor><m:r><m:t>x</m:t></m:r></m:constructor></m:oMath></w:p></w:body></w:document>`,
    ),
    "x",
  ],
])("reads an object's own name as any other: %s", async (_what, name, bytes, expected) => {
  expect((await extract(name, bytes)).markdown).toContain(expected);
});
