import { expect, it } from "vitest";

import { encode } from "../../../../support/encode-text.ts";
import { lineOf, pageOf } from "../../../../support/pdf-of.ts";
import { readPdf } from "../../../../support/read-document.ts";

const CHINESE = "安全规则对所有员工都是强制性的。";
const TRADITIONAL = "安全規則對所有員工都是強制性的。";
const JAPANESE = "安全規則はすべての従業員に義務付けられています。";
const KOREAN = "안전 규칙은 모든 직원에게 의무적입니다.";
/** Which no decoder of the platform knows: EUC-TW, and Johab of the word 안전. */
const EUC_TW = "c7f8c7c0ddbdd0ace8d7cdd4c8b4d4dec4d6dde7d1d2dab0ccb1cdcccefba1a4";
const JOHAB = "b465b8e5";

const utf16 = (text: string) => Buffer.from(text, "utf16le").swap16();
const bytesOf = (hex: string) => Buffer.from(hex, "hex");
const sevenBit = (bytes: Uint8Array) => bytes.map((byte) => byte & 0x7f);

/** A page whose font has no map to characters but the one that its encoding names. */
function pdfIn(cmap: string, ordering: string, text: Uint8Array): Uint8Array {
  return pageOf(
    lineOf(700, `[<${Buffer.from(text).toString("hex")}>]`),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${cmap} /DescendantFonts [6 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /DW 1000 /FontDescriptor 7 0 R /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> >>`,
    "<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 -100 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -100 /StemV 80 >>",
  );
}

const KNOWN: [cmap: string, ordering: string, bytes: Uint8Array, text: string][] = [
  ["GBK-EUC-H", "GB1", encode(`${CHINESE}喆`, "gb18030"), `${CHINESE}喆`],
  ["GBKp-EUC-H", "GB1", encode(CHINESE, "gb18030"), CHINESE],
  ["GBK2K-H", "GB1", encode(CHINESE, "gb18030"), CHINESE],
  ["GB-EUC-H", "GB1", encode(CHINESE, "gb18030"), CHINESE],
  ["GBpc-EUC-H", "GB1", encode(CHINESE, "gb18030"), CHINESE],
  ["UniGB-UCS2-H", "GB1", utf16(CHINESE), CHINESE],
  ["UniGB-UTF16-H", "GB1", utf16(CHINESE), CHINESE],
  ["KSC-EUC-H", "Korea1", encode(KOREAN, "euc-kr"), KOREAN],
  ["KSCpc-EUC-H", "Korea1", encode(KOREAN, "euc-kr"), KOREAN],
  ["KSCms-UHC-H", "Korea1", bytesOf("bec8c0fc2094ee"), "안전 뷁"],
  ["KSC-Johab-H", "Korea1", bytesOf(JOHAB), "안전"],
  ["UniKS-UCS2-H", "Korea1", utf16(KOREAN), KOREAN],
  ["UniKS-UTF16-H", "Korea1", utf16(KOREAN), KOREAN],
  ["CNS-EUC-H", "CNS1", bytesOf(EUC_TW), TRADITIONAL],
  ["B5pc-H", "CNS1", encode(TRADITIONAL, "big5"), TRADITIONAL],
  ["ETen-B5-H", "CNS1", encode(TRADITIONAL, "big5"), TRADITIONAL],
  ["ETenms-B5-H", "CNS1", encode(TRADITIONAL, "big5"), TRADITIONAL],
  ["HKscs-B5-H", "CNS1", encode(TRADITIONAL, "big5"), TRADITIONAL],
  ["UniCNS-UTF16-H", "CNS1", utf16(TRADITIONAL), TRADITIONAL],
  ["90ms-RKSJ-H", "Japan1", encode(JAPANESE, "shift_jis"), JAPANESE],
  ["90msp-RKSJ-H", "Japan1", encode(JAPANESE, "shift_jis"), JAPANESE],
  ["EUC-H", "Japan1", encode(JAPANESE, "euc-jp"), JAPANESE],
  ["H", "Japan1", sevenBit(encode(JAPANESE, "euc-jp")), JAPANESE],
  ["UniJIS-UCS2-H", "Japan1", utf16(JAPANESE), JAPANESE],
  ["UniJIS-UTF16-H", "Japan1", utf16(JAPANESE), JAPANESE],
];

it.each(KNOWN)("reads text in %s as the encoding it is", async (cmap, ordering, bytes, text) => {
  const { markdown, notes } = await readPdf(pdfIn(cmap, ordering, bytes));
  expect({ markdown, notes }).toEqual({ markdown: text, notes: [] });
});

it.each(["GBK-EUC-V", "GB-EUC-V"])("reads vertical text in %s", async (cmap) => {
  const { markdown } = await readPdf(pdfIn(cmap, "GB1", encode("安全", "gb18030")));
  expect(markdown.replace(/\s/g, "")).toBe("安全");
});

it("does not guess what an unknown map says", async () => {
  const reading = readPdf(pdfIn("UniGB-UTF8-H", "GB1", encode(CHINESE, "gb18030")));
  await expect(reading).rejects.toThrow(
    "PDF's text is coded by unknown character maps (UniGB-UTF8-H)",
  );
});
