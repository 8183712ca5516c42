import { describe, expect, it } from "vitest";

import { runToEnd } from "../../../../../src/core/work/cooperative.ts";
import { segmentsOf } from "../../../../../src/documents/formats/pdf/layout/page-segments.ts";
import { HELVETICA, lineOf, pageOf, pdfOf, pdfStream } from "../../../../support/pdf-of.ts";
import { expectRead, readPdf } from "../../../../support/read-document.ts";

describe("letters whose accents are drawn apart, as older TeX does", () => {
  it.each([
    ["[(Die Gr\\250) 333 (o\\337e f\\250) 333 (ur alle)]", "Die Größe für alle"],
    ["[(Jede ) -194 (\\250) 527 (Uberfahrt, M\\250) 333 (unz)]", "Jede Überfahrt, Münz"],
    ["[(miejscowo) -83 (\\264) 416 (s) -83 (\\264) 416 (c)]", "miejscowość"],
    ["[(uko) -111 (\\264) 444 (nczony)]", "ukończony"],
    ["[(gar) 0 (c) 417 (\\270) 84 (on)]", "garçon"],
  ])("%s", async (drawn, expected) => {
    expect((await readPdf(pageOf(lineOf(700, drawn)))).markdown).toBe(expected);
  });

  it("leaves accents alone that stand by themselves", async () => {
    const drawn = "[(Der Akut ) (\\264) ( und das Trema ) (\\250)]";
    expect((await readPdf(pageOf(lineOf(700, drawn)))).markdown).toBe("Der Akut ´ und das Trema ¨");
  });
});

it("keeps figures and words apart from figures that are raised behind them", async () => {
  const raised = (figures: string) => `/F1 7 Tf 4 Ts (${figures}) Tj 0 Ts /F1 10 Tf `;
  const drawn = `(See 3 4 at 10) Tj ${raised("1")}${raised("2")}( Hz by 5 m) Tj ${raised("2")}(, in the room) Tj ${raised("1")}(, the 4) Tj ${raised("th")}(.) Tj 0 -40 Td ${raised("1")}(/2 h is enough.) Tj`;
  const { markdown } = await readPdf(pageOf(`BT /F1 10 Tf 50 700 Td ${drawn} ET`));
  expect(markdown).toBe(
    "See 3 4 at 10^12 Hz by 5 m^2, in the room^1, the 4th.\n\n1/2 h is enough.",
  );
});

describe("fonts that are coded by the glyphs of a known collection", () => {
  const font = (collection: string, encoding: string) => [
    `<< /Type /Font /Subtype /Type0 /BaseFont /Any-${encoding} /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (${collection}) /Supplement 2 >> /DW 1000 /FontDescriptor 7 0 R >>`,
    "<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>",
  ];
  // Numbers as poppler-data has them.
  it.each([
    [
      "Japan1",
      "07d303740cd603940aa703780ca7035a095a0394027b0b480015001309da02a2205c02a3",
      "港に入る船は届け出る。第42条（凜）",
    ],
    [
      "GB1",
      "0dee10b5052f11ba04410fb605a8083a01110449077c001200130062",
      "所有船只必须登记，编号12。",
    ],
    ["CNS1", "0ca5027906590b7509f300f71465006515af", "港口的船隻→薦、羅"],
    [
      "Korea1",
      "0ce604b309c00001065c09af09df05d7000107d305d700010e5e166e",
      "항구에 들어오는 배는 更新",
    ],
  ])("%s", async (collection, codes, text) => {
    const [font0 = "", ...more] = font(collection, "Identity-H");
    const { markdown, notes } = await readPdf(pageOf(lineOf(700, `[<${codes}>]`), font0, ...more));
    expect(markdown.normalize("NFKC")).toBe(text.normalize("NFKC"));
    expect(notes).toEqual([]);
  });
});

describe("lines that are read from the right", () => {
  const UPRIGHT = [1, 0, 0, -1, 0, 800];
  /** Each part from where it begins; a letter is half as wide as it is high. */
  const linesOf = (parts: [string, number][]) => {
    const items = parts.map(([str, x]) => ({
      str,
      transform: [10, 0, 0, 10, x, 700],
      width: str.length * 5,
      height: 10,
      fontName: "f",
    }));
    return runToEnd(segmentsOf(items, UPRIGHT)).map(({ text }) => text);
  };
  const glyphs = (text: string, x: number, step: number) =>
    [...text].map((glyph, at): [string, number] => [glyph, x + at * step]);

  it("glyph by glyph from the left, as Chromium draws them", () => {
    const drawn = glyphs("ﺐﻌﻠﻣ", 100, 5).concat(glyphs("ﻞﺼﻓ", 125, 5));
    expect(linesOf(drawn)).toEqual(["فصل ملعب"]);
  });

  it("glyph by glyph from the right, as XeTeX draws them", () => {
    const drawn = glyphs("ספינה", 200, -5).concat(glyphs("בנמל", 170, -5));
    expect(linesOf(drawn)).toEqual(["ספינה בנמל"]);
  });

  it("words from the left, each drawn from the right, around a number and a name", () => {
    const drawn: [string, number][] = [
      ["Harbour log", 60],
      ...glyphs("ביומן", 140, -5),
      ["14:30", 150],
      ...glyphs("בשעה", 195, -5),
      ...glyphs("השער", 220, -5),
    ];
    expect(linesOf(drawn)).toEqual(["השער בשעה 14:30 ביומן Harbour log"]);
  });

  it("within a line that is read from the left", () => {
    const drawn: [string, number][] = [
      ["The word is", 50],
      ...glyphs("בנמל", 125, -5),
      ["and stands for the port", 135],
    ];
    expect(linesOf(drawn)).toEqual(["The word is בנמל and stands for the port"]);
  });

  it("within a part of a line that is read from the left", () => {
    const line = "He said the word שלום to";
    expect(
      linesOf([
        [line, 50],
        ["everyone", 173],
        ["there.", 216],
      ]),
    ).toEqual([`${line} everyone there.`]);
  });

  it("as much as from the left: the first letter says from where", () => {
    const mixed = (first: string, second: string) =>
      linesOf([
        [first, first < "א" ? 50 : 77],
        [second, first < "א" ? 75 : 50],
      ]);
    expect(mixed("port", "נמלו")).toEqual(["port נמלו"]);
    expect(mixed("נמלו", "port")).toEqual(["נמלו port"]);
  });

  it("keeps columns apart", () => {
    expect(
      linesOf([
        ["ספינה", 300],
        ["בנמל", 100],
      ]),
    ).toEqual(["ספינה", "בנמל"]);
  });
});

it("shows ideographs where a writer names the radicals that look alike", () => {
  const transform = [10, 0, 0, 10, 50, 700];
  const item = { str: "港⻑が⻘い⾨を⻄に", transform, width: 90, height: 10, fontName: "f" };
  expect(runToEnd(segmentsOf([item], [1, 0, 0, -1, 0, 800]))[0]?.text).toBe("港長が青い門を西に");
});

it("reads a form's values beside its labels, and no hidden or secret value", async () => {
  const field = (at: number, entries: string) =>
    `<< /Type /Annot /Subtype /Widget /F 4 /P 3 0 R /Rect [200 ${at} 400 ${at + 20}] /DA (/F1 10 Tf 0 g) ${entries} >>`;
  const fields = [
    field(695, "/FT /Tx /T (a) /V (Ingeborg Halvorsen)"),
    field(655, "/FT /Ch /T (b) /V (Saltholm) /Opt [(Saltholm) (Other)] /Ff 131072"),
    field(615, "/FT /Btn /T (c) /V /Yes /AS /Yes /AP << /N << /Yes 12 0 R /Off 12 0 R >> >>"),
    field(575, "/FT /Tx /T (d) /Ff 8192 /V (secret)"),
    field(535, "/FT /Tx /T (e) /V (unseen)").replace("/F 4", "/F 2"),
    "<< /Type /Annot /Subtype /FreeText /F 4 /Rect [50 480 300 500] /DA (/F1 10 Tf 0 g) /Contents (Paid at the gate) >>",
  ];
  const labels = ["Name:", "Port:", "Insured:", "Password:", "Other:"];
  const bytes = pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${fields.map((_unused, at) => `${at + 6} 0 R`).join(" ")}] >> >>`,
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [${fields.map((_unused, at) => `${at + 6} 0 R`).join(" ")}] >>`,
    pdfStream(labels.map((label, at) => lineOf(700 - at * 40, `[(${label})]`)).join("")),
    HELVETICA,
    ...fields,
    pdfStream("", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"),
  ]);
  const { markdown } = await readPdf(bytes);
  expect(markdown.replace(/[|\s-]+/g, " ").trim()).toBe(
    "Name: Ingeborg Halvorsen Port: Saltholm Insured: ☑ Password: Other: Paid at the gate",
  );
});

it("notes files that a PDF holds beside its pages", async () => {
  const bytes = pageOf(
    lineOf(700, "[(Open this portfolio in another viewer.)]"),
    HELVETICA,
    "<< /Names [(a.txt) << /Type /Filespec /EF << /F 7 0 R >> >> (b.txt) 8 0 R] >>",
    pdfStream("Prices", "/Type /EmbeddedFile"),
    "<< /Type /Filespec /EF 9 0 R >>",
    "<< /F 7 0 R >>",
  );
  await expect(readPdf(bytes)).resolves.toMatchObject({
    markdown: "Open this portfolio in another viewer.",
    notes: ["2 embedded files left out"],
  });
});

it.each([
  ["is no text where a form of another kind replaces it", "true", new Error("(XFA)")],
  ["is read where it shows the form itself", "false", "Please wait for the form."],
])("a page %s", async (_what, replaced, expected) => {
  const pdf = pageOf(
    lineOf(700, "[(Please wait for the form.)]"),
    HELVETICA,
    "<< /FT /Tx /T (a) >>",
    pdfStream("<xdp/>"),
  );
  const form = `/Catalog /NeedsRendering ${replaced} /AcroForm << /Fields [6 0 R] /XFA 7 0 R >>`;
  const text = Buffer.from(pdf).toString("latin1").replace("/Catalog", form);
  await expectRead(readPdf(new Uint8Array(Buffer.from(text, "latin1"))), expected);
});
