import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import type { FileId } from "../../../src/core/ids.ts";
import { indexOf, write, search, stubOf } from "./support.ts";

const lexical = async (name: string, query: string) =>
  (await search(indexOf(name), query, { vector: null })).lexical;

const TEXTS: [language: string, text: string, query: string][] = [
  ["German", "Der Vertrag wird von dem Mieter mit der Unterschrift angenommen.", "Unterschriften"],
  ["French", "La facture est payée par le client dans les trente jours.", "payer des factures"],
  ["Spanish", "La configuración de los servidores se guarda en una copia.", "configuraciones"],
  ["Italian", "Il dipendente non può essere licenziato per la sua opinione.", "licenziamenti"],
  ["Portuguese", "A reunião não foi marcada para os novos funcionários.", "reuniões"],
  ["Dutch", "De rekening wordt door het kantoor van de gemeente betaald.", "rekeningen"],
  ["Swedish", "Det är inte tillåtet att parkera på gården och vid grinden.", "parkering"],
  ["Danish", "Medarbejderen skal ikke betale for den første undersøgelse.", "undersøgelser"],
  ["Finnish", "Jos sopimus on voimassa, se ei pääty ennen vuoden loppua.", "sopimuksen"],
  ["Hungarian", "A szerződés nem érvényes, ha hiányzik az aláírás is.", "szerződésben"],
  ["Romanian", "Documentele sunt păstrate de arhivă și nu se pierd.", "documentului"],
  ["Turkish", "Bu sözleşme bir yıl için geçerli ve daha sonra olarak biter.", "sözleşmeler"],
  ["Polish", "Umowa nie jest ważna do czasu, jak się podpisze na papierze.", "umowy"],
  ["Czech", "Smlouva je platná pro oba, jako se říká v zákoně.", "smlouvy"],
  ["Estonian", "Töötajale makstakse tasu iga kuu viimasel päeval.", "töötajad"],
  ["Russian", "Документы хранятся в архиве десять лет.", "архивными документами"],
  ["Ukrainian", "Звіти зберігаються в архіві десять років.", "звітами"],
  ["Greek", "Τα αρχεία φυλάσσονται στο γραφείο.", "γραφεία"],
  ["Arabic", "يحفظ الموظف الملفات في المكتب", "مكتبه"],
  ["Hebrew", "החוזה נשמר בארכיון עשר שנים", "ארכיון"],
  ["Hindi", "कार्यालय में पुस्तकें रखी हैं", "पुस्तकों"],
  ["Vietnamese", "Hợp đồng của người lao động không được huỷ.", "hợp đồng lao động"],
  ["Thai", "พนักงานต้องลงชื่อในสัญญา", "เซ็นสัญญา"],
  ["Lao", "ພະນັກງານຕ້ອງເຊັນສັນຍາ", "ສັນຍາ"],
  ["Khmer", "បុគ្គលិក\u200bត្រូវ\u200bចុះហត្ថលេខា", "បុគ្គលិកត្រូវចុះ"],
  ["Burmese", "ဝန်ထမ်းများ စာချုပ်ကို လက်မှတ်ထိုးရမည်", "စာချုပ်"],
];

test("an inflected question finds the file, in each language among all others", async () => {
  const index = indexOf("languages");
  for (const [language, text] of TEXTS) await write(index, language, 1, [text]);
  for (const [language, text, query] of TEXTS) {
    const texts = await lexical("languages", query);
    expect([language, texts[0]]).toEqual([language, text]);
  }
});

test("paragraphs in several languages are found, and leave nothing when removed", async () => {
  const index = indexOf("paragraphs");
  const english = "The tenant signs the lease, and this is filed with the landlord.";
  const german = "Der Mieter unterschreibt den Vertrag, und die Kopie wird von ihm verwahrt.";
  const text = `${english}\n\n${german}\n\nДоговор подписан`;
  await write(index, "lease.md", 1, [{ text, headings: ["Mietvertrag"] }]);
  await write(index, "other.md", 1, ["Nothing of it is here."]);
  await evictDurableObject(stubOf("paragraphs"));
  for (const query of ["signing a lease", "Verträge", "договором", "Mietverträge"]) {
    expect([query, await lexical("paragraphs", query)]).toEqual([query, [text]]);
  }
  await index.remove([{ fileId: "file lease.md" as FileId, revision: 2 }]);
  for (const query of ["lease", "Vertrag", "Vert", "договор", "дог"]) {
    expect([query, await lexical("paragraphs", query)]).toEqual([query, []]);
  }
});

test("a short passage has its document's language, also after it changed", async () => {
  const index = indexOf("short");
  const text = "Mietvertrag 2024";
  await write(index, "lease.md", 1, [{ text, headings: ["Anlagen"], language: "de" }]);
  await write(index, "other.md", 1, ["Nothing of it is here."]);
  const searchBoth = () =>
    Promise.all(["Mietverträgen", "Anlage"].map((query) => lexical("short", query)));
  expect(await searchBoth()).toEqual([[text], [text]]);
  await write(index, "lease.md", 2, [{ text, headings: ["Anlagen"] }]);
  expect(await searchBoth()).toEqual([[], []]);
  await write(index, "lease.md", 3, [{ text, headings: ["Anlagen"], language: "de" }]);
  expect(await searchBoth()).toEqual([[text], [text]]);
  await index.remove([{ fileId: "file lease.md" as FileId, revision: 4 }]);
  expect(await searchBoth()).toEqual([[], []]);
});

test("an English question does not prefer what other languages write alike", async () => {
  const index = indexOf("alike");
  const english = "Installation of the programs is described in this chapter.";
  await write(index, "en.md", 1, [english]);
  await write(index, "de.md", 1, [
    "Die Installation der Programme wird in dem Kapitel beschrieben.",
  ]);
  expect((await lexical("alike", "installation of the program"))[0]).toBe(english);
});

test("function words of Ukrainian do not find, and short stems weigh as long ones", async () => {
  const index = indexOf("telling");
  const slavery = "Рабство заборонене.";
  await write(index, "slavery.md", 1, [slavery]);
  await write(index, "door.md", 1, ["Тримайте двері зачиненими, поки надворі холодно й вітряно."]);
  await write(index, "other.md", 1, ["Скільки, чи можуть і коли."]);
  await write(index, "empty.md", 1, ["Порожня сторінка."]);
  expect(await lexical("telling", "скільки рабів, чи можуть")).toEqual([slavery]);
  expect((await lexical("telling", "тримати рабами"))[0]).toBe(slavery);
});

test("a question in two scripts is asked of few files, and of none", async () => {
  const index = indexOf("scripts");
  const [german, chinese] = ["Der Vertrag wird von dem Mieter angenommen.", "北京的合同"];
  await write(index, "de.md", 1, [german]);
  await write(index, "de/2.md", 1, ["Die Verträge werden nicht von dem Mieter angenommen."]);
  await write(index, "zh.md", 1, [chinese]);
  const within = async (...files: string[]) => {
    const restriction = { named: { files, folders: [] }, metadata: [] };
    return (await search(index, "Verträge 北", { vector: null, restriction })).lexical;
  };
  expect(await within("absent.md")).toEqual([]);
  expect(await within("de.md")).toEqual([german]);
  expect(await within("zh.md")).toEqual([chinese]);
});

test("many forms of one word do not outweigh two words, also in few files", async () => {
  const index = indexOf("outweighed");
  const secondText = "Das Haus steht bei dem alten Baum, und der Hof ist hinter der Mauer.";
  const firstText = "Die Verpflichtungen werden von dem Mieter erfüllt.";
  await write(index, "few/two.md", 1, [secondText]);
  await write(index, "few/one.md", 1, [firstText]);
  for (let at = 0; at < 20; at++)
    await write(index, `${at}.md`, 1, [`Anderes wird hier gesagt: ${at}`]);
  const selection = { files: [], folders: ["few"] };
  const restriction = { named: selection, metadata: [] };
  for (const wish of [{}, { restriction }]) {
    const query = "Verpflichtungen, Haus und Baum";
    const result = await search(index, query, { vector: null, ...wish });
    expect(result.lexical).toEqual([secondText, firstText]);
  }
});
