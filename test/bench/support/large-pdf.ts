import { zlibSync } from "fflate";

import { noise, paragraphs } from "./large-texts.ts";

const LINES_A_PAGE = 50;
const LINE_CHARACTERS = 95;

/** A page per fifty lines of text, in one font; the content streams are deflated. */
export function pdf(characters: number, padding = 0): Uint8Array {
  const pieces: Uint8Array[] = [];
  const offsets: number[] = [];
  let length = 0;
  const push = (part: Uint8Array | string) => {
    const bytes = typeof part === "string" ? Buffer.from(part, "latin1") : part;
    pieces.push(bytes);
    length += bytes.length;
  };
  const object = (number: number, ...parts: (Uint8Array | string)[]) => {
    offsets[number] = length;
    for (const part of [`${number} 0 obj\n`, ...parts, "\nendobj\n"]) push(part);
  };
  push("%PDF-1.7\n");
  const lines = [...paragraphs(characters)].flatMap(
    (text) =>
      text.replace(/[“”]/g, "").match(new RegExp(`.{1,${LINE_CHARACTERS}}( |$)`, "g")) ?? [],
  );
  const kids: string[] = [];
  let next = 4;
  for (let at = 0; at < lines.length; at += LINES_A_PAGE) {
    const shown = lines
      .slice(at, at + LINES_A_PAGE)
      .map((line) => `(${line.replace(/[^\0-\u007f]|[()\\]/g, "e")}) Tj T*`);
    const stream = zlibSync(Buffer.from(`BT /F1 10 Tf 14 TL 50 780 Td\n${shown.join("\n")}\nET`));
    object(
      next,
      `<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`,
      stream,
      "\nendstream",
    );
    object(
      next + 1,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${next} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    kids.push(`${next + 1} 0 R`);
    next += 2;
  }
  object(1, "<< /Type /Catalog /Pages 2 0 R >>");
  object(2, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`);
  object(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  if (padding > 0) {
    object(
      next++,
      `<< /Subtype /Image /Width 1 /Height 1 /Length ${padding} >>\nstream\n`,
      noise(padding),
      "\nendstream",
    );
  }
  const table = offsets.slice(1).map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const start = length;
  push(
    `xref\n0 ${offsets.length}\n0000000000 65535 f \n${table.join("")}trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
  return Buffer.concat(pieces);
}
