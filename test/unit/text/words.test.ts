import { expect, test } from "vitest";

import { indexedTextsOf, indexedWordsOf, languagesOf } from "../../../src/text/indexed-words.ts";
import { languageOfTag } from "../../../src/text/languages.ts";
import { stemOf } from "../../../src/text/stems.ts";
import { withoutStopWords } from "../../../src/text/stop-words.ts";
import { tellingWords } from "../../../src/text/telling-words.ts";
import {
  codeWordParts,
  cutUnspacedScripts,
  indexWordsOf,
  isPartOfCut,
  searchTextOf,
  searchWordsOf,
  wordsOf,
} from "../../../src/text/words.ts";

const chunkOf = (text: string) => ({ headings: [], text, languages: languagesOf(text, null) });
const indexedWords = (text: string) => indexedWordsOf(chunkOf(text)).text;
const indexedText = (text: string) => indexedTextsOf(chunkOf(text)).text;

test("letters that Unicode does not take apart are what people write in their place", () => {
  expect(searchWordsOf("L'Œuvre, Ærø, Straße, Łódź, Þór, Đồng, IŞIK ışık")).toEqual(
    searchWordsOf("l'oeuvre, aero, strasse, lodz, thor, dong, isik isik"),
  );
});

test("words are folded: case, diacritics, compatibility forms, punctuation", () => {
  expect(wordsOf("Größe, ÉTÉ & İstanbul: m² of ﬁne-grained Ｗｉｄｅ ℌ stuff_2")).toEqual(
    "grosse ete istanbul m2 of fine grained wide h stuff 2".split(" "),
  );
  expect(wordsOf(" -- … 🂡 ")).toEqual([]);
  expect(wordsOf("서울 한국어")).toEqual(["서울", "한국어"]);
});

/** How documents write a word, and how people search for it. */
test.each([
  ["Ge\u00adsamt\u00adkonzept", "Gesamtkonzept"],
  ["Teflon™ pans", "teflon tm pans"],
  ["Mietvertrag² and m² of CO₂", "mietvertrag 2 and m2 of co2"],
  ["10⁶, 10⁻¹² and CO₂", "10^6 10 12 and co2"],
  ["20㎡, 5㎏ and 1½", "20 m2 5 kg and 1 1 2"],
  ["٢٠٢٤ ۲۰۲۴ २०२४ ২০২৪ ๒๐๒๔", "2024 2024 2024 2024 2024"],
  ["کتاب علی", "كتاب علي"],
  ["مـــدرسة ٱلله", "مدرسة الله"],
  ["ज़मीन हिन्दी चाँद", "जमीन हिंदी चांद"],
  ['צה״ל ג׳ירפה ב"הארץ"', "צהל גירפה ב הארץ"],
  ["Hawaiʻi, Qurʾān", "hawaii quran"],
  ["обʼєкт", "об’єкт"],
])("%s is found by %s", (text, query) => {
  expect(searchWordsOf(text)).toEqual(searchWordsOf(query));
});

test("scripts without spaces are cut, into pairs or threes; kana keep their voicing", () => {
  expect(cutUnspacedScripts("東京都 is 東")).toBe(" 東京 京都  is  東 ");
  expect(searchWordsOf("東京都のバー x")).toEqual(["东京", "京都", "都の", "のば", "ばー", "x"]);
  expect(searchWordsOf("ば")).toEqual(["ば"]);
  expect(searchWordsOf("ラーメン ｶﾞｽ ヴァイオリン")).toEqual(
    searchWordsOf("らーめん がす ゔぁいおりん"),
  );
  expect(searchWordsOf("서버점검은")).toEqual(["서버", "버점", "점검", "검은"]);
  expect(searchWordsOf("กินข้าว")).toEqual(["กิน", "ินข", "นข้", "ข้า", "้าว"]);
  expect(indexWordsOf("東京都 x")).toEqual(["东京", "京都", "都", "x"]);
  expect(indexWordsOf("東")).toEqual(["东"]);
  expect(indexWordsOf("ទំព័រ\u200bថ្មី។")).toEqual(indexWordsOf("ទំព័រថ្មី"));
  expect(indexWordsOf("ข้า")).toEqual(["ข้า", "้า", "า"]);
});

test("names in code have parts; abbreviations that change case have none", () => {
  expect(codeWordParts("a RetryAgent and parseHTTPHeader")).toEqual(
    "retry agent parse http header".split(" "),
  );
  expect(codeWordParts("mRNA, siRNAs, MOSFETs, PubMed, NASA, Otter")).toEqual([]);
  expect(codeWordParts(`${"a".repeat(100)}Bcdef`)).toEqual([]);
  expect(codeWordParts("l'éléphantRose, maxValueÉ")).toEqual([]);
  const names = `${"x".repeat(70)}Abcd maxValue2 ${"aB".repeat(40)} getURLs𝒜 getURLs`;
  expect(codeWordParts(names)).toEqual(["max", "value2"]);
});

test("the text that is indexed has the words and the parts of names, and no others", () => {
  for (const text of ["A RetryAgent, twice: RetryAgent!", "", "Größe der maxValue: 東京都 3 m²"]) {
    const words = indexedText(text)
      .toLowerCase()
      .split(/[^a-z0-9\u0080-\uffff]+/)
      .filter((word) => word !== "");
    expect(words).toEqual(indexedWords(text));
  }
});

const GERMAN = "Der Vertrag wird von dem Mieter mit der Unterschrift angenommen.";
const ENGLISH = "The tenant signs the lease, and this is filed with the landlord.";
const LANGUAGES: [text: string, document: string | null, languages: string][] = [
  [GERMAN, "en", "de"],
  [ENGLISH, "de-AT", "en"],
  ["Mietvertrag 2024", null, "en"],
  ["Mietvertrag 2024", "de-AT", "de"],
  ["Leiekontrakt 2024", "nb", "da"],
  ["Größe: Ölfässer", "en", "other"],
  ["Größe: Ölfässer", "de", "de"],
  ["Mietvertrag 2024", "ja", "en"],
  [`${GERMAN}\n\n2024`, null, "de"],
  [`${GERMAN}\n\n2024\n\n${ENGLISH} ${ENGLISH}`, null, "en de en en"],
];

test("a passage that does not tell its language has its document's", () => {
  const results = LANGUAGES.map(([text, document]) => languagesOf(text, languageOfTag(document)));
  expect(results).toEqual(LANGUAGES.map(([, , languages]) => languages));
});

test("a sign between letters leaves the words that its text has, whatever the sign", () => {
  const differences: string[] = [];
  const signs = Array.from({ length: 0x2f80 }, (_, at) => String.fromCodePoint(0x80 + at));
  // The lower case of a capital sigma depends on what follows the sign.
  for (const text of signs.flatMap((sign) => [`aB${sign}Cd`, `AΣ${sign}ΑB`])) {
    const indexed = indexedText(text).toLowerCase();
    const expected = indexedWords(text).join(" ");
    const searched = searchTextOf(text).toLowerCase();
    const differs = expected !== wordsOf(indexed).join(" ");
    if (differs || searchWordsOf(text).join(" ") !== wordsOf(searched).join(" "))
      differences.push(text);
  }
  expect(differences).toEqual([]);
});

test("what is shorter than a cut of its script is told from letters and cuts", () => {
  expect(["東", "ば", "ขา", "ก"].map(isPartOfCut)).toEqual([true, true, true, true]);
  expect(["a", "東京", "กิน", "é", ""].map(isPartOfCut)).toEqual(Array(5).fill(false));
});

test("stop words go, unless nothing would stay; repeats stay", () => {
  const contentWords = withoutStopWords("the boiler and the boiler der kessel".split(" "));
  expect(contentWords).toEqual(["boiler", "boiler", "kessel"]);
  expect(withoutStopWords(["to", "be", "or", "not"])).toEqual(["to", "be", "or", "not"]);
});

test("stems are Porter's", () => {
  expect(["relational", "caresses", "ponies", "hopping"].map(stemOf)).toEqual([
    "relat",
    "caress",
    "poni",
    "hop",
  ]);
});

test("what asks in Chinese is left out in either characters", () => {
  const [simplified, traditional] = ["什么时候检查锅炉？", "什麼時候檢查鍋爐？"].map(tellingWords);
  expect(traditional).toEqual(simplified);
  expect(simplified?.join("")).not.toContain("什");
});
