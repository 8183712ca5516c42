import { expect, it } from "vitest";

import { TakesTooLong } from "../../../../../src/documents/extracted-document.ts";
import { unitsOf } from "../../../../support/growth/growth.ts";
import { readUntil } from "../../../../support/read-document.ts";
import { base64, MAIL_HEAD, multipart } from "../../../../support/read-mail.ts";

/** About three megabytes, of which nothing is text. */
const DOTS = ". . . .\n".repeat(400_000);
const SHORT_HTML = "Content-Type: text/html\n\n<p>Short.";
const unread = (encoding: string, body: string) =>
  multipart("alternative", `Content-Transfer-Encoding: ${encoding}\n\n${body}`, SHORT_HTML);

const readMessage = (mail: string, last?: number) => readUntil("a.eml", mail, last);

it.each([
  ["boundaries are looked for", multipart("mixed", "\nText.").replace("Preamble.", `--\n${DOTS}`)],
  [
    "lines are nearly boundaries",
    multipart("mixed", "\nText.").replace("Preamble.", "--BB\n".repeat(600_000)),
  ],
  ["base64 is decoded", unread("base64", base64(DOTS))],
  ["quoted-printable is decoded", unread("quoted-printable", DOTS)],
  [
    "a mailbox is divided into its messages",
    `From a@x.example Fri Mar 14 09:00:00 2025\nSubject: One\nContent-Type: application/pkcs7-mime\n\n${DOTS}`,
  ],
])("a mail is given up when the time is over while %s", async (_when, mail) => {
  const { looks } = await readMessage(mail);
  expect(looks).toBeGreaterThanOrEqual(1);
  expect(await readMessage(mail, 1)).toEqual({ end: new TakesTooLong(3), looks: 1 });
});

it("lines that are nearly one of fifty boundaries are each looked up once", async () => {
  const prefix = "b".repeat(190);
  const boundary = (depth: number) => prefix + String(depth).padStart(5, "0");
  const heads = Array.from(
    { length: 50 },
    (_unused, depth) =>
      `Content-Type: multipart/mixed; boundary=${boundary(depth)}\n\n--${boundary(depth)}\n`,
  );
  const lines = `--${prefix}99999\n`.repeat(65_000);
  const mail = `${MAIL_HEAD}${heads.slice(0, 49).join("")}${heads[49]?.replace("\n\n", `\n\n${lines}`) ?? ""}\nWords.\n`;
  let end: unknown;
  const units = await unitsOf(async () => ({ end } = await readMessage(mail)));
  expect(end).toContain("Words.");
  // Compared with each, they take 900.
  expect(units).toBeLessThan(300);
});
