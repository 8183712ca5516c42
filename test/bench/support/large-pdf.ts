import { zlibSync } from "fflate";

import { HELVETICA, pdfOf, pdfStream } from "../../support/pdf-of.ts";
import { noise, paragraphs } from "./large-texts.ts";

const LINES_A_PAGE = 50;
const LINE = /.{1,95}( |$)/g;
/** The first page's, behind catalog, pages and font; its content is the next object. */
const FIRST_PAGE = 4;

/** A page per fifty lines of text, in one font; the content streams are deflated. */
export function pdf(characters: number, padding = 0): Uint8Array {
  const lines = [...paragraphs(characters)].flatMap(
    (text) => text.replace(/[“”]/g, "").match(LINE) ?? [],
  );
  const count = Math.ceil(lines.length / LINES_A_PAGE);
  const pages = Array.from({ length: count }, (_unused, page) => {
    const pageLines = lines
      .slice(page * LINES_A_PAGE, (page + 1) * LINES_A_PAGE)
      .map((line) => `(${line.replace(/[^\0-\u007f]|[()\\]/g, "e")}) Tj T*`);
    const content = `BT /F1 10 Tf 14 TL 50 780 Td\n${pageLines.join("\n")}\nET`;
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${FIRST_PAGE + 2 * page + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      pdfStream(zlibSync(Buffer.from(content)), "/Filter /FlateDecode"),
    ];
  });
  const kids = pages.map((_page, at) => `${FIRST_PAGE + 2 * at} 0 R`);
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${count} /Kids [${kids.join(" ")}] >>`,
    HELVETICA,
    ...pages.flat(),
    pdfStream(noise(padding), "/Subtype /Image /Width 1 /Height 1"),
  ]);
}
