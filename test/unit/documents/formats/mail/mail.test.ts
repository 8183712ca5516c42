import { describe, expect, it } from "vitest";

import {
  base64,
  latin1,
  MAIL_HEAD,
  mails,
  multipart,
  readMail,
} from "../../../../support/read-mail.ts";

describe("header lines", () => {
  const linesOf = async (head: string | Uint8Array) =>
    (await readMail(head)).markdown.replace(/\n\ntext$/, "").split("\n");

  it.each([
    [
      "encoded words over folded lines, one character divided",
      "From: =?utf-8?Q?J=C3=B6rg?= <j@x.example>\nSubject: =?utf-8?b?R3LD?=\n =?utf-8?b?vMOfZQ==?= aus\n  Moss\n\ntext\n",
      ["# Grüße aus Moss", "", "- From: Jörg <j@x.example>"],
    ],
    [
      "letters that should have been encoded",
      "From: Jörg <j@x.example>\nSubject: Grüße\n\ntext\n",
      ["# Grüße", "", "- From: Jörg <j@x.example>"],
    ],
    [
      "groups, comments and many receivers",
      'From: "Berg, Ann" <ann@x.example> (work)\nTo: undisclosed-recipients:;\nTo: b@x.example\nCc: Crew: a@x.example, "C, D" <d@x.example>;\nDate: Fri, 14 Mar 2025 09:00:00 +0100\n\ntext\n',
      [
        "# Message",
        "",
        "- From: Berg, Ann <ann@x.example>",
        "- To: undisclosed-recipients: ;, b@x.example",
        "- Cc: Crew: a@x.example, C, D <d@x.example>;",
        "- Date: 2025-03-14T08:00:00.000Z",
      ],
    ],
    [
      "the first of those that may stand once",
      "From: a@x.example\nSubject: One\nFrom: b@x.example\nSubject: Two\nDate: soon\n\ntext\n",
      ["# One", "", "- From: a@x.example", "- Date: soon"],
    ],
  ])("%s", async (_what, mail, lines) => {
    expect(await linesOf(mail)).toEqual(lines);
  });

  it.each([
    ["5", null],
    ["Mon, 3 Feb 10:00", null],
    ["Mon, 3 Feb 2025 10:00:00", null],
    ["31 Feb 2025 10:00:00 +0000", null],
    ["2025-02-03", null],
    ["Order 7 of 3 Feb 2025 10:00 GMT", null],
    ["Mon, 3 Feb 2025 10:00:00 +0100 (CET)", "2025-02-03T09:00:00.000Z"],
    ["3 Feb 99 10:00 EST", "1999-02-03T15:00:00.000Z"],
    ["Mon,  3 Feb\n 2025 10:00 GMT", "2025-02-03T10:00:00.000Z"],
  ])("a date is one of mail, or stands as it is: %s", async (field, date) => {
    const lines = await linesOf(`From: a@x.example\nDate: ${field}\n\ntext\n`);
    expect(lines.at(-1)).toBe(`- Date: ${date ?? field}`);
  });

  it("in Latin-1, unencoded", async () => {
    const mail = latin1("From: J\xf6rg <j@x.example>\nSubject: \xdcber die Br\xfccke\n\ntext\n");
    expect(await linesOf(mail)).toEqual(["# Über die Brücke", "", "- From: Jörg <j@x.example>"]);
  });
});

describe("a text's encoding", () => {
  const plain = (charset: string, encoding: string, body: string) =>
    latin1(
      `${MAIL_HEAD}Content-Type: text/plain${charset === "" ? "" : `; charset=${charset}`}\nContent-Transfer-Encoding: ${encoding}\n\n${body}`,
    );

  it.each([
    ["iso-8859-1", "8bit", "Gr\xfc\xdfe", "Grüße"],
    ["iso-8859-1 that is windows-1252", "8bit", "\x93Pier\x94 5 \x80", "“Pier” 5 €"],
    ["us-ascii", "8bit", "caf\xe9 \x93Pier\x94", "café “Pier”"],
    ["iso-8859-1", "8bit", "caf\xc3\xa9", "café"],
    ["KOI8-R", "quoted-printable", "=F0=D2=C9=D7=C5=D4", "Привет"],
    ["gb2312", "base64", "xOO6ww==", "你好"],
    ["cp936", "base64", "xOO6ww==", "你好"],
    ["iso-2022-jp", "7bit", "\x1b$B$3$s$K$A$O\x1b(B", "こんにちは"],
    ["x-nobody", "8bit", "caf\xc3\xa9", "café"],
    [
      "",
      "8bit",
      "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0 \xe8 \xec\xee\xf0\xe5",
      "Привет, мир и море",
    ],
    ["shift_jis", "8bit", "\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd".repeat(9) + "\x81", null],
    ["utf-8", "BASE64 (as ever)", "R3LD\nvMOf!\nZQ==\n", "Grüße"],
    ["utf-8", "base64", `${base64("One ")}\n${base64("line.")}\n`, "One line."],
    ["utf-8", "quoted-printable", "a=20 =\r\nb =\r\nc =zz =3D  \r\nd=", "a b c =zz =\nd"],
    ["utf-8", '"quoted-printable"', "=3D a=\nb", "= ab"],
    ["utf-8", "x-unheard-of", "as it stands", "as it stands"],
  ])("%s, %s", async (charset, encoding, body, expected) => {
    const name = charset.split(" ")[0] ?? "";
    const document = await readMail(plain(name, encoding, body));
    if (expected === null) expect(document.notes).toEqual(["1 character was damaged and replaced"]);
    else expect(document.markdown).toBe(`# Ferry\n\n- From: a@example.com\n\n${expected}`);
  });

  it.each([
    ["utf-7", "Gr+APwA3w-e"],
    ["HZ-GB-2312", "~{Vw::~}"],
  ])("that is not read is an error that names it: %s", async (charset, body) => {
    await expect(readMail(plain(charset, "7bit", body))).rejects.toThrow(
      `text encoding ${charset.toLowerCase()} is not read`,
    );
    expect((await readMail(plain(charset, "7bit", "Plain."))).markdown).toMatch(/Plain\.$/);
  });

  it("that nothing fits is an error, of one text among others a note", async () => {
    const odd = "\xd1\x00\x81\xfe\x9c\x01\xff";
    await expect(readMail(plain("", "8bit", odd))).rejects.toThrow(
      "text encoding is not recognised",
    );
    const part = `Content-Type: text/plain\n\n${odd}`;
    const document = await readMail(latin1(multipart("mixed", "\nFirst.", part)));
    expect(document.markdown).toMatch(/First\.$/);
    expect(document.notes).toEqual(["text left out: text encoding is not recognised"]);
  });
});

describe("parts", () => {
  const apple = `${MAIL_HEAD}\nTides.\n`;

  mails({
    "lines that are only divided for the transport, but for quotations and signatures": [
      `${MAIL_HEAD}Content-Type: text/plain; format=flowed; delsp=yes\n\n東京都の \n会議室です。\n\nYes, \n> tides\n\n-- \nAnn`,
      "東京都の会議室です。\n\nYes,\n> tides\n\n--\nAnn",
    ],
    "what Apple Mail stores with its length and facts of its own": [
      `${apple.length}  \n${apple}<?xml version="1.0"?><plist><integer>1</integer></plist>`,
      "Tides.",
    ],
    "all of it where the length is not that of the message": [`5\n${apple}`, "Tides."],
    "lines that end with a return alone": [
      `${MAIL_HEAD}\nHigh\n\nLow\n`.replaceAll("\n", "\r"),
      "High\n\nLow",
    ],
    "HTML before its plain alternative, its headings under the subject": [
      multipart("alternative", "\nPlain.", "Content-Type: text/html\n\n<h1>Rich</h1><p>Text."),
      "## Rich\n\nText.",
    ],
    "a letter's foot, which a saved page would lose": [
      multipart(
        "related",
        "Content-Type: text/html\n\n<p>Dear Jan,<footer>© Ann</footer>",
        "Content-Type: text/html\nContent-Location: https://a.example\n\n<p>Saved.<footer>© Gone</footer>",
      ),
      "Dear Jan,\n\n© Ann\n\nSaved.",
    ],
    "plain text where HTML has none": [
      multipart("alternative", "\nPlain.", "Content-Type: text/html\n\n<img src=x>"),
      "Plain.",
    ],
    "HTML whose plain alternative spells out addresses": [
      multipart(
        "alternative",
        "\nPay now: https://pay.example/a/long-one/of-many/words-and/1/2/3/44/55/66",
        "Content-Type: text/html\n\n<p>Pay <b>now</b>",
      ),
      "Pay now",
    ],
    "the part that has HTML, whatever lies beside it": [
      multipart(
        "alternative",
        "\nPlain.",
        'Content-Type: multipart/related; boundary="C C"\n\n--C C\nContent-Type: text/html\n\n<p>Rich.\n--C C\nContent-Type: text/css\nContent-Location: a.css\n\np {}\n--C C\nContent-Type: image/png\nContent-ID: <1>\n\nx\n--C C--',
      ),
      "Rich.",
    ],
    "texts in their order": [
      multipart("mixed", "\nOne.", "Content-Type: text/html\n\n<p>Two.", "\nThree."),
      "One.\n\nTwo.\n\nThree.",
    ],
    "Markdown as it stands, its headings under the subject": [
      `\ufeff\r\n\n${multipart("mixed", "Content-Type: text/markdown\n\n# One\n```a```\n# Two\n\n- a\n\n```\n# b\n```")}`,
      "## One\n```a```\n## Two\n\n- a\n\n```\n# b\n```",
    ],
    "named texts as files, their code as it stands": [
      multipart(
        "mixed",
        "\nSee.",
        "Content-Type: text/x-python; name=a.py\n\n# one\nprint()",
        "\nBye.",
      ),
      "See.\n\nBye.\n\n## a.py\n\n```python\n# one\nprint()\n```",
    ],
    "parts without a blank line": [
      multipart("mixed", "Text at once.", "Content-Type: text/plain"),
      "Text at once.",
    ],
    "an inner boundary that begins like the outer": [
      multipart(
        "mixed",
        "Content-Type: multipart/mixed; boundary=BB\n\n--BB\n\nInner.\n--BB--",
        "\nOuter.\n--Bad\n-- B",
      ),
      "Inner.\n\nOuter.\n--Bad\n-- B",
    ],
    "an inner multipart that never ends": [
      multipart("mixed", "Content-Type: multipart/mixed; boundary=C\n\n--C\n\nInner.", "\nOuter."),
      "Inner.\n\nOuter.",
    ],
    "a comment, spaces and quotes about the boundary": [
      `${MAIL_HEAD}Content-Type: multipart/mixed (x; y) ;\n\tBOUNDARY = "a \\"b"\n\n--a "b\t\n\nText.\n--a "b--  \n`,
      "Text.",
    ],
    "text that no blank line divides from the headers": [
      `${MAIL_HEAD}Text, at once.\nMore.\n`,
      "Text, at once.\nMore.",
    ],
    "headers around a line that is none": [`${MAIL_HEAD}Oddity\nX-More: 1\n\nText.`, "Text."],
    "parts that nothing divides as text": [
      `${MAIL_HEAD}Content-Type: multipart/mixed\n\nNo parts.`,
      "No parts.",
    ],
    "mixed line ends": [
      multipart("mixed", "\r\nOne\r\nTwo\nThree").replace("--B\n", "--B\r\n"),
      "One\nTwo\nThree",
    ],
    "a signed text without its signature": [
      multipart("signed", "\nSigned.", "Content-Type: application/pgp-signature\n\n-----BEGIN"),
      "Signed.",
    ],
    "what a bounce says": [
      multipart(
        "report",
        "\nNot delivered.",
        "Content-Type: message/delivery-status\n\nAction: failed",
        "Content-Type: text/rfc822-headers\n\nFrom: b@x.example\nSubject: Sent\nMessage-ID: <1>",
      ),
      "Not delivered.\n\n## Delivery status\n\nAction: failed\n\n## Headers of the message\n\n### Sent\n\n- From: b@x.example",
    ],
    "the messages of a digest": [
      multipart("digest", "\nSubject: One\n\nFirst.", "\nSubject: Two\n\nSecond."),
      "## One\n\nFirst.\n\n## Two\n\nSecond.",
    ],
  });

  mails({
    "say that the file ends before they do": [
      multipart("mixed", "\nOne.", "\nTwo.").replace(/--B--[^]*/, "--B\n\nThr"),
      "One.\n\nTwo.\n\nThr",
      "the file ends early",
    ],
  });
});

it.each([
  ["a picture and a link", "<img src=x><a href=https://x.example/long-address>View in browser</a>"],
  [
    "a style sheet and a foot",
    "<style>p { margin: 0 auto }</style><title>A mail to you</title>Imprint",
  ],
])(
  "plain text with three times the words of a page of %s is read, with a note",
  async (_, page) => {
    const text = "The rent is 900 euros a month, and the deposit is due on 1 May.";
    const { markdown, notes } = await readMail(
      multipart("alternative", `\n${text}`, `Content-Type: text/html\n\n${page}`),
    );
    expect(markdown).toContain(text);
    expect(markdown).not.toMatch(/View in browser|Imprint/);
    expect(notes).toEqual(["a page of few words is left out: the message has more as plain text"]);
  },
);

it("a page in UTF-16 with more words than the plain text is read", async () => {
  const page = Buffer.from("<p>The rent is 900 euros a month.</p>", "utf16le").toString("base64");
  const head = "Content-Type: text/html; charset=utf-16le\nContent-Transfer-Encoding: base64";
  const { markdown } = await readMail(
    multipart("alternative", "\nThe rent is due.", `${head}\n\n${page}`),
  );
  expect(markdown).toContain("The rent is 900 euros a month.");
});
