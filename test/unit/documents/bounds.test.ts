import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import { runToEnd } from "../../../src/core/work/cooperative.ts";
import { checkStreams } from "../../../src/documents/formats/pdf/bounds/stream-bounds.ts";
import type { FilledRow } from "../../../src/documents/writing/block-list.ts";
import { filledRow, tableText } from "../../../src/documents/writing/table-text.ts";
import { docx, pptx, xlsx } from "../../support/office-files.ts";
import { pagesOf, pdfOf, pdfStream } from "../../support/pdf-of.ts";
import { reads } from "../../support/read-document.ts";

const words = docx("<p><r><t>Words</t></r></p>");

/** Where a record of an archive begins. */
function recordsOf(bytes: Uint8Array, signature: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const last = bytes.length - 4;
  const places = Array.from({ length: last + 1 }, (_unused, at) => at);
  return places.filter((at) => view.getUint32(at, true) === signature);
}

/** The archive with another figure of this many bytes in each of its records of this kind. */
function claiming(signature: number, place: number, bits: 16 | 32, figure: number): Uint8Array {
  const bytes = words.slice();
  for (const at of recordsOf(bytes, signature))
    new DataView(bytes.buffer)[`setUint${bits}`](at + place, figure, true);
  return bytes;
}

const blankPages = (count: number) => pagesOf(Array<string>(count).fill(""));
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

describe("what a file says of its size is read before it is unpacked", () => {
  reads("a", {
    "an archive of more than 20,000 parts": [
      claiming(END, 10, 16, 20_001),
      new Error("archive has too many parts"),
    ],
    "a part that is declared to be larger than all may be together": [
      claiming(CENTRAL, 24, 32, 257 << 20),
      new Error("compressed data expands too much"),
    ],
    "an archive that is encrypted": [
      claiming(CENTRAL, 8, 16, 1),
      new Error("document is encrypted"),
    ],
    "a small archive": [words, "Words"],
    "a PDF of more than 10,000 pages": [
      blankPages(10_001),
      new Error("PDF has more than 10000 pages"),
    ],
    "a PDF of two pages": [blankPages(2), new Error("no text found")],
    "a PDF of more than 500,000 streams": [
      `%PDF-1.7\n${"stream\nendstream\n".repeat(500_001)}`,
      new Error("PDF has too many objects"),
    ],
    "a presentation of more than 20,000 slides": [
      pptx([], {
        "ppt/m.xml": `<presentation>${'<sldId r:id="x"/>'.repeat(20_001)}</presentation>`,
      }),
      new Error("more than 20000 slides"),
    ],
    "a workbook with more empty rows than a sheet can have rows": [
      xlsx(`${"<row/>".repeat(1 << 20)}<row><c><v>1</v></c></row>`),
      "# Log\n\n1",
    ],
  });
});

it("a table of bars between empty cells is refused before they are written", () => {
  const wide = filledRow(Array<string>(20_000).fill("x"));
  const rows = [wide, ...Array<FilledRow>(600).fill(filledRow(["x"]))];
  expect(() => tableText(rows)).toThrow("more than 32 MiB of text");
  expect(tableText([wide, ...rows.slice(0, 200)]).columns).toHaveLength(20_000);
});

describe("comments before a document's first words", () => {
  const text = `${"<!--a-->".repeat(500)} <words>`;
  reads("a.txt", {
    "are a text's like any other": [text, text],
    "do not hide that a page is one": [
      `<!-- a > b -->\n${"<!---->".repeat(500)}<html><p>Words</p></html>`,
      "Words",
    ],
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
