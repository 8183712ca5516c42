/** A PDF of these objects, numbered from 1, the first its catalog; without a table of them, which readers make anew. */
export function pdfOf(objects: string[]): Uint8Array {
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  const pdf = `%PDF-1.7\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF`;
  return new Uint8Array(Buffer.from(pdf, "latin1"));
}

export const pdfStream = (data: string | Uint8Array, entries = "") => {
  const text = typeof data === "string" ? data : Buffer.from(data).toString("latin1");
  return `<< /Length ${text.length} ${entries} >>\nstream\n${text}\nendstream`;
};
