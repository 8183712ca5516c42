import { expect, it } from "vitest";

import { extractDocument } from "../../../src/ingestion/extractors/extract-document.ts";

const PAGES = 40;
const LINES_A_PAGE = 400;
const FIRST_PAGE = 4;

const lineOf = (page: number, line: number) =>
  `Bed ${line} of house ${page} was watered and its moss turned, which took the two of us an hour.`;

/** A PDF with more than a million characters on its pages, each of them another. */
function longPdf(): Uint8Array {
  const pages = Array.from({ length: PAGES }, (_unused, at) => at);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${PAGES} /Kids [${pages.map((at) => `${FIRST_PAGE + 2 * at} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((at) => {
      const contents = `${FIRST_PAGE + 2 * at + 1} 0 R`;
      const lines = Array.from({ length: LINES_A_PAGE }, (_unused, line) => {
        return `(${lineOf(at + 1, line + 1)}) Tj T*`;
      });
      const stream = `BT /F 8 Tf 9 TL 20 3700 Td ${lines.join(" ")} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 3800] /Contents ${contents} /Resources << /Font << /F 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  return new TextEncoder().encode(`%PDF-1.7\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF`);
}

it("reads a PDF of more than a million characters whose bytes are given up on the way", async () => {
  const file = { name: "log.pdf", mimeType: null, bytes: longPdf() };
  const { markdown, pages } = await extractDocument(file, { discardsBytes: true });
  expect(markdown.length).toBeGreaterThan(1_100_000);
  const text = markdown.replaceAll("\n", " ");
  // The first and last lines of pages are alike: running heads, which are left out.
  expect(text).toContain(lineOf(1, LINES_A_PAGE / 2));
  expect(text).toContain(lineOf(PAGES, LINES_A_PAGE / 2));
  expect(pages).toHaveLength(PAGES);
});
