import { expect, it } from "vitest";

import { extractDocument } from "../../../src/documents/extract-document.ts";
import { pdfOf, pdfStream } from "../../support/pdf-of.ts";

const PAGES = 40;
const LINES_A_PAGE = 400;
const FIRST_PAGE = 5;

const lineOf = (page: number, line: number) =>
  `Bed ${line} of house ${page} was watered and its moss turned, which took the two of us an hour.`;

type Page = { height: number; content: string };

/** A PDF of these pages. Where `map` is given, the font says with it which characters it shows. */
function pdfWith(pages: Page[], map = ""): Uint8Array {
  const font = `/Type /Font /Subtype /Type1 /BaseFont /Helvetica${map === "" ? "" : " /ToUnicode 4 0 R"}`;
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_page, at) => `${FIRST_PAGE + 2 * at} 0 R`).join(" ")}] >>`,
    `<< ${font} >>`,
    pdfStream(map),
    ...pages.flatMap(({ height, content }, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 ${height}] /Contents ${FIRST_PAGE + 2 * at + 1} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
      pdfStream(content),
    ]),
  ]);
}

/** A PDF with more than a million characters on its pages, each of them another. */
const longPdf = () =>
  pdfWith(
    Array.from({ length: PAGES }, (_page, at) => {
      const lines = Array.from(
        { length: LINES_A_PAGE },
        (_line, line) => `(${lineOf(at + 1, line + 1)}) Tj T*`,
      );
      return { height: 3800, content: `BT /F 8 Tf 9 TL 20 3700 Td ${lines.join(" ")} ET` };
    }),
  );

it("reads a PDF of over a million characters whose bytes are released on the way", async () => {
  const file = { name: "log.pdf", mimeType: null, bytes: longPdf() };
  const { markdown, pages } = await extractDocument(file, { discardsBytes: true });
  expect(markdown.length).toBeGreaterThan(1_100_000);
  const text = markdown.replaceAll("\n", " ");
  // The first and last lines of pages are alike: running heads, which are left out.
  expect(text).toContain(lineOf(1, LINES_A_PAGE / 2));
  expect(text).toContain(lineOf(PAGES, LINES_A_PAGE / 2));
  expect(pages).toHaveLength(PAGES);
});

const HIDDEN_LINES_A_PAGE = 100;
const CHARACTERS_A_LINE = 270;
/** Each A is a Hangul filler, which shows nothing. */
const HIDING_MAP =
  "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <3164> endbfchar endcmap";

it.each([
  ["Hangul fillers", "A", HIDING_MAP],
  ["dots", ".", ""],
])("finds no text in a PDF of a million %s", async (_of, glyph, map) => {
  const line = `(${glyph.repeat(CHARACTERS_A_LINE)}) Tj T*`;
  const content = `BT /F 1 Tf 9 TL 20 900 Td ${`${line} `.repeat(HIDDEN_LINES_A_PAGE)} ET`;
  const bytes = pdfWith(
    Array.from({ length: PAGES }, () => ({ height: 1000, content })),
    map,
  );
  const file = { name: "scan.pdf", mimeType: null, bytes };
  await expect(extractDocument(file, { discardsBytes: true })).rejects.toThrow("no text found");
});
