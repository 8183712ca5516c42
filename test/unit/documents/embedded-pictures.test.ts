import { unzipSync } from "fflate";
import { expect, test } from "vitest";

import { Pictures } from "../../../src/documents/pictures/pictures.ts";
import PICTURES from "../../fixtures/pictures.json" with { type: "json" };
import { docx, odf, zipped } from "../../support/office-files.ts";
import { expectRead, extract, reads } from "../../support/read-document.ts";
import { picturesOf } from "../../support/sent-pictures.ts";

/** A PNG of this side; its pixels are never looked at. */
function pngOf(side: number): Uint8Array {
  const png = new Uint8Array(Buffer.from(PICTURES.png, "base64"));
  for (const at of [18, 22]) png.set([side >> 8, side & 255], at);
  return png;
}

const RELATIONSHIPS = ["rId1", "rId2"].map(
  (id, at) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/${at}.png"/>`,
);
const BLIPS = ["rId1", "rId2"].map(
  (id) => `<w:r><w:drawing><a:blip r:embed="${id}"/></w:drawing></w:r>`,
);
const WORD = zipped({
  "word/document.xml": `<w:document><w:body><w:p><w:r><w:t>Above.</w:t></w:r></w:p><w:p>${BLIPS.join("")}</w:p><w:p><w:r><w:t>Below.</w:t></w:r></w:p></w:body></w:document>`,
  "word/_rels/document.xml.rels": `<Relationships>${RELATIONSHIPS.join("")}</Relationships>`,
  "word/media/0.png": pngOf(300),
  "word/media/1.png": pngOf(299),
});
const base64 = Buffer.from(pngOf(400)).toString("base64");
const MAIL = new TextEncoder().encode(
  `From: a@example.com\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>Above.</p><img src="cid:1">\n--b\nContent-Type: image/png\nContent-ID: <1>\nContent-Transfer-Encoding: base64\n\n${base64}\n--b--\n`,
);

test.each([
  ["a.docx", WORD, "Above.\n\nPicture: The gates open at six.\n\nBelow."],
  ["a.eml", MAIL, "Above.\n\nPicture: The gates open at six."],
])("pictures within %s are read where the source says so", async (name, bytes, text) => {
  const { pictures, document } = await picturesOf(name, bytes, { readsPictures: true });
  expect(pictures).toHaveLength(1);
  expect(document.markdown).toContain(text);
  const [span] = document.recognised ?? [];
  expect(document.markdown.slice(span?.start, span?.end)).toBe("Picture: The gates open at six.");
  const without = await picturesOf(name, bytes);
  expect(without.pictures).toEqual([]);
  expect(without.document).toMatchObject({ skipped: 1, notes: [] });
});

test("pictures beyond those that are read are told of", async () => {
  const pictures = new Pictures({
    readPicture: async () => ({ text: "A", by: "local/eye" }),
    readsPictures: true,
  });
  const make = async () => ({ bytes: new Uint8Array(1), mediaType: "image/png" });
  for (let page = 1; page <= 2_002; page++) await pictures.add(make, page);
  expect(pictures.notes).toContain(
    "pages 2001 and 2002 were left out: 2000 pictures of a file are read",
  );
});

const HEADER = "<w:hdr><w:p><w:r><w:t>Draft of May</w:t></w:r></w:p></w:hdr>";
const EMPTY = "<w:p/>";
const body = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const ALONE = "only headers and footers have text";
const odt = (text: string) =>
  zipped({
    ...unzipSync(odf("text", text)),
    "styles.xml":
      "<s><master-styles><style:master-page><style:header><text:p>Draft of May</text:p></style:header></style:master-page></master-styles></s>",
  });

reads("a.docx", {
  "a Word document without text gives its header": [
    docx(EMPTY, { h: ["header", HEADER], f: ["footer", EMPTY] }),
    "Draft of May",
    ALONE,
  ],
  "a Word document with text leaves its header out": [
    docx(body("Above."), { h: ["header", HEADER] }),
    "Above.",
  ],
  "a document without text says which files and pictures it holds": [
    docx(EMPTY, {
      "plan.xlsx": ["package", "x"],
      "p.png": ["image", pngOf(300)],
      h: ["header", EMPTY],
    }),
    new Error("no text found; 1 embedded file left out: plan.xlsx; 1 picture left out"),
  ],
});
reads("a.odt", {
  "an OpenDocument text without text gives its header": [odt("<text:p/>"), "Draft of May", ALONE],
  "an OpenDocument text with text leaves its header out": [
    odt("<text:p>Above.</text:p>"),
    "Above.",
  ],
});

const PICTURE = "iVBORw0KGgo/+AAA".repeat(600);
test.each([
  // As Google exports a document.
  [
    "a.md",
    `![a valve][image1] Twice.\n\n[image1]: <data:image/png;base64,${PICTURE}>`,
    "![a valve][image1] Twice.\n\n[image1]: <data:image/png>",
  ],
  [
    "a.json",
    `["data:image\\/png;base64,${PICTURE.replaceAll("/", "\\/")}\\nTwice"]`,
    "- data:image/png\n  Twice",
  ],
  [
    "a.fb2",
    `<?xml version="1.0"?><FictionBook><body><p>Twice</p></body><binary id="a" content-type="image/png">${PICTURE}</binary></FictionBook>`,
    "Twice",
  ],
  [
    "a.txt",
    "Write data:text/plain;base64,SGk= for it.",
    "Write data:text/plain;base64,SGk= for it.",
  ],
])(
  "bytes of a picture in %s are no text, an example of an address is",
  async (name, text, expected) => {
    await expectRead(extract(name, text), expected);
  },
);
