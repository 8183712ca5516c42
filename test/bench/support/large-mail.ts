import { utf8 } from "./large-texts.ts";

/** A mail of one text. */
export function eml(text: string): string {
  const body = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  return `${emlHead("base64")}${body}\r\n`;
}

export const emlHead = (encoding: string) =>
  `From: a@example.com\r\nSubject: Large\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;

/** A mail whose attachments are these files, by name. */
export function emlWith(attachments: Record<string, Uint8Array>): Uint8Array {
  const parts = Object.entries(attachments).map(([name, bytes]) => {
    const body = Buffer.from(bytes).toString("base64").replace(/.{76}/g, "$&\r\n");
    return `--part\r\nContent-Type: application/octet-stream; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
  });
  return utf8.encode(
    `From: a@example.com\r\nSubject: Large\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=part\r\n\r\n--part\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n${parts.join("")}--part--\r\n`,
  );
}
