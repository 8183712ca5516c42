import { strToU8, zipSync } from "fflate";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { extractDocument } from "../../../../src/documents/extract-document.ts";
import { compound } from "../../../support/hostile-files.ts";

const FOLDER = join(import.meta.dirname, "../../../fixtures/documents");

const fixture = (name: string) => new Uint8Array(readFileSync(join(FOLDER, name)));
const utf8 = (text: string) => new TextEncoder().encode(text);
const markdownOf = async (name: string, mimeType: string | null, bytes: Uint8Array) =>
  (await extractDocument({ name, mimeType, bytes })).markdown;

const OCTETS = "application/octet-stream";
const EXCEL = "application/vnd.ms-excel";

describe("a file under the wrong name or type is read as what it is", () => {
  it.each([
    ["pandoc-handbook.html", "a.txt", "text/plain"],
    ["pandoc-handbook.docx", "a.zip", "application/zip"],
    ["pandoc-handbook.odt", "a.docx", null],
    ["pandoc-handbook.epub", "a.zip", null],
    ["pandoc-handbook.rtf", "a.doc", "application/msword"],
    ["libreoffice-stock.ods", "a.xlsx", null],
    ["libreoffice-stock.xlsx", "a.xls", EXCEL],
    ["pdfkit-report.pdf", "a.txt", "text/plain"],
    ["python-notice.eml", "a.txt", "text/plain"],
    ["python-notices.rss", "feed", OCTETS],
    ["stock.csv", "stock.csv", OCTETS],
    ["stock.csv", "stock.xlsx", null],
    ["stock.csv", "stock", EXCEL],
    ["libreoffice-orders.tsv", "orders.xls", null],
    ["jq-catalogue.json", "a.md", "text/markdown"],
    ["jq-catalogue.json", "a.txt", "text/plain"],
    ["python-gauges.jsonl", "gauges", OCTETS],
    ["pandoc-bulletin.ipynb", "notebook.json", "application/json"],
  ])("%s as %s (%s)", async (file, name, mimeType) => {
    const right = await markdownOf(file, null, fixture(file));
    expect(await markdownOf(name, mimeType, fixture(file))).toBe(right);
  });

  it.each([
    ["<div><h1>Tides</h1><p>High at <b>nine</b></p></div>", "a.txt", "# Tides\n\nHigh at nine"],
    ["<table><tr><td>a<td>b</table>", "a.xls", "| a | b |\n| --- | --- |"],
    ["<svg xmlns='urn:s'><text>Pier</text></svg>", "a.txt", "Pier"],
    ["Hello,\n\nno headers here.\n", "a.eml", "Hello,\n\nno headers here.\n"],
    ["<html><body>saved</body></html>", "a.mht", "saved"],
    ["\ufeff\r\n{\\rtf1 Tides\\par}", "a.rtf", "Tides"],
    [
      "Authentication-Results: x; spf=pass\nReceived: x\nSubject: Tides\n\nHigh",
      "1693.M5:2,S",
      "# Tides\n\nHigh",
    ],
  ])("%s as %s", async (text, name, expected) => {
    expect(await markdownOf(name, null, utf8(text))).toBe(expected);
  });

  it.each([
    "[1] A reference.\n[2] Another one.\n",
    '"Well," she said, "no."\n',
    "{not json}\n",
    "Dear all,\nthank you,\nyours,\n",
    "Apples, pears\nNuts, figs\nMilk, tea\n",
    "<sigh> what a day\n",
  ])("prose stays prose: %s", async (text) => {
    expect(await markdownOf("notes", OCTETS, utf8(text))).toBe(text);
  });

  it.each([
    ["source code", "sniff.py", 'MAGIC = b"%PDF-"\n\ndef is_pdf(head): ...\n'],
    ["a page", "formats.md", "# Formats\n\nIt begins with `%PDF-` and a version.\n"],
    ["prose", "notes", "A file begins with the line\n%PDF-1.7\nand nothing else is needed.\n"],
    ["an example", "formats.md", "# By hand\n\n```\n%PDF-1.4\n1 0 obj\n<<>>\nendobj\n```\n"],
  ])("%s that speaks of PDF is none", async (_what, name, text) => {
    expect(await markdownOf(name, null, utf8(text))).toContain(text.trim());
  });

  it("PDF behind the header of a response, under any name", async () => {
    const response = utf8("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n");
    const pdf = fixture("pdfkit-report.pdf");
    expect(await markdownOf("a.md", null, new Uint8Array([...response, ...pdf]))).toBe(
      await markdownOf("a.pdf", null, pdf),
    );
  });
});

describe("what there is no reader for says what to do", () => {
  const iwork = zipSync({ "Index/Document.iwa": new Uint8Array(9), "preview.jpg": strToU8("x") });
  const graphics = "application/vnd.oasis.opendocument.graphics";

  it.each([
    ["a.doc", compound("WordDocument"), "application/msword; save it as DOCX"],
    ["a.xls", compound("Workbook"), "application/vnd.ms-excel; save it as XLSX"],
    ["a.ppt", compound("PowerPoint Document"), "application/vnd.ms-powerpoint; save it as PPTX"],
    ["a.msg", compound("__properties_version1.0"), "application/vnd.ms-outlook; save it as EML"],
    ["a.pages", iwork, "application/vnd.apple.iwork; export it as PDF, DOCX, XLSX or PPTX"],
    [
      "a.fodt",
      utf8('<?xml version="1.0"?><office:document xmlns:office="o" office:mimetype="x"/>'),
      "application/vnd.oasis.opendocument.text-flat-xml; save it as ODT, ODS or ODP",
    ],
    ["a.odg", zipSync({ mimetype: strToU8(graphics) }), `${graphics}; export it as PDF`],
    ["a.bmp", utf8("BM\0\0"), "image/bmp; save it as PNG or JPEG"],
    ["a.jp2", utf8("\0\0\0\x0cjP  \r\n"), "image/jp2; save it as PNG or JPEG"],
    ["big.tif", utf8("II+\0"), "image/tiff; save it as PNG or JPEG"],
    ["a.ps", utf8("%!PS-Adobe-3.0\n"), "application/postscript; convert it to PDF"],
  ])("%s", async (name, bytes, message) => {
    await expect(markdownOf(name, null, bytes)).rejects.toThrow(
      `unsupported media type: ${message}`,
    );
  });
});

it("reads a spreadsheet without an entry that names its type", async () => {
  const entry = (path: string, kind: string) =>
    `<m:file-entry m:media-type="application/vnd.oasis.opendocument.${kind}" m:full-path="${path}"/>`;
  const manifest = `<m:manifest>${entry("Object 1/", "chart")}${entry("/", "spreadsheet")}</m:manifest>`;
  const content =
    '<d><office:body><office:spreadsheet><table:table table:name="Berths"><table:table-row><table:table-cell><text:p>Quay</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></d>';
  const parts = { "META-INF/manifest.xml": strToU8(manifest), "content.xml": strToU8(content) };
  expect(await markdownOf("a.ods", null, zipSync(parts))).toMatch(/Berths[^]*Quay/);
});
