import { expect, it } from "vitest";

import { runToEnd } from "../../../../../src/core/work/cooperative.ts";
import { ObjectSigns } from "../../../../../src/documents/formats/pdf/bounds/object-signs.ts";
import { UnmappedFonts } from "../../../../../src/documents/formats/pdf/fonts/unmapped-fonts.ts";
import { HELVETICA, pageOf, pdfOf, pdfStream } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

const PAGE = "/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]";
const line = (font: string, y: number, text: string) =>
  `BT /${font} 8 Tf 50 ${y} Td ${text} Tj ET\n`;

it("keeps languages and codes of all kinds where a font without a map is about", () => {
  const fonts = new UnmappedFonts({ unmapped: 1, mapped: 1 });
  const item = (fontName: string, str: string) => ({
    fontName,
    str,
    transform: [],
    width: 1,
    height: 1,
  });
  const readable = item("a", "Cửa cống mở lúc sáu giờ sáng và đóng lúc chín giờ tối mỗi ngày");
  const enciphered = item("b", "7KHNHHSHUULQJVWKHEHOOZKHQERDWVZDLWEHORZWKHJDWHV");
  const codes = item("c", "QX-7 KVB 12 ZWD 44 GHP 9 FFL 30 MKX 8 BVQ 71 DJW 5 CUP 66 GYB 3 LMK 18");
  expect(runToEnd(fonts.withoutUnreadable([readable, enciphered, codes]))).toEqual([
    readable,
    codes,
  ]);
});

it("reads the pages that can be read where most fonts do not say what they show", async () => {
  const sentence = "The keeper rings the bell twice when boats wait below the gates of the lock";
  const readable = [700, 690, 680, 670].map((y) => line("F1", y, `(${sentence})`)).join("");
  const glyphs = [...sentence.repeat(3)]
    .map((letter) => (letter.charCodeAt(0) - 29).toString(16).padStart(4, "0"))
    .join("");
  const unreadable = [700, 690, 680].map((y) => line("F2", y, `<${glyphs}>`)).join("");
  const fonts = "/Resources << /Font << /F1 6 0 R /F2 7 0 R >> >>";
  const document = await readPdf(
    pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>",
      `<< ${PAGE} /Contents 9 0 R ${fonts} >>`,
      `<< ${PAGE} /Contents 10 0 R ${fonts} >>`,
      "null",
      HELVETICA,
      "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [8 0 R] >>",
      "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 >>",
      pdfStream(readable),
      pdfStream(unreadable),
    ]),
  );
  expect(document.markdown).toBe(Array.from({ length: 4 }, () => sentence).join(" "));
  expect(document.notes).toEqual(["text in fonts without a map to characters left out"]);
});

it("a tagged PDF is read by its looks where its tree would cost too much", () => {
  const isLarge = (...texts: string[]) => {
    const signs = new ObjectSigns();
    for (const text of texts) signs.add(text);
    return signs.isTreeLarge;
  };
  const kids = "12 0 R ".repeat(20_000);
  expect(isLarge(`/K [${kids}] /S /Document`)).toBe(false);
  expect(isLarge(`/K [${kids}`, `${kids}] /S /Document`)).toBe(true);
  expect(isLarge("<< /S /P /K [0] >>".repeat(600_000))).toBe(true);
  const places = `/K [1 0 R]\nxref\n0 14000\n${"0000000009 00000 n \n".repeat(14_000)}`;
  expect(isLarge(`${places}trailer << /ID [<aa> <bb>] >>`)).toBe(false);
});

it("knows headings by their font on the last of many pages, too", async () => {
  const body = [740, 730, 680, 670, 660].map((y) => line("F1", y, "(Boats wait below the gates)"));
  const pages = Array.from({ length: 101 }, (_, at) => at + 6);
  const document = await readPdf(
    pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Count 101 /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] >>`,
      HELVETICA,
      HELVETICA.replace("Helvetica", "Helvetica-Bold"),
      pdfStream(body.join("") + line("F2", 700, "(Fees)")),
      ...pages.map(
        () => `<< ${PAGE} /Contents 5 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>`,
      ),
    ]),
  );
  expect(document.markdown.match(/^# Fees$/gm)).toHaveLength(101);
});

it("reads variants of letters and figures, and glyphs that join several", async () => {
  const names = "one.taboldstyle threeoldstyle Nsmall f_f_i uni0105.sc T_h hyphen.case";
  const differences = names
    .split(" ")
    .map((name) => `/${name}`)
    .join(" ");
  const font = HELVETICA.replace("/WinAnsiEncoding", `<< /Differences [65 ${differences}] >>`);
  const { markdown } = await readPdf(pageOf("BT /F1 10 Tf 50 700 Td (ABCDEFG) Tj ET", font));
  expect(markdown).toBe("13nffiąTh-");
});

it("takes no other private character for a variant, and no number for a character", async () => {
  const font = HELVETICA.replace("/WinAnsiEncoding", "<< /Differences [65 /uF7B5 /uFFFFFF.alt] >>");
  const { markdown } = await readPdf(pageOf("BT /F1 10 Tf 50 700 Td (ABC) Tj ET", font));
  expect(markdown).toBe("\uf7b5BC");
});
