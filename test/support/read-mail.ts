import { extractDocument } from "../../src/documents/extract-document.ts";

/** Bytes of characters up to U+00FF. */
export const latin1 = (text: string) => Uint8Array.from(text, (each) => each.charCodeAt(0));
export const base64 = (text: string) => Buffer.from(text).toString("base64");
const bytesOf = (mail: string | Uint8Array) =>
  typeof mail === "string" ? new TextEncoder().encode(mail) : mail;

export const readMail = (mail: string | Uint8Array, name = "a.eml") =>
  extractDocument({ name, mimeType: null, bytes: bytesOf(mail) });

/** What stands under the header lines. */
export const mailText = async (mail: string | Uint8Array) =>
  (await readMail(mail)).markdown.replace(/^# .*\n\n(?:- .*\n)*\n*/, "");

export const MAIL_HEAD = "From: a@example.com\nSubject: Ferry\nMIME-Version: 1.0\n";

/** A message of these parts, each with its headers. */
export function multipart(subtype: string, ...parts: string[]): string {
  const all = parts.map((part) => `--B\n${part}\n`).join("");
  return `${MAIL_HEAD}Content-Type: multipart/${subtype}; boundary=B\n\nPreamble.\n${all}--B--\nEpilogue.\n`;
}
