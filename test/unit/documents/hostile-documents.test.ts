import { gzipSync, strToU8, zipSync, zlibSync } from "fflate";
import { describe, expect, it } from "vitest";
import { extractDocument, UnreadableDocument } from "../../../src/documents/extract-document.ts";

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
  it("stops a part that expands too much while it is inflated", async () => {
    const bomb = docx(`<w:document ${W}><w:body>${"<w:p></w:p>\n".repeat(2 << 20)}`);
    expect(bomb.length).toBeLessThan(200_000);
    expect(await refusal("bomb.docx", bomb)).toBe("compressed data expands too much");
  });

  it("stops a paragraph that grows beyond any", async () => {
    const words = Array.from({ length: 100_000 }, (_unused, at) => `word${at} `).join("");
    const text = `<w:t>${words}</w:t>`.repeat(9);
    const bomb = docx(
      `<w:document ${W}><w:body><w:p><w:r>${text}</w:r></w:p></w:body></w:document>`,
    );
    const message = "a single paragraph or cell holds more than 2 million characters";
    expect(await refusal("bomb.docx", bomb)).toBe(message);
  });

  it("stops a PDF stream that expands too much before pdf.js unpacks it", async () => {
    const stream = zlibSync(new Uint8Array(50 << 20));
    const head = utf8(
      `%PDF-1.4\n1 0 obj\n<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`,
    );
    const pdf = new Uint8Array([...head, ...stream, ...utf8("\nendstream\nendobj\n%%EOF")]);
    expect(await refusal("bomb.pdf", pdf)).toBe("compressed data expands too much");
  });

  it("expands no declared entities", async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><x><y>see &b; there</y></x>`;
    const document = await extract("laughs.xml", utf8(laughs));
    expect(document.markdown).toBe("- y: see &b; there");
    expect(document.notes).toEqual(["declared entities are not expanded"]);
    const inWord = `<!DOCTYPE x [<!ENTITY a "ha">]><w:document ${W}><w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>`;
    expect(await refusal("laughs.docx", docx(inWord))).toBe("XML declares entities");
  });

  it.each([
    ["html", "<div>".repeat(100_000) + "deep" + "</div>".repeat(100_000), "deep"],
    ["json", "[".repeat(100_000) + "1" + "]".repeat(100_000), null],
    ["xml", "<a>".repeat(100_000) + "deep" + "</a>".repeat(100_000), null],
    ["rtf", `{\\rtf1 ${"{".repeat(100_000)}deep${"}".repeat(100_000)}}`, null],
    ["md", `${"> ".repeat(50_000)}deep`, undefined],
  ])("bears a %s file that nests a hundred thousand deep", async (ending, text, expected) => {
    if (expected === null)
      expect(await refusal(`a.${ending}`, utf8(text))).toMatch(/nests too deeply$/);
    else if (expected === undefined) {
      expect((await extract(`a.${ending}`, utf8(text))).markdown).toContain("deep");
    } else expect((await extract(`a.${ending}`, utf8(text))).markdown).toBe(expected);
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
      "mail of parts within parts",
      "a.eml",
      `From: a@b.c\nMIME-Version: 1.0\n${parts(2_000)}\nx`,
      /^message .*nests too deeply$/,
    ],
    [
      "XML with attributes without end",
      "a.xml",
      `<a ${Array.from({ length: 5_000 }, (_unused, at) => `b${at}="1"`).join(" ")}>x</a>`,
      /too many attributes$/,
    ],
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

  it.each([
    ["comments that never end", "a.md", `needle ${"<!--".repeat(200_000)}`],
    ["spaces within code", "a.html", `<pre>${" ".repeat(300_000)}needle</pre>`],
    [
      "a paragraph of a hundred thousand links",
      "a.xml",
      `<d><p>${'<link href="https://a.example/b">c</link> '.repeat(100_000)}needle</p></d>`,
    ],
    [
      "a web page's paragraph of a hundred thousand links",
      "a.html",
      `<p>${'<a href="https://a.example/b">c</a> '.repeat(100_000)}needle</p>`,
    ],
    [
      "mail of lines that are nearly boundaries",
      "a.eml",
      `From: a@b.c\nMIME-Version: 1.0\n${parts(49)}\n${"--b\n--b77\n".repeat(200_000)}needle`,
    ],
    [
      "mail that flows on and on",
      "a.eml",
      `From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain; format=flowed\n\n${"a \n".repeat(500_000)}needle`,
    ],
    [
      "mail with parentheses in its headers",
      "a.eml",
      `From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain ${"(".repeat(500_000)}\nSubject: ${"=?".repeat(200_000)}\n\nneedle`,
    ],
    ["one long JSON string", "a.json", JSON.stringify({ text: "needle ".repeat(1_000_000) })],
    ["a row of a million cells", "a.csv", `${"a,".repeat(1_000_000)}needle`],
    ["a table of many rows", "a.html", `<table>${"<tr><td>a<td>b".repeat(20_000)}<tr><td>needle`],
  ])("is done in passing: %s", async (_name, file, text) => {
    expect((await extract(file, utf8(text))).markdown).toContain("needle");
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
    expect(notes).toEqual(["a quote is not closed within 1 MiB: it is read as a letter"]);
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

  it("gives up a PDF with a page that holds more pieces of text than any page", async () => {
    const content = zlibSync(
      utf8(`BT /F1 9 Tf ${"1 0 0 1 9 9 Tm (a) Tj 1 0 0 1 99 99 Tm (b) Tj ".repeat(150_000)} ET`),
    );
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
      `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${Buffer.from(content).toString("latin1")}\nendstream`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ];
    const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
    const pdf = Buffer.from(`%PDF-1.7\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF`, "latin1");
    expect(await refusal("a.pdf", new Uint8Array(pdf))).toBe(
      "PDF's page 1 holds too many pieces of text",
    );
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
      "unsupported media type: image/png; pictures are read by Workers AI, which a deployed service has",
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
    ["Office under a password", "a.docx", compound("EncryptedPackage"), "document is encrypted"],
    [
      "Word's old format",
      "a.doc",
      compound("WordDocument"),
      "unsupported media type: application/msword; save it as DOCX",
    ],
    ["an encrypted archive", "a.docx", encryptedZip(), "document is encrypted"],
    [
      "half an archive",
      "a.docx",
      docx(`<w:document ${W}/>`).subarray(0, 60),
      "archive is damaged or incomplete",
    ],
    [
      "another archive",
      "a.zip",
      zipSync({ "a.txt": strToU8("text") }),
      "unsupported media type: application/zip",
    ],
    [
      "half a PDF",
      "a.pdf",
      utf8("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>"),
      "PDF is damaged or incomplete",
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

it("believes the content more than the name and the sender", async () => {
  const html = "<!doctype html><title>T</title><p>Really a page</p><script>alert(1)</script>";
  const page = await extract("report.pdf", utf8(html), "application/pdf");
  expect(page).toMatchObject({ markdown: "Really a page", title: "T" });
  const word = await extract(
    "notes.txt",
    docx(`<w:document ${W}><w:body><w:p><w:r><w:t>Word</w:t></w:r></w:p></w:body></w:document>`),
  );
  expect(word.markdown).toBe("Word");
});

it("reads five megabytes on a single line", async () => {
  const document = await extract("line.txt", utf8("lorem ipsum ".repeat(440_000)));
  expect(document.markdown.length).toBe(12 * 440_000);
});
