/** A PDF of these objects, numbered from 1, the first its catalog; without a table of them, which readers make anew. */
export function pdfOf(objects: string[], trailer = ""): Uint8Array {
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  const pdf = `%PDF-1.7\n${body}trailer\n<< /Root 1 0 R ${trailer} >>\n%%EOF`;
  return new Uint8Array(Buffer.from(pdf, "latin1"));
}

export const pdfStream = (data: string | Uint8Array, entries = "") => {
  const text = typeof data === "string" ? data : Buffer.from(data).toString("latin1");
  return `<< /Length ${text.length} ${entries} >>\nstream\n${text}\nendstream`;
};

export const HELVETICA =
  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/** One page; `/F1` is the first of the objects that follow its content, the fifth of the file. */
export const pageOf = (content: string, font = HELVETICA, ...more: string[]) =>
  pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
    pdfStream(content),
    font,
    ...more,
  ]);

/** One page with room for millions of lines; pdf.js leaves out text beyond the edges of a page. */
export const largePageOf = (content: string) =>
  new Uint8Array(
    Buffer.from(
      Buffer.from(pageOf(content))
        .toString("latin1")
        .replace("[0 0 595 842]", "[0 0 90000000 90000000]"),
      "latin1",
    ),
  );

/** A page for each content, which sets its text in `/F1`. */
export const pagesOf = (contents: string[], font = HELVETICA) => {
  const pages = contents.map((_content, at) => at + 4);
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] >>`,
    font,
    ...pages.map(
      (page) =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${page + pages.length} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    ),
    ...contents.map((content) => pdfStream(content)),
  ]);
};

/** @param text as `TJ` takes it */
export const lineOf = (y: number, text: string) => `BT /F1 10 Tf 50 ${y} Td ${text} TJ ET\n`;

/** Whoever opens it is asked for a password. */
export function encryptedPdf(): Uint8Array<ArrayBuffer> {
  const key = `<${"ab".repeat(32)}>`;
  const pdf = pdfOf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 0 /Kids [] >>",
      `<< /Filter /Standard /V 1 /R 2 /P -4 /O ${key} /U ${key} >>`,
    ],
    "/Encrypt 3 0 R /ID [<00> <00>]",
  );
  return new Uint8Array(pdf);
}
