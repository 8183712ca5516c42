import { deflateSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { runToEnd } from "../../../src/core/work/cooperative.ts";
import { extractDocument } from "../../../src/documents/extract-document.ts";
import { checkStreams } from "../../../src/documents/formats/pdf/bounds/stream-bounds.ts";
import { pdfOf, pdfStream } from "../../support/pdf-of.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const extract = (name: string, bytes: Uint8Array) =>
  extractDocument({ name, mimeType: null, bytes });

const R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const related = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${R}/${type}" Target="${target}"/>`;
const office = (main: string, parts: Record<string, string>) =>
  zipSync({
    "_rels/.rels": strToU8(
      `<Relationships>${related("m", "officeDocument", main)}</Relationships>`,
    ),
    ...Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
  });
const docx = () =>
  office("word/document.xml", {
    "word/document.xml": "<document><body><p><r><t>Words</t></r></p></body></document>",
  });

/** Where a record of an archive begins. */
function recordsOf(bytes: Uint8Array, signature: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const last = bytes.length - 4;
  const places = Array.from({ length: last + 1 }, (_unused, at) => at);
  return places.filter((at) => view.getUint32(at, true) === signature);
}

describe("what a file says of its size is read before it is unpacked", () => {
  const CENTRAL = 0x02014b50;
  const END = 0x06054b50;

  it("refuses an archive of more than 20,000 parts", async () => {
    const bytes = docx();
    const [end = 0] = recordsOf(bytes, END);
    new DataView(bytes.buffer).setUint16(end + 10, 20_001, true);
    await expect(extract("a.docx", bytes)).rejects.toThrow("archive has too many parts");
  });

  it("refuses a part that is declared to be larger than all may be together", async () => {
    const bytes = docx();
    for (const at of recordsOf(bytes, CENTRAL)) {
      new DataView(bytes.buffer).setUint32(at + 24, 257 << 20, true);
    }
    await expect(extract("a.docx", bytes)).rejects.toThrow("compressed data expands too much");
    expect((await extract("a.docx", docx())).markdown).toBe("Words");
  });

  it("refuses a PDF of more than 10,000 pages", async () => {
    const pdf = (count: number) => {
      const pages = Array.from({ length: count }, (_unused, at) => at + 3);
      return pdfOf([
        "<< /Type /Catalog /Pages 2 0 R >>",
        `<< /Type /Pages /Count ${count} /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] >>`,
        ...pages.map(() => "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>"),
      ]);
    };
    await expect(extract("a.pdf", pdf(10_001))).rejects.toThrow("PDF has more than 10000 pages");
    await expect(extract("a.pdf", pdf(2))).rejects.toThrow("no text found");
  });

  it("refuses a PDF of more than 500,000 streams", async () => {
    const bytes = utf8(`%PDF-1.7\n${"stream\nendstream\n".repeat(500_001)}`);
    await expect(extract("a.pdf", bytes)).rejects.toThrow("PDF has too many objects");
  });

  it("refuses a presentation of more than 20,000 slides", async () => {
    const slides = '<sldId r:id="x"/>'.repeat(20_001);
    const bytes = office("ppt/presentation.xml", {
      "ppt/presentation.xml": `<presentation>${slides}</presentation>`,
    });
    await expect(extract("a.pptx", bytes)).rejects.toThrow("more than 20000 slides");
  });

  it("refuses a workbook of more rows than a sheet can have", async () => {
    const rows = "<row/>".repeat((1 << 20) + 1);
    const bytes = office("xl/workbook.xml", {
      "xl/workbook.xml": '<workbook><sheets><sheet name="A" r:id="s"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels": `<Relationships>${related("s", "worksheet", "a.xml")}</Relationships>`,
      "xl/a.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    });
    await expect(extract("a.xlsx", bytes)).rejects.toThrow("workbook has more than 1048576 rows");
  });
});

describe("comments before a document's first words", () => {
  const comments = "<!--a-->".repeat(500);

  it("are a text's like any other", async () => {
    const text = `${comments} <words>`;
    expect((await extract("a.txt", utf8(text))).markdown).toBe(text);
  });

  it("do not hide that a page is one", async () => {
    const page = `<!-- a > b -->\n${"<!---->".repeat(500)}<html><p>Words</p></html>`;
    expect((await extract("a.txt", utf8(page))).markdown).toBe("Words");
  });
});

describe("objects of a PDF", () => {
  const fonts = Array.from(
    { length: 20_000 },
    (_unused, at) => `<</Type/Font/Subtype/Type0/BaseFont/F${at * at}/Encoding/Identity-H>>`,
  ).join(" ");
  const form = "<< /Subtype /Widget /FT /Tx /V (six) >>";

  it.each([
    ["that are not compressed", pdfStream(`${fonts} ${form}`, "/Type /ObjStm")],
    [
      "wherever a piece ends",
      pdfStream(deflateSync(`${fonts} ${form}`), "/Type /ObjStm /Filter /FlateDecode"),
    ],
  ])("are found in streams %s", (_which, stream) => {
    const signs = runToEnd(checkStreams(pdfOf([stream])));
    expect(signs.fonts).toEqual({ unmapped: 20_000, mapped: 0 });
    expect(signs.hasForms).toBe(true);
  });
});
