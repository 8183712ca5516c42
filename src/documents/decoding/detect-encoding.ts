import {
  balticScore,
  cyrillicScore,
  greekScore,
  ideographScore,
  latinScore,
  scriptScore,
} from "./character-scores.ts";
import { latinRegionOf } from "./latin-regions.ts";
import type { LatinRegion } from "./latin-regions.ts";

type Candidate = {
  encoding: string;
  score: (text: string) => number;
  /** Readings of one kind differ in a few letters; readings of two kinds in every letter. */
  kind: "latin" | "cyrillic" | "east asian" | "other";
  least: number;
  /** Bytes beyond ASCII that a rare encoding needs as evidence. */
  leastBytes?: number;
  region?: LatinRegion;
  /** An encoding that differs from this one in so few letters that each of them is evidence. */
  kin?: string;
  /** For a rare encoding: how much better than its kin it must score. */
  kinLead?: number;
};

const KANA = /[\u3041-\u30fe]/u;
const HANGUL = /[\uac00-\ud7a3]/u;
const CHINESE_SIMPLIFIED =
  "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总";
const CHINESE_TRADITIONAL =
  "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天政四日那社義事平形相全表間樣與關各重新線內數正心反你明看原又麼利比或但質氣第向道命此變條只沒結解問意建月公無系情者最立代想已通並提直題程展五果料員位入常文總次品式設及";
const KOREAN_FREQUENT =
  "이다는의에을를가한은로고하지기도사아인그서어있자나부시제보수대해정일리전스들과안장으여게적러면성만공원조주상라관구동용경국무계세차모위요소비내거연신방마호";
const KANA_FREQUENT =
  "のにはをたがでてとしれさいるかなまもりくすあこだらうんきそつよけアイウカクコシスタテトナニノフマムラリルレロンーツッドメャュョ";

const MIN_SCORE = 0.5;
/** Names and headings lack frequent characters, so chance readings pass below this. */
const MIN_IDEOGRAPHS = 0.6;
const MIN_RARE = 0.6;
/** For bytes that are characters in either byte order. */
export const MIN_UTF16 = 0.7;
const RARE_BYTES = 8;

const latin = (encoding: string, region: LatinRegion): Candidate => ({
  encoding,
  region,
  score: latinScore,
  kind: "latin",
  least: MIN_SCORE,
});
const cyrillic = (encoding: string): Candidate => ({
  encoding,
  score: cyrillicScore,
  kind: "cyrillic",
  least: MIN_SCORE,
});
const script = (encoding: string, score: Candidate["score"]): Candidate => ({
  encoding,
  score,
  kind: "other",
  least: MIN_SCORE,
});
const eastAsian = (encoding: string, score: Candidate["score"]): Candidate => ({
  encoding,
  score,
  kind: "east asian",
  least: MIN_IDEOGRAPHS,
});
const rare = (candidate: Candidate): Candidate => ({
  ...candidate,
  least: MIN_RARE,
  leastBytes: RARE_BYTES,
});

const simplified = chinese("gb18030", [0xb0, 0xd7], CHINESE_SIMPLIFIED);
const traditional = chinese("big5", [0xa4, 0xc6], CHINESE_TRADITIONAL);
const kana = japanese("shift_jis", [0x88, 0x97]);
const hangul = korean();
/** How much a text reads like Chinese, Japanese or Korean, from about -1 to 1. */
export const anyEastAsian = (text: string) =>
  Math.max(...[simplified, traditional, kana, hangul].map((score) => score(text)));

/** A few letters of Windows-1252 read slightly better here, such as "það" as "žaš". */
const BALTIC_LEAD = 0.1;

/** In the order in which ties are decided: the commoner encoding first. */
const CANDIDATES: Candidate[] = [
  latin("windows-1252", "western"),
  cyrillic("windows-1251"),
  eastAsian("gb18030", simplified),
  eastAsian("shift_jis", kana),
  eastAsian("big5", traditional),
  eastAsian("euc-kr", hangul),
  eastAsian("euc-jp", japanese("euc-jp", [0xb0, 0xcf])),
  cyrillic("koi8-r"),
  rare(cyrillic("ibm866")),
  latin("windows-1250", "central"),
  script("windows-1253", greekScore),
  { ...script("iso-8859-7", greekScore), kin: "windows-1253" },
  latin("windows-1254", "turkish"),
  script("windows-1255", scriptScore(/\p{Script=Hebrew}/u, "יוהלאתרבמשנםדעחכקפןגצטסזךץףם")),
  script("windows-1256", scriptScore(/\p{Script=Arabic}/u, "اليمنرتوبةعدسفهكقحجأشطصخإذىضثغزءؤئظ")),
  {
    ...latin("windows-1257", "baltic"),
    score: balticScore,
    kin: "windows-1252",
    kinLead: BALTIC_LEAD,
  },
  script("windows-874", scriptScore(/\p{Script=Thai}/u, "านรอกเงมยลวดท่ส้ตะปบีคแิหัจไชพ")),
  { ...latin("iso-8859-2", "central"), kin: "windows-1250" },
  rare(cyrillic("iso-8859-5")),
  rare(cyrillic("koi8-u")),
  { ...rare(cyrillic("x-mac-cyrillic")), kin: "windows-1251", kinLead: 0.005 },
  rare(latin("macintosh", "western")),
  { ...eastAsian("utf-16le", anyEastAsian), least: MIN_UTF16 },
  { ...eastAsian("utf-16be", anyEastAsian), least: MIN_UTF16 },
];

/** How much better a later candidate must be to win over an earlier one. */
const CLEAR_LEAD = 0.02;
const REGION_WEIGHT = 0.3;
/** The lead that a reading of few bytes needs over every other, because it may fit by chance. */
const SHORT_LEAD = 0.05;
const SHORT_BYTES = 8;
const SAMPLE_BYTES = 1 << 16;
const ESCAPE = 0x1b;

type Reading = { candidate: Candidate; text: string; score: number };

/**
 * The encoding of text that declares none and is not UTF-8: the one whose decoding reads most
 * like language. Null when none does, or when two unrelated ones do.
 */
export function detectEncoding(bytes: Uint8Array): string | null {
  if (hasJapaneseEscapes(bytes)) return "iso-2022-jp";
  const sample = sampleOf(bytes);
  const beyondAscii = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  const region = latinRegionOf(sample);
  const readings: Reading[] = [];
  for (const candidate of CANDIDATES) {
    if (beyondAscii < (candidate.leastBytes ?? 0)) continue;
    const text = decode(sample, candidate.encoding);
    if (text === null) continue;
    const score = candidate.score(text) + wordsFor(candidate, region);
    if (score >= candidate.least) readings.push({ candidate, text, score });
  }
  const best = bestOf(readings);
  if (best === null) return null;
  // A single letter of another script is not evidence.
  if (beyondAscii === 1 && !/^(latin|east asian)$/.test(best.candidate.kind)) return null;
  const lead = beyondAscii <= SHORT_BYTES ? SHORT_LEAD : 0;
  return readings.some((other) => isRival(other, best, lead)) ? null : best.candidate.encoding;
}

/**
 * Words in plain letters show a text's region, however few of its letters are beyond ASCII.
 * English shows it for one letter only: its "ë" (Zoë, Citroën) is the commonest letter of
 * Lithuanian here.
 */
function wordsFor({ region }: Candidate, ofWords: ReturnType<typeof latinRegionOf>): number {
  if (ofWords === null) return 0;
  if (ofWords === "english") return region === "baltic" ? -REGION_WEIGHT : 0;
  return region === ofWords ? REGION_WEIGHT : -REGION_WEIGHT;
}

function bestOf(readings: Reading[]): Reading | null {
  let best: Reading | null = null;
  for (const reading of readings) {
    const isKin = best !== null && reading.candidate.kin === best.candidate.encoding;
    const lead = isKin ? (reading.candidate.kinLead ?? 0) : CLEAR_LEAD;
    if (best === null || reading.score > best.score + lead) best = reading;
  }
  return best;
}

function isRival(other: Reading, best: Reading, lead: number): boolean {
  if (other.text === best.text || other.score < best.score - lead) return false;
  const { kind } = best.candidate;
  const areAlike = kind === other.candidate.kind && (kind === "latin" || kind === "east asian");
  return lead > 0 && (!areAlike || (other.score === best.score && kind === "east asian"));
}

type LeadBytes = [first: number, last: number];

/** Ideographs of the first level, which the standard's authors chose as the common ones. */
function chinese(encoding: string, leads: LeadBytes, frequent: string) {
  return lazily(() => {
    const common = commonOf(encoding, leads);
    return ideographScore({ common, frequent, foreign: KANA });
  });
}

function japanese(encoding: string, leads: LeadBytes) {
  return lazily(() => {
    const common = commonOf(encoding, leads);
    return ideographScore({ common, frequent: KANA_FREQUENT, needed: KANA });
  });
}

/** The syllables of KS X 1001: those beyond are rare. */
function korean() {
  return lazily(() => {
    const common = commonOf("euc-kr", [0xb0, 0xc8], HANGUL);
    return ideographScore({ common, frequent: KOREAN_FREQUENT, foreign: KANA, needed: HANGUL });
  });
}

function lazily(make: () => (text: string) => number): (text: string) => number {
  let made: ((text: string) => number) | null = null;
  return (text) => {
    made ??= make();
    return made(text);
  };
}

/** The characters of a range of lead bytes, listed by decoding them all. */
function commonOf(
  encoding: string,
  [firstLead, lastLead]: LeadBytes,
  script = /\p{Script=Han}/u,
): RegExp {
  const decoder = new TextDecoder(encoding);
  const characters = new Set<string>();
  for (let lead = firstLead; lead <= lastLead; lead++) {
    const row: number[] = [];
    for (let trail = script === HANGUL ? 0xa1 : 0x40; trail <= 0xfe; trail++)
      if (trail !== 0x7f) row.push(lead, trail, 0x0a);
    for (const character of decoder.decode(Uint8Array.from(row))) {
      if (script.test(character)) characters.add(character);
    }
  }
  return new RegExp(`[${[...characters].join("")}\\u3041-\\u309e\\u30a1-\\u30fe]`, "u");
}

/** Whole lines around the first byte beyond ASCII. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = bytes.lastIndexOf(0x0a, first) + 1;
  const from = first - start > SAMPLE_BYTES / 2 ? first : start;
  const lastFeed = bytes.lastIndexOf(0x0a, from + SAMPLE_BYTES);
  return bytes.subarray(from, lastFeed > from ? lastFeed : from + SAMPLE_BYTES);
}

function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    // A sample may end within a character.
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false });
    return decoder.decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** ISO-2022-JP is seven bits wide and switches by `ESC $ B` and the like. */
function hasJapaneseEscapes(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(ESCAPE);
  if (at < 0) return false;
  const [second = 0, third = 0] = bytes.subarray(at + 1, at + 3);
  return second === 0x24 && (third === 0x42 || third === 0x40);
}
