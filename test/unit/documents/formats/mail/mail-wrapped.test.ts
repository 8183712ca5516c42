import { expect, it } from "vitest";

import {
  base64,
  MAIL_HEAD,
  mails,
  mailText,
  multipart,
  readMail,
} from "../../../../support/read-mail.ts";

const ENCRYPTED = new Error("message is encrypted");
const armored = (what: string, text: string) =>
  `-----BEGIN PGP ${what}-----\n\n${text}\n-----END PGP ${what}-----\n`;
const SPEAKS = "It begins with\n-----BEGIN PGP MESSAGE-----\nand so on.";

mails({
  "a message of S/MIME says that it is encrypted": [
    `${MAIL_HEAD}Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIAG`,
    ENCRYPTED,
  ],
  "one of PGP/MIME does": [
    multipart(
      "encrypted",
      "Content-Type: application/pgp-encrypted\n\nVersion: 1",
      "\n-----BEGIN PGP MESSAGE-----",
    ),
    ENCRYPTED,
  ],
  "one with PGP within the text does": [`${MAIL_HEAD}\n${armored("MESSAGE", "hQEM")}`, ENCRYPTED],
  "a plain text after what is encrypted is kept": [
    `${MAIL_HEAD}\n${armored("MESSAGE", "hQEM")}\nPS: Friday.`,
    "PS: Friday.",
    "encrypted part left out",
  ],
  "a plain text before what is encrypted is kept": [
    `${MAIL_HEAD}\nFriday.\n\n${armored("MESSAGE", "hQEM")}`,
    "Friday.",
    "encrypted part left out",
  ],
  "a plain text that only speaks of it is kept": [`${MAIL_HEAD}\n${SPEAKS}`, SPEAKS],
  "a part that lies within a signature or is encrypted is named": [
    multipart("mixed", "\nSee.", "Content-Type: application/pkcs7-mime; name=smime.p7m\n\nMIAG"),
    "See.",
    "attachment smime.p7m left out: message is encrypted or enclosed in its signature (S/MIME)",
  ],
});

it("reads each message of a mailbox, and says which cannot be", async () => {
  const envelope = "From a@x.example Fri Mar 14 09:00:00 2025\n";
  const deep = "Content-Type: multipart/mixed; boundary=b\n\n--b\n".repeat(51);
  const mailbox = [
    `${envelope}Subject: One\nMessage-ID: <1>\n\nFirst.\nFrom here on.\n`,
    `${envelope}Subject: Two\nContent-Type: application/pkcs7-mime\n\nMIAG\n`,
    `${envelope}Subject: Deep\n${deep}`,
    `${envelope}Subject: Three\nContent-Type: text/html\n\n<p>Third.\n`,
  ].join("\n");
  const expected = "# One\n\nFirst.\nFrom here on.\n\n# Two\n\n# Three\n\nThird.";
  for (const name of ["a.mbox", "a.eml", "mailbox", "a.txt"]) {
    const document = await readMail(mailbox, name);
    expect(document).toMatchObject({ markdown: expected, title: null });
    expect(document.notes).toEqual([
      "message 2: message is encrypted or enclosed in its signature (S/MIME)",
      "message 3: message is damaged or nests too deeply",
    ]);
  }
  const [only = ""] = mailbox.split("\nFrom a@");
  expect(await readMail(only, "a.mbox")).toMatchObject({
    markdown: "# One\n\nFirst.\nFrom here on.",
    title: "One",
  });
});

it.each([
  ["of asctime without a blank line before", "From a@x.example Fri Mar 14 09:00:00 2025\n"],
  ["with a zone", "From ann at x.example  Fri Mar 14 09:00:00 +0100 2025\n"],
  ["with the day first", "From a@x.example Fri, 14 Mar 2025\n"],
  ["of ISO 8601", "From a@x.example 2025-03-14\n"],
])("shows no envelope line %s", async (_what, envelope) => {
  const first = `${envelope}Subject: One\nMessage-ID: <1>\n\nFirst.\n`;
  const second = `${envelope}Subject: Two\nMessage-ID: <2>\n\nSecond.\n`;
  for (const name of ["a.mbox", "mailbox"]) {
    expect((await readMail(first + second, name)).markdown).toBe(
      "# One\n\nFirst.\n\n# Two\n\nSecond.",
    );
    expect((await readMail(first, name)).markdown).toBe("# One\n\nFirst.");
  }
});

it("takes no sentence that begins with From for an envelope", async () => {
  const body = "First.\n\nFrom Monday 9:30 on the lock is closed.\nHours: 9 to 5.";
  const mailbox = `From a@x.example Fri Mar 14 09:00:00 2025\nSubject: One\n\n${body}\n`;
  expect((await readMail(mailbox, "a.mbox")).markdown).toBe(`# One\n\n${body}`);
});

it("takes off what a mailbox puts before lines that begin with From", async () => {
  const envelope = "From a@x.example Fri Mar 14 09:00:00 2025\n";
  const body =
    "First.\n>From here on.\n>>From there on.\n> From a quotation.\n>\n>Fromage\n>From the end";
  const message = (more: string, text: string) => `Subject: One\n${more}\n${text}\n`;
  const expectedText =
    "First.\nFrom here on.\n>From there on.\n> From a quotation.\n>\n>Fromage\n\nFrom the end";
  const encoded = message("Content-Transfer-Encoding: base64\n", base64(body));
  const document = await readMail(
    `${envelope}${message("", body)}\n${envelope}${encoded}`,
    "a.mbox",
  );
  expect(document.markdown).toContain(`# One\n\n${expectedText}\n\n# One`);
  // Encoded text is not touched, nor is a message that lies in no mailbox.
  expect(document.markdown).toContain("# One\n\nFirst.\n>From here on.\n>>From there");
  expect(await mailText(message("", body))).toContain("First.\n>From here on.\n>>From there");
  expect(await mailText(envelope + message("", body))).toBe(expectedText);
});
