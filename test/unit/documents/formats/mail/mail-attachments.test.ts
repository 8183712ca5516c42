import { describe, expect, it } from "vitest";

import { extractDocument } from "../../../../../src/documents/extract-document.ts";
import { base64, latin1, mails, mailText, multipart } from "../../../../support/read-mail.ts";

describe("attachments", () => {
  const file = (fields: string, body: string) =>
    multipart("mixed", "\nSee.", `${fields}\n\n${body}`);

  it.each([
    ["Content-Disposition: attachment; filename*=utf-8''Pr%C3%BCfung.txt", "Prüfung.txt"],
    [
      "Content-Disposition: attachment; filename*0*=iso-8859-1''Pr%FC; filename*1=fung; filename*2=.txt; filename=x",
      "Prüfung.txt",
    ],
    ['Content-Disposition: attachment; filename="=?utf-8?q?Pr=C3=BCfung?=.txt"', "Prüfung.txt"],
    ['Content-Disposition: attachment;\n filename="C:\\notes\\a (1).txt"', "a (1).txt"],
    ["Content-Disposition: attachment; filename=two words (1).txt; size=3", "two words (1).txt"],
    ['Content-Type: application/octet-stream; name="dir/a;b.txt"', "a;b.txt"],
    ["Content-Disposition: attachment", "attachment"],
  ])("are named as %s says", async (fields, name) => {
    expect(await mailText(file(fields, "words"))).toBe(`See.\n\n## ${name}\n\nwords`);
  });

  mails({
    "keep their bytes, also without an encoding": [
      file("Content-Disposition: attachment; filename=a.csv", "a,b\r\n1,2\r\n"),
      "See.\n\n## a.csv\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
    ],
    "are read in the charset that their part declares": [
      latin1(
        file("Content-Type: text/plain; charset=koi8-r; name=a.txt", "\xf0\xd2\xc9\xd7\xc5\xd4"),
      ),
      "See.\n\n## a.txt\n\nПривет",
    ],
    "that are uuencoded are left out, and named": [
      file(
        "Content-Transfer-Encoding: x-uuencode\nContent-Type: application/octet-stream; name=a.txt",
        "begin 644 a.txt\n#0V%T\n`\nend",
      ),
      "See.",
      "attachment a.txt left out: it is uuencoded; send it as base64",
    ],
    "that are messages stand under their subject, one level down": [
      file(
        "Content-Type: message/rfc822",
        "From: b@x.example\nSubject: Inner\nContent-Type: text/html\n\n<h1>Head</h1><p>Words",
      ),
      "See.\n\n## Inner\n\n- From: b@x.example\n\n### Head\n\nWords",
    ],
    "in Outlook's own wrapping are left out, and named": [
      file(
        "Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64",
        "eJ8+IgAA",
      ),
      "See.",
      "attachment winmail.dat left out: Outlook's own format (TNEF); send it as MIME",
    ],
  });

  it("that are invitations are read as such, once", async () => {
    const calendar =
      'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Oslo\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Oslo:20250314T090000\r\nDTEND:20250314T090000Z\r\nSUMMARY:Plan\\, room 2\r\nORGANIZER;CN="Berg: Ann":mailto:ann@x.example\r\nDESCRIPTION:First\\nsecond li\r\n ne.\r\nBEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    const part = `Content-Type: text/calendar; method=REQUEST\n\n${calendar}`;
    const secondPart = `Content-Type: application/ics; name=invite.ics\nContent-Transfer-Encoding: base64\n\n${base64(calendar)}`;
    expect(await mailText(multipart("mixed", "\nCome.", part, secondPart))).toBe(
      [
        "Come.\n\n## Calendar\n",
        "- Start: 2025-03-14 09:00 (Europe/Oslo)",
        "- End: 2025-03-14 09:00 UTC",
        "- Summary: Plan, room 2",
        "- Organizer: ann@x.example (Berg: Ann)",
        "\nFirst\nsecond line.",
      ].join("\n"),
    );
  });

  it("that are calendars say what is cancelled and what is added", async () => {
    const event =
      "BEGIN:VEVENT\nSUMMARY:Standup\nDTSTART;TZID=Europe/Oslo:20250314T090000\nRRULE:FREQ=WEEKLY\nEXDATE;TZID=Europe/Oslo:20250321T090000,20250\n 328T090000\nRECURRENCE-ID:20250404\nCOMMENT:Bring slides\\, please\nRESOURCES:Beamer 20240001\nEND:VEVENT";
    const calendar = (entries: string) =>
      file("Content-Type: text/calendar; name=a.ics", `BEGIN:VCALENDAR\n${entries}\nEND:VCALENDAR`);
    expect(await mailText(calendar(event))).toBe(
      [
        "See.\n\n## a.ics\n",
        "- Summary: Standup",
        "- Start: 2025-03-14 09:00 (Europe/Oslo)",
        "- Repeats: FREQ=WEEKLY",
        "- Not on: 2025-03-21 09:00, 2025-03-28 09:00 (Europe/Oslo)",
        "- In place of: 2025-04-04",
        "- Comment: Bring slides, please",
        "- Resources: Beamer 20240001",
      ].join("\n"),
    );
  });
});

describe("images", () => {
  const PICTURE = "Content-Transfer-Encoding: base64\n\n/9j/wAALCAGQAZABAREA/9k=";
  const scan = `Content-Type: image/jpeg; name=scan.jpg\nContent-Disposition: inline; filename=scan.jpg\n`;
  const readMessage = (mail: string, isConverted: boolean) =>
    extractDocument(
      { name: "a.eml", mimeType: null, bytes: new TextEncoder().encode(mail) },
      { readPicture: isConverted ? async () => ({ text: "Gates: 6:15.", by: "local/eye" }) : null },
    );

  it.each([
    ["beside a text", multipart("mixed", "\nSee.", scan + PICTURE)],
    [
      "beside a text, with a name for it",
      multipart("mixed", "\nSee.", `${scan}Content-ID: <1>\n${PICTURE}`),
    ],
    ["beside a page that does not refer to it", multipart("related", "\nSee.", scan + PICTURE)],
  ])("shown %s are read, or named", async (_where, mail) => {
    const { markdown, notes } = await readMessage(mail, true);
    expect(markdown).toMatch(/See\.\n\n## scan\.jpg\n\nGates: 6:15\.$/);
    expect(notes).toEqual(["a picture was read by local/eye"]);
    const unread = await readMessage(mail, false);
    expect(unread.markdown).toMatch(/See\.$/);
    expect(unread.notes).toEqual([
      "attachment scan.jpg left out: no text found",
      "1 picture is not read. Choose an image model in the source's settings.",
    ]);
  });

  it.each(["Content-ID: <1>", "Content-Location: a.jpg"])(
    "that a page is made of are not: %s",
    async (field) => {
      const page = multipart("related", "\nSee.", `${scan}${field}\n${PICTURE}`);
      const { markdown, notes } = await readMessage(page, true);
      expect(markdown).toMatch(/See\.$/);
      expect(notes).toEqual([]);
    },
  );
});
