import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { extractDocument, UnreadableDocument } from "../../../../src/documents/extract-document.ts";
import { encode } from "../../../support/encode-text.ts";

const utf16 = (text: string, isBigEndian: boolean) => {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at++)
    view.setUint16(at * 2, text.charCodeAt(at), !isBigEndian);
  return bytes;
};

const readText = async (bytes: Uint8Array, name = "a.txt", mimeType: string | null = null) =>
  (await extractDocument({ name, mimeType, bytes })).markdown;

const TEXTS: [encodings: string, text: string][] = [
  [
    "windows-1252 iso-8859-15",
    "Les élèves ont été très gênés à l'école où le garçon reçoit un gâteau.",
  ],
  ["windows-1252 macintosh", "Die Größe der Tür wäre übrigens für Müller schön."],
  ["windows-1252", "¿Dónde está el niño? Mañana irá al colegio – “con su mamá”."],
  ["windows-1250 iso-8859-2", "Zażółć gęślą jaźń, proszę przyjść później do biura w Łodzi."],
  ["windows-1250 iso-8859-2", "Příliš žluťoučký kůň úpěl ďábelské ódy v městě."],
  ["windows-1254", "Şirketimizin güvenlik politikası çalışanlar için açıklanmıştır."],
  ["windows-1257", "Įmonės darbuotojų saugos taisyklės yra labai svarbios, žinoma."],
  ["windows-1251 koi8-r ibm866 iso-8859-5", "Правила внутреннего распорядка обязательны для всех."],
  ["windows-1253", "Οι κανόνες ασφαλείας είναι υποχρεωτικοί για όλους."],
  ["windows-1255", "כללי הבטיחות הם חובה לכל העובדים."],
  ["windows-1256", "قواعد السلامة إلزامية لجميع الموظفين في الشركة."],
  ["windows-874", "กฎความปลอดภัยเป็นข้อบังคับสำหรับพนักงานทุกคน"],
  ["shift_jis euc-jp", "安全規則はすべての従業員に義務付けられています。"],
  ["gb18030", "安全规则对所有员工都是强制性的。"],
  ["big5", "安全規則對所有員工都是強制性的，請遵守。"],
  ["euc-kr", "안전 규칙은 모든 직원에게 의무적입니다."],
];
const cases = TEXTS.flatMap(([encodings, text]) =>
  encodings.split(" ").map((encoding) => [encoding, text] as const),
);

/** Texts with few letters beyond ASCII, whose encoding the words around these decide. */
const FEW_LETTERS: [encoding: string, text: string][] = [
  ["windows-1252", "Bij het opstarten wordt het bestand niet geopend; zie de reële coëfficiënt."],
  ["windows-1252", "Questo è il nome della porta, e non è possibile cambiarlo dopo la stampa."],
  ["windows-1252", "El paquet instal·lat és a la instal·lació del sistema i no es pot treure."],
  ["windows-1252", "¿Qué es esto? ¿Por qué?"],
  ["windows-1252", "Écrit par Hélène, revu par François et imprimé par Noël."],
  ["windows-1252", "Að þessu sinni var það ákveðið að hafa það svona."],
  ["windows-1252", "He drives a Citroën to the office and is happy with it."],
  ["windows-1257", "Žemės ūkio ministerija, Vilniaus rajonas"],
  ["windows-1250", "Acest manual este pentru cei care vor să adauge măsuri, sau poate unui coleg."],
  ["iso-8859-7", "Άδεια χρήσης: Άνθρωποι και φορείς που Άλλοι όρισαν, όπως ορίζει η παρούσα."],
  ["gb18030", "│名称│────────│\n│系统管理员│──│\n│用户和密码的设置│──│────│"],
  ["euc-kr", "│ 이름을 입력하세요 │\n├──────────┤\n│──────────│"],
  ["euc-jp", "新潟県,渡辺,総務部\n鹿児島県,斎藤,購買課\n神奈川県,佐々木,営業部"],
  ["gb18030", "北京"],
  ["shift_jis", "請求書"],
  ["euc-jp", "231;鉛筆;在庫\n407;電池;出荷済\n552;冷蔵庫;未払\n"],
  ["euc-jp", "1,小山剛,和歌山\n2,佐々木達也,津\n3,阿部修,那覇\n"],
  ["euc-jp", "埼玉県,379\n徳島,797\n三重県,713\n一宮,493\n愛知県,203\n"],
  ["gb18030", "上海,360\n海口,333\n安徽省,995\n无锡,31\n广东省,889\n"],
  ["gb18030", "王秀英,财务部\n刘志强,采购部\n陈建国,仓库\n"],
  ["euc-kr", "서울,12\n부산,40\n제주,7\n"],
  ["euc-kr", "도움말,197\n오류,920\n우유,604\n"],
  ["euc-kr", "쌀\n울산\n최지우\n오류\n"],
  ["shift_jis", "東京"],
  ["windows-1252", "The word «notice» in §§ 5 and 7 means 20 × 30, at most 5 ¢ (¶ 2)."],
  ["windows-1252", "El 1º de mayo y la 2ª planta."],
  ["windows-1252", "Å,1\n2,3\n"],
  ["windows-1250", "Name;Ort\nŁukasz;Lublin\nŁucja;Warszawa\n"],
  ["windows-1250", "Łukasz\n".repeat(9)],
  ["windows-1251", "МЯСО РЫБА ИМЯ"],
  ["windows-1251", "Хліб Київ\nЦіна Одеса"],
  ["iso-8859-2", "Firma;Auto\nA;Škoda Fabia\nB;Škoda Octavia"],
  ["windows-1252", "•First item\n•Inside\n•Later\n•Other\n•Under"],
];

describe("text that declares no encoding", () => {
  it.each(FEW_LETTERS)("is read as %s: %s", async (encoding, text) => {
    expect(await readText(encode(text, encoding))).toBe(text);
  });

  it.each(cases)("%s: %s", async (encoding, text) => {
    expect(await readText(encode(text, encoding))).toBe(text);
  });

  it("says which encoding is assumed where another fits as well", async () => {
    const notesOf = async (text: string, encoding: string) =>
      (await extractDocument({ name: "a.txt", mimeType: null, bytes: encode(text, encoding) }))
        .notes;
    const places = "南京,325\n海口,242\n四川省,826\n河南省,818\n江苏省,693\n";
    expect(await notesOf(places, "gb18030")).toEqual(["text encoding is assumed to be GB18030"]);
    expect(await notesOf("王秀英,财务部\n刘志强,采购部\n陈建国,仓库\n", "gb18030")).toEqual([]);
  });

  it.each([true, false])("UTF-16 without a mark (big-endian: %s)", async (isBigEndian) => {
    for (const text of ["Plain words only.", "Правила для всех.", "안전 규칙은 모두.\n그렇다."]) {
      expect(await readText(utf16(text, isBigEndian))).toBe(text);
    }
    // Two of its characters are the number of one in UTF-32.
    expect((await readText(utf16("1\n2\n", isBigEndian))).trim()).toBe("1\n2");
  });

  it("bears a few damaged characters in UTF-8, and says so", async () => {
    const good = new TextEncoder().encode("ä".repeat(200));
    const bytes = new Uint8Array([...good, 0xc3, 0x20, 0x61]);
    const document = await extractDocument({ name: "a.txt", mimeType: null, bytes });
    expect(document.markdown).toBe(`${"ä".repeat(200)}\ufffd a`);
    expect(document.notes).toEqual(["1 character was damaged and replaced"]);
  });

  it("is an error where no encoding reads like language", async () => {
    const noise = Uint8Array.from(
      { length: 900 },
      (_unused, at) => 0x80 + ((at * 7919 + at * at) % 0x7f),
    );
    await expect(readText(noise)).rejects.toThrow(UnreadableDocument);
    await expect(readText(noise)).rejects.toThrow("text encoding is not recognised");
  });
});

it("believes what is declared beside or inside the document", async () => {
  const text = "Ärger";
  expect(
    await readText(encode(text, "windows-1250"), "a.txt", "text/plain; charset=windows-1250"),
  ).toBe(text);
  const html = `<meta charset="koi8-r"><p>ПРИКАЗ</p>`;
  expect(await readText(encode(html, "koi8-r"), "a.html")).toBe("ПРИКАЗ");
  const xml = `<?xml version="1.0" encoding="windows-1251"?><note>ПРИКАЗ</note>`;
  expect(await readText(encode(xml, "windows-1251"), "a.xml")).toBe("- note: ПРИКАЗ");
});

/** Written by Python's codecs, which share nothing with the runtime's decoders. */
const WRITTEN = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../fixtures/encodings.json"), "utf8"),
) as { encoding: string; text: string; base64: string }[];

describe("short texts as another writer encodes them", () => {
  it.each(WRITTEN)("$encoding: $text", async ({ text, base64 }) => {
    expect(await readText(new Uint8Array(Buffer.from(base64, "base64")))).toBe(text);
  });

  it("are read as they are where Latin-1 is declared, which fits all bytes", async () => {
    const texts = ["gb18030", "koi8-r", "shift_jis", "latin-1"].map((name) =>
      WRITTEN.findLast(({ encoding }) => encoding === name),
    );
    for (const { text, base64 } of texts.filter((entry) => entry !== undefined)) {
      const bytes = new Uint8Array(Buffer.from(base64, "base64"));
      expect(await readText(bytes, "a.txt", "text/plain; charset=iso-8859-1")).toBe(text);
    }
  });

  it.each(["Chapter two \xb2\xb3\xb9", "A name \xf8\xf8\xf8", "G\xd3\xd0 means good"])(
    "with a few signs stay Latin-1 where it is declared: %j",
    async (text) => {
      const bytes = new Uint8Array(Buffer.from(text, "latin1"));
      expect(await readText(bytes, "a.txt", "text/plain; charset=iso-8859-1")).toBe(text);
    },
  );

  it.each([
    ["a single letter of KOI8-R", "koi8-r", "в"],
    ["a single letter of Windows-1251", "windows-1251", "в"],
    ["a single letter of KOI8-R that Windows-1252 has not", "koi8-r", "▐;34"],
    ["a place name in Big5", "big5", "台北市"],
  ])("%s is an error: it reads as well in other encodings", async (_what, encoding, text) => {
    await expect(readText(encode(text, encoding))).rejects.toThrow(
      "text encoding is not recognised",
    );
  });

  it("keeps UTF-8 whose last character is cut in two, and says so", async () => {
    const bytes = new TextEncoder().encode("Größe").subarray(0, 5);
    const document = await extractDocument({ name: "a.txt", mimeType: null, bytes });
    expect(document.markdown).toBe("Gr\u00f6\ufffd");
    expect(document.notes).toEqual(["1 character was damaged and replaced"]);
  });

  it("does not take noise for text", async () => {
    let seed = 7;
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16;
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, (_unused, at) => {
        const bytes = Uint8Array.from({ length: 20 + (at % 200) }, () => 0x20 + (next() % 0xe0));
        return readText(bytes).then(
          () => 1,
          () => 0,
        );
      }),
    );
    expect(outcomes.reduce((sum: number, each) => sum + each, 0)).toBe(0);
  });
});

describe("a declaration of UTF-16 in a document of bytes", () => {
  const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const TEXT = "Die Größe der Tür wäre übrigens für Müller schön.";

  it.each([
    ["a.html", `<meta charset="utf-16"><p>${TEXT}`, TEXT],
    ["a.html", `<meta charset="UTF-16LE"><p>${TEXT} `, TEXT],
    ["a.html", `<meta charset="unicode"><p>${TEXT}`, TEXT],
    ["a.xml", `<?xml version="1.0" encoding="UTF-16"?><note>${TEXT}</note>`, `- note: ${TEXT}`],
    ["a.xml", `<?xml version="1.0" encoding="UTF-16"?><note>${TEXT} </note>`, `- note: ${TEXT}`],
  ])("is not believed: %s %s", async (name, text, expected) => {
    expect(await readText(latin(text), name)).toBe(expected);
    expect(await readText(new TextEncoder().encode(text), name)).toBe(expected);
  });

  it("is not believed of its sender either, where there are no zeros", async () => {
    const type = "text/plain; charset=utf-16";
    expect(await readText(latin(TEXT), "a.txt", type)).toBe(TEXT);
    expect(await readText(latin(`${TEXT} `), "a.txt", type)).toBe(`${TEXT} `);
    expect(await readText(utf16(TEXT, false), "a.txt", type)).toBe(TEXT);
  });
});

const LINE = "2026-01-05 06:00 Pumpe läuft, Druck 4 bar\n";

it("zeros within a text with other control characters make it no text", async () => {
  const log = new TextEncoder().encode(`${LINE.repeat(100)}\0\u0001\u0002${LINE}`);
  await expect(readText(log, "a.log")).rejects.toThrow(/application\/octet-stream/);
});

it.each([
  ["a.txt", "Opening\0hours", "Openinghours", 1],
  ["a.log", `${LINE}${"\0".repeat(512)}${LINE.repeat(100)}`, LINE.repeat(101), 512],
  ["a.html", "<p>Open\0 from nine to five</p>", "Open from nine to five", 1],
  [
    "latin1.txt",
    "Größe der Boote\0 und der Häfen im Süden",
    "Größe der Boote und der Häfen im Süden",
    1,
  ],
  ["latin1.html", "<meta charset=latin1><p>Café\0 at the quay</p>", "Café at the quay", 1],
])("zeros in text are removed with a note: %s", async (name, text, expected, zeros) => {
  const bytes = new Uint8Array(Buffer.from(text, name.startsWith("latin1") ? "latin1" : "utf8"));
  const { markdown, notes } = await extractDocument({ name, mimeType: null, bytes });
  expect(markdown).toBe(expected);
  expect(notes).toEqual([`${zeros} zero byte${zeros === 1 ? "" : "s"} removed`]);
});

it.each([true, false])("UTF-32 is read with and without a mark (big-endian: %s)", async (isBig) => {
  const text = "Müller wohnt in Köln 😀";
  for (const mark of ["", "\ufeff"]) {
    const points = Array.from(mark + text, (character) => character.codePointAt(0) ?? 0);
    const bytes = new Uint8Array(points.length * 4);
    const view = new DataView(bytes.buffer);
    for (const [at, point] of points.entries()) view.setUint32(at * 4, point, !isBig);
    expect(await readText(bytes)).toBe(text);
  }
});

it("a page that says that it is UTF-8 is read so, with its stray bytes replaced", async () => {
  const page = new TextEncoder().encode(`<meta charset="utf-8"><p>Café über alles. # and #</p>`);
  const bytes = page.map((byte) => (byte === 0x23 ? 0xff : byte));
  const { markdown, notes } = await extractDocument({ name: "a.html", mimeType: null, bytes });
  expect(markdown).toBe("Café über alles. \ufffd and \ufffd");
  expect(notes).toEqual(["2 characters were damaged and replaced"]);
});

it.each([
  // In the bytes that DOS wrote: code pages 850 and 437 have these letters at the same places.
  [
    "L'été à la forêt, où les élèves se promènent près de la rivière. ça va.",
    "éèàêçù",
    [0x82, 0x8a, 0x85, 0x88, 0x87, 0x97],
  ],
  [
    "Übermäßige Größe der Äpfel für Käufer aus Köln und München.",
    "üäößÜÄ",
    [0x81, 0x84, 0x94, 0xe1, 0x9a, 0x8e],
  ],
] as const)("DOS: %s", async (text, letters, codes) => {
  const byteOf = (letter: string) =>
    letters.includes(letter) ? (codes[letters.indexOf(letter)] ?? 0) : letter.charCodeAt(0);
  expect(await readText(Uint8Array.from(text, byteOf))).toBe(text);
});

/** Lists of names, places and offices: no kana, hardly a frequent character. */
const LISTS: [encoding: string, words: string][] = [
  ["shift_jis", "佐藤 鈴木 渡辺 斎藤 遠藤 新潟県 鹿児島県 購買課 監査役 洗濯機 扇風機 醤油"],
  ["gb18030", "李娜 赵磊 萧萧 程鹏 哈尔滨市 厦门市 采购部 董事长 铅笔 洗衣机 鸡蛋 酱油"],
  ["big5", "陳怡君 廖偉倫 蕭雅雯 澎湖縣 苗栗縣 採購部 董事長 鉛筆 洗衣機 腳踏車 雞蛋"],
];

it.each(LISTS)("lists of three rows in %s are read", async (encoding, list) => {
  const words = list.split(" ");
  for (const at of words.keys()) {
    const rows = [0, 1, 2].map((row) => `${words[(at + row * 5) % words.length]},${row}`);
    const text = `${rows.join("\n")}\n`;
    expect(await readText(encode(text, encoding))).toBe(text);
  }
});
