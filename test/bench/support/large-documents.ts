import { HOSTILE_FILES } from "../../support/hostile-files.ts";
import { LONG_FILES } from "../../support/long-files.ts";
import * as office from "../../support/office-files.ts";
import { bytesOf } from "../../support/read-document.ts";
import { EMOJI, eml, emlHead, emlWith, forwarded, quotedPrintable } from "./large-mail.ts";
import { pdf } from "./large-pdf.ts";
import { cut, noise, paragraphs, withHidden } from "./large-texts.ts";

const MIB = 1 << 20;
const LIMIT = 25 * MIB;

/** A file of the kind that this name has, with so much text. */
function fileOf(name: string, mebibytes: number, change = (text: string) => text): Uint8Array {
  const texts = [...paragraphs(mebibytes * MIB)].map(change);
  return bytesOf(LONG_FILES[name]?.(texts) ?? "");
}

const textOf = (name: string, mebibytes: number) =>
  new TextDecoder().decode(fileOf(name, mebibytes));

function sharedXlsx(mebibytes: number): Uint8Array {
  const texts = [...paragraphs(mebibytes * MIB)];
  return office.xlsx(texts.map((_text, at) => `<row><c t="s"><v>${at}</v></c></row>`).join(""), {
    strings: texts.map((text) => `<si><t>${text}</t></si>`).join(""),
  });
}

/** A picture of so much that nothing shrinks. */
const pictured = (mebibytes: number) =>
  office.docx(
    "<w:p><w:r><w:t>Beds</w:t></w:r></w:p>",
    {},
    { "word/media/picture.png": noise(mebibytes * MIB) },
  );

export type LargeDocument = {
  label: string;
  name: string;
  /** Collecting garbage all the time would take too long. */
  hasManyPages?: boolean;
  make: () => Uint8Array;
};

/** Documents of 25 MiB where the type allows it, or of as much text as is taken. */
const WRITTEN: [label: string, name: string, mebibytes: number][] = [
  ["text, 25 MiB", "beds.txt", 26],
  ["Markdown, 25 MiB", "beds.md", 26],
  ["HTML, 25 MiB", "beds.html", 26],
  ["JSON, 25 MiB", "beds.json", 20.5],
  ["XML, 25 MiB", "beds.xml", 20],
  ["CSV, 25 MiB", "beds.csv", 26],
  ["DOCX, text only", "beds.docx", 24],
  ["ODT, text only", "beds.odt", 24],
  ["EPUB, text only", "beds.epub", 24],
  ["PPTX, text only", "beds.pptx", 8],
  ["XLSX, text only", "beds.xlsx", 18],
  ["RTF, 25 MiB", "beds.rtf", 24.8],
];

/** One emoji makes a string of a text two bytes a character. */
const MADE: [label: string, name: string, make: () => Uint8Array][] = [
  ["DOCX, 25 MiB of pictures", "large.docx", () => pictured(23)],
  ["XLSX, shared strings", "shared.xlsx", () => sharedXlsx(9)],
  ["EML, base64", "large.eml", () => cut(eml(textOf("beds.md", 18.5)), LIMIT)],
  [
    "EML, quoted-printable",
    "large.eml",
    () => cut(quotedPrintable(EMOJI + textOf("beds.md", 25)), LIMIT),
  ],
  [
    "EML, HTML, an emoji",
    "large.eml",
    () => cut(emlHead("8bit", "html") + EMOJI + textOf("beds.html", 25), LIMIT),
  ],
  [
    "EML, within three mails",
    "large.eml",
    () => forwarded(emlHead("8bit") + EMOJI + textOf("beds.md", 19), 3),
  ],
  [
    "EML with three DOCX",
    "large.eml",
    () =>
      emlWith({
        "a.docx": fileOf("beds.docx", 12),
        "b.docx": fileOf("beds.docx", 6),
        "c.docx": pictured(10),
      }),
  ],
  [
    "EML with three workbooks",
    "large.eml",
    () =>
      emlWith({
        "a.xlsx": fileOf("beds.xlsx", 12),
        "b.xlsx": fileOf("beds.xlsx", 6),
        "c.xlsx": sharedXlsx(5),
      }),
  ],
  ["PDF, 25 MiB with pictures, 500 pages", "large.pdf", () => pdf(2.2 * MIB, 23 * MIB)],
  [
    "text, a hidden character in nine",
    "hidden.txt",
    () => cut(withHidden(textOf("beds.txt", 20)), LIMIT),
  ],
  ["DOCX, a hidden character in nine", "hidden.docx", () => fileOf("beds.docx", 22, withHidden)],
];

const MANY_PAGES: [label: string, name: string, make: () => Uint8Array][] = [
  ["PDF, text only", "text.pdf", () => pdf(24 * MIB)],
  [
    "EML with three PDFs",
    "large.eml",
    () => emlWith({ "a.pdf": pdf(8 * MIB), "b.pdf": pdf(8 * MIB), "c.pdf": pdf(8 * MIB, 5 * MIB) }),
  ],
];

export const LARGE_DOCUMENTS: LargeDocument[] = [
  ...WRITTEN.map(([label, name, mebibytes]) => {
    const isPacked = /\.(docx|odt|epub|pptx|xlsx)$/.test(name);
    const make = () => fileOf(name, mebibytes);
    return { label, name, make: isPacked ? make : () => make().slice(0, LIMIT) };
  }),
  ...MADE.map(([label, name, make]) => ({ label, name, make })),
  ...MANY_PAGES.map(([label, name, make]) => ({ label, name, make, hasManyPages: true })),
  // Files made to break their reader: most are small, and end as an error.
  ...HOSTILE_FILES.map(([name, bytes]) => ({ label: `hostile: ${name}`, name, make: () => bytes })),
];
