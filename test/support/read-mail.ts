import { it } from "vitest";

import { expectRead, extract, type Content, type Expected } from "./read-document.ts";

/** Bytes of characters up to U+00FF. */
export const latin1 = (text: string) => Uint8Array.from(text, (each) => each.charCodeAt(0));
export const base64 = (text: string) => Buffer.from(text).toString("base64");

export const readMail = (mail: Content, name = "a.eml") => extract(name, mail);

/** A mail whose text is what stands under the header lines. */
async function readBody(mail: Content) {
  const document = await readMail(mail);
  return { ...document, markdown: document.markdown.replace(/^# .*\n\n(?:- .*\n)*\n*/, "") };
}

export const mailText = async (mail: Content) => (await readBody(mail)).markdown;

/** A test for each mail: what stands under its header lines, and its notes. */
export function mails(
  cases: Record<string, [mail: Content, expected: Expected, ...notes: string[]]>,
): void {
  it.each(Object.entries(cases))("%s", async (_what, [mail, expected, ...notes]) => {
    await expectRead(readBody(mail), expected, notes);
  });
}

export const MAIL_HEAD = "From: a@example.com\nSubject: Ferry\nMIME-Version: 1.0\n";

/** A message of these parts, each with its headers. */
export function multipart(subtype: string, ...parts: string[]): string {
  const all = parts.map((part) => `--B\n${part}\n`).join("");
  return `${MAIL_HEAD}Content-Type: multipart/${subtype}; boundary=B\n\nPreamble.\n${all}--B--\nEpilogue.\n`;
}
