import { describe, expect, it } from "vitest";

import { epub, zipped as packed } from "../../../../support/office-files.ts";
import { expectRead, extract, reads } from "../../../../support/read-document.ts";

const RELATIONSHIPS =
  '<r><Relationship Id="m" Type="x/officeDocument" Target="/word/document.xml"/></r>';
const document = (text: string) =>
  `<w:document><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;

const QUAY = { "_rels/.rels": RELATIONSHIPS, "word/document.xml": document("Quay") };
const encoded = (encoding: string, bytesOf: (letter: string) => number[]) =>
  packed({
    "_rels/.rels": RELATIONSHIPS,
    "word/document.xml": Uint8Array.from(
      [...`<?xml version="1.0" encoding="${encoding}"?>${document("Qu\u00e4y")}`].flatMap(bytesOf),
    ),
  });

describe("packages of unusual writers", () => {
  reads("a", {
    "divide folders by backslashes": [
      packed({ "_rels\\.rels": RELATIONSHIPS, "word\\document.xml": document("Quay") }),
      "Quay",
    ],
    "write names in capitals": [
      packed({ "_rels/.rels": RELATIONSHIPS, "word/Document.XML": document("Quay") }),
      "Quay",
    ],
    "name parts from the root": [
      packed({ "/_rels/.rels": RELATIONSHIPS, "./word/document.xml": document("Quay") }),
      "Quay",
    ],
    "have a part that is the root": [packed({ "/": "x", ...QUAY }), "Quay"],
    "are filled up with zeros": [Buffer.concat([packed(QUAY), new Uint8Array(70_000)]), "Quay"],
    "prefix relationships in their own way": [
      packed({
        "_rels/.rels": RELATIONSHIPS.replace("word/document", "ppt/p"),
        "ppt/p.xml": `<p:presentation><p:sldId id="256" d3p1:id="s" xmlns:d3p1="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></p:presentation>`,
        "ppt/_rels/p.xml.rels": '<r><Relationship Id="s" Type="x/slide" Target="s.xml"/></r>',
        "ppt/s.xml": "<p:sld><a:p><a:t>Quay</a:t></a:p></p:sld>",
      }),
      "# Quay",
    ],
    "declare an encoding": [
      encoded("windows-1252", (letter) => [letter.charCodeAt(0)]),
      "Qu\u00e4y",
    ],
    "write UTF-16 without a mark": [
      encoded("UTF-16", (letter) => [letter.charCodeAt(0), 0]),
      "Qu\u00e4y",
    ],
    "write ZIP64, whose figures stand elsewhere": [asZip64(packed(QUAY)), "Quay"],
  });
});

/** Rewrites an archive so that every size and place takes eight bytes. */
function asZip64(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 22;
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  const pieces: Uint8Array[] = [bytes.slice(0, start)];
  let at = start;
  for (let index = 0; index < count; index++) {
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const entry = bytes.slice(at, nameEnd);
    const extra = new Uint8Array(28);
    const [to, figures] = [new DataView(entry.buffer), new DataView(extra.buffer)];
    figures.setUint16(0, 1, true);
    figures.setUint16(2, 24, true);
    for (const [place, from] of [24, 20, 42].entries()) {
      figures.setBigUint64(4 + place * 8, BigInt(view.getUint32(at + from, true)), true);
      to.setUint32(from, 0xffff_ffff, true);
    }
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    to.setUint16(30, extra.length, true);
    to.setUint16(32, 0, true);
    pieces.push(entry, extra);
  }
  const end64Start = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const tail = new DataView(new ArrayBuffer(56 + 20 + 22));
  tail.setUint32(0, 0x06064b50, true);
  tail.setBigUint64(32, BigInt(count), true);
  tail.setBigUint64(48, BigInt(start), true);
  tail.setUint32(56, 0x07064b50, true);
  tail.setBigUint64(64, BigInt(end64Start), true);
  tail.setUint32(76, 0x06054b50, true);
  tail.setUint16(86, 0xffff, true);
  tail.setUint32(92, 0xffff_ffff, true);
  pieces.push(new Uint8Array(tail.buffer));
  return new Uint8Array(Buffer.concat(pieces));
}

describe("books", () => {
  const chapter = (body: string) =>
    `<html xmlns="x"><head><title/></head><body>${body}</body></html>`;
  const book = (metadata: string, items: string, spine: string, parts: Record<string, string>) =>
    extract("a", epub({ metadata, items, spine, parts }));

  it("keep their whole title with what is escaped in it, and the first of several", async () => {
    const { title } = await book(
      "<dc:title>Tides &amp; moles</dc:title><dc:title>A handbook</dc:title>",
      '<item id="a" href="a.xhtml"/>',
      '<itemref idref="a"/>',
      { "o/a.xhtml": chapter("<p>Text</p>") },
    );
    expect(title).toBe("Tides & moles");
  });

  it("find chapters by escaped names, skip pictures, and say which are missing", async () => {
    const { markdown, notes } = await book(
      "",
      '<item id="a" href="a%20b.xhtml"/><item id="c" href="c%20d.xhtml"/><item id="p" href="p.svg" media-type="image/svg+xml"/><item id="e" href="e.xhtml"/>',
      '<itemref idref="p"/><itemref idref="a"/><itemref idref="c"/><itemref idref="e"/>',
      {
        "o/a b.xhtml": chapter("<p>One</p>"),
        "o/c%20d.xhtml": chapter("<p>Two</p>"),
        "o/p.svg": "<svg><text>Drawn</text></svg>",
      },
    );
    expect(markdown).toBe("One\n\nTwo");
    expect(notes).toEqual(["1 chapter missing from the file"]);
  });

  it("have chapters whose names differ in capitals", async () => {
    const { markdown } = await book(
      "",
      '<item id="a" href="A.xhtml"/><item id="b" href="a.xhtml"/>',
      '<itemref idref="a"/><itemref idref="b"/>',
      { "o/A.xhtml": chapter("<p>One</p>"), "o/a.xhtml": chapter("<p>Two</p>") },
    );
    expect(markdown).toBe("One\n\nTwo");
  });

  it("close elements in themselves", async () => {
    const { markdown } = await book("", '<item id="a" href="a.xhtml"/>', '<itemref idref="a"/>', {
      "o/a.xhtml": chapter('<h2 id="x"/><p>Text<br/>goes on</p><iframe src="y"/><ul/><p>After</p>'),
    });
    expect(markdown).toBe("Text\ngoes on\n\nAfter");
  });

  const noise = Uint8Array.of(0x3c, 0x70, 0x3e, 0x81, 0x8d, 0x9d, 0xff, 0xfe, 0, 0x81);
  it.each([
    ["are read without the one whose encoding nothing tells", "<p>Good pages.</p>", "Good pages."],
    [
      "are all needed where there is no text without",
      noise,
      new Error("text encoding is not recognised"),
    ],
  ])("%s", async (_what, first, expected) => {
    const xhtml = 'media-type="application/xhtml+xml"';
    const book = epub({
      items: `<item id="a" href="a.xhtml" ${xhtml}/><item id="b" href="b.xhtml" ${xhtml}/>`,
      spine: '<itemref idref="a"/><itemref idref="b"/>',
      parts: { "o/a.xhtml": first, "o/b.xhtml": noise },
    });
    await expectRead(extract("a.epub", book), expected, ["1 chapter could not be read"]);
  });
});
