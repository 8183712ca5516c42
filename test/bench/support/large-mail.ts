import { utf8 } from "./large-texts.ts";

/** A mail of one text. */
export function eml(text: string): string {
  const body = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  return `${emlHead("base64")}${body}\r\n`;
}

/** Not in the alphabets that fit one byte a character. */
export const EMOJI = "\u{1f4ec}\n\n";

export const emlHead = (encoding: string, type = "plain") =>
  `From: a@example.com\r\nSubject: Large\r\nMIME-Version: 1.0\r\nContent-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;

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

/** A mail of one text with what is not ASCII escaped, in lines of 76. */
export function quotedPrintable(text: string): string {
  const escaped = text.replace(/[^\n -<>-~]/gu, (character) =>
    [...utf8.encode(character)]
      .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
  const lines = escaped.replace(/[^\n]{70}(?:=..)?(?!\n)/g, "$&=\r\n");
  return emlHead("quoted-printable") + lines;
}

/** A mail within another, and so on. */
export function forwarded(message: string, times: number): Uint8Array {
  let whole = message;
  for (let at = 0; at < times; at++) {
    whole = `From: a@example.com\r\nSubject: Forwarded\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=part${at}\r\n\r\n--part${at}\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n--part${at}\r\nContent-Type: message/rfc822\r\n\r\n${whole}\r\n--part${at}--\r\n`;
  }
  return utf8.encode(whole);
}
