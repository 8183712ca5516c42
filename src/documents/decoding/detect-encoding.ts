import type { CooperativeWork } from "../../core/work/cooperative.ts";
import {
  balticScore,
  cyrillicScore,
  greekScore,
  latinScore,
  scriptScore,
  type IdeographRules,
} from "./character-scores.ts";
import { HANGUL, ideographs, type LeadBytes } from "./common-ideographs.ts";
import { decodeAs } from "./decode-as.ts";
import { penaltiesOf } from "./first-bytes.ts";
import {
  CHINESE_SIMPLIFIED,
  CHINESE_TRADITIONAL,
  JAPANESE_FREQUENT,
  KOREAN_FREQUENT,
} from "./frequent-characters.ts";

type Candidate = {
  encoding: string;
  score: (text: string) => number;
  /** Readings of one kind differ in a few letters; readings of two kinds in every letter. */
  kind: "latin" | "cyrillic" | "east asian" | "other";
  isRare?: boolean;
  region?: LatinRegion;
  /** An encoding that differs from this one in so few letters that each of them is evidence. */
  kin?: string;
  /** For a rare encoding: how much better than its kin it must score. */
  kinLead?: number;
};

const KANA = /[\u3041-\u30fe]/u;
const MIN_SCORE = 0.5;
/** Names and headings lack frequent characters, so chance readings pass below this. */
const MIN_IDEOGRAPHS = 0.6;
const MIN_RARE = 0.6;
/** Bytes beyond ASCII that a rare encoding needs. */
const RARE_BYTES = 8;

const minScoreOf = ({ kind, isRare = false }: Candidate) =>
  isRare ? MIN_RARE : kind === "east asian" ? MIN_IDEOGRAPHS : MIN_SCORE;

const simplified = { frequent: CHINESE_SIMPLIFIED, foreign: KANA };
const traditional = { frequent: CHINESE_TRADITIONAL, foreign: KANA };
const japanese = { frequent: JAPANESE_FREQUENT };
const korean = { frequent: KOREAN_FREQUENT, foreign: KANA, needed: HANGUL };
const hebrew = scriptScore(/\p{Script=Hebrew}/u, "יוהלאתרבמשנםדעחכקפןגצטסזךץףם");
const arabic = scriptScore(/\p{Script=Arabic}/u, "اليمنرتوبةعدسفهكقحجأشطصخإذىضثغزءؤئظ");
const thai = scriptScore(/\p{Script=Thai}/u, "านรอกเงมยลวดท่ส้ตะปบีคแิหัจไชพ");

/** A few letters of Windows-1252 read slightly better here, such as "það" as "žaš". */
const BALTIC_LEAD = 0.1;

/** Each pair of EUC-JP is one of GB 18030, which far more texts are in. */
const CHINESE_LEAD = 0.05;
const eucJapanese = eastAsianCandidate("euc-jp", [0xb0, 0xcf], japanese);

const LATIN = { kind: "latin", score: latinScore } as const;
/** A capital at the beginning of words, such as "Ł", is a small letter in these. */
const DOS_LEAD = 0.05;
const dosScore = (text: string) => latinScore(text) - DOS_LEAD;
const DOS = { kind: "latin", score: dosScore, region: "western", isRare: true } as const;
const CYRILLIC = { kind: "cyrillic", score: cyrillicScore } as const;
const RARE_CYRILLIC = { ...CYRILLIC, isRare: true };

/** Encodings in the order in which ties are decided: the commoner one first. */
const CANDIDATES: Candidate[] = [
  { encoding: "windows-1252", region: "western", ...LATIN },
  { encoding: "windows-1251", ...CYRILLIC },
  eastAsianCandidate("gb18030", [0xb0, 0xd7], simplified),
  eastAsianCandidate("shift_jis", [0x88, 0x97], japanese),
  eastAsianCandidate("big5", [0xa4, 0xc6], traditional),
  eastAsianCandidate("euc-kr", [0xb0, 0xc8], korean),
  {
    ...eucJapanese,
    score: (text) => eucJapanese.score(text) - (KANA.test(text) ? 0 : CHINESE_LEAD),
  },
  { encoding: "koi8-r", ...CYRILLIC },
  { encoding: "ibm866", ...RARE_CYRILLIC },
  { encoding: "windows-1250", region: "central", ...LATIN },
  { encoding: "windows-1253", kind: "other", score: greekScore },
  { encoding: "iso-8859-7", kind: "other", score: greekScore, kin: "windows-1253" },
  { encoding: "windows-1254", region: "turkish", ...LATIN },
  { encoding: "windows-1255", kind: "other", score: hebrew },
  { encoding: "windows-1256", kind: "other", score: arabic },
  {
    encoding: "windows-1257",
    kind: "latin",
    region: "baltic",
    score: balticScore,
    kin: "windows-1252",
    kinLead: BALTIC_LEAD,
  },
  { encoding: "windows-874", kind: "other", score: thai },
  { encoding: "iso-8859-2", region: "central", ...LATIN, kin: "windows-1250" },
  { encoding: "iso-8859-5", ...RARE_CYRILLIC },
  { encoding: "koi8-u", ...RARE_CYRILLIC },
  { encoding: "x-mac-cyrillic", ...RARE_CYRILLIC, kin: "windows-1251", kinLead: 0.005 },
  { encoding: "macintosh", region: "western", ...LATIN, isRare: true },
  { encoding: "ibm850", ...DOS },
  { encoding: "ibm437", ...DOS },
];

function eastAsianCandidate(
  encoding: string,
  leads: LeadBytes,
  rules: Omit<IdeographRules, "common">,
): Candidate {
  return { encoding, kind: "east asian", score: ideographs(encoding, leads, rules) };
}

/** How much better a later candidate must be to win over an earlier one. */
const CLEAR_LEAD = 0.02;
/** Pairs of Cyrillic letters are frequent ideographs by chance; ideographs are seldom words. */
const CYRILLIC_LEAD = 0.2;
const REGION_WEIGHT = 0.3;
/** The lead that a reading of few bytes needs over every other, because it may fit by chance. */
const SHORT_LEAD = 0.05;
const SHORT_BYTES = 8;
const SAMPLE_BYTES = 1 << 16;
const ESCAPE = 0x1b;

/** An East Asian text that reads nearly as well in another encoding gets a note. */
const ASSUMED_LEAD = 0.08;

/** Fewer different bytes beyond ASCII are signs of a Latin text rather than words of another script. */
const SCRIPT_BYTES = 8;

/** `isAssumed`: the text reads nearly as well in another encoding. `isOtherScript`: it is not Latin. */
type EncodingGuess = { encoding: string; isOtherScript: boolean; isAssumed: boolean };
type Reading = { candidate: Candidate; text: string; score: number };

/**
 * The encoding of text that declares none and is not UTF-8: the one whose decoding reads most
 * like language. Null when none does, or when two unrelated ones do. Of the short texts in
 * `encodings.json`, this reads 177 of 177, the package chardet 82.
 */
export function* detectEncoding(bytes: Uint8Array): CooperativeWork<EncodingGuess | null> {
  if (hasJapaneseEscapes(bytes)) return { ...certainGuess("iso-2022-jp"), isOtherScript: true };
  const sample = sampleOf(bytes);
  const beyondAscii = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  const latin1 = (yield* decodeAs(sample, "windows-1252")) ?? "";
  if (isOnlySigns(latin1)) return certainGuess("windows-1252");
  const readings = yield* readingsOf(sample, beyondAscii);
  const best = bestOf(readings);
  // A single letter of another script is not evidence.
  const isSingle = beyondAscii === 1 && best?.candidate.kind !== "latin";
  if (isSingle || best === null) return isSingle ? singleLetter(latin1) : null;
  const lead = beyondAscii <= SHORT_BYTES ? SHORT_LEAD : 0;
  if (readings.some((reading) => isRival(reading, best, lead))) return null;
  const isAssumed = readings.some(
    ({ candidate, text, score }) =>
      candidate.kind === "east asian" && text !== best.text && score > best.score - ASSUMED_LEAD,
  );
  const { encoding, kind } = best.candidate;
  const isOtherScript = isScript(best.candidate, sample);
  return { encoding, isOtherScript, isAssumed: isAssumed && kind === "east asian" };
}

const isScript = ({ kind }: Candidate, sample: Uint8Array) =>
  kind !== "latin" && new Set(sample.filter((byte) => byte > 0x7f)).size >= SCRIPT_BYTES;

const certainGuess = (encoding: string) => ({
  encoding,
  isOtherScript: false,
  isAssumed: false,
});

function* readingsOf(sample: Uint8Array, beyondAscii: number): CooperativeWork<Reading[]> {
  const region = latinRegionOf(sample);
  const penalties = penaltiesOf(sample);
  const readings: Reading[] = [];
  for (const candidate of CANDIDATES) {
    if (candidate.isRare === true && beyondAscii < RARE_BYTES) continue;
    const text = yield* decodeAs(sample, candidate.encoding, { isCut: true });
    yield sample.length;
    if (text === null) continue;
    const penalty = penalties.get(candidate.encoding) ?? 0;
    const score = candidate.score(text) + wordsFor(candidate, region) - penalty;
    if (score >= minScoreOf(candidate)) readings.push({ candidate, text, score });
  }
  return readings;
}

/** Signs that texts in any language have: where no other character is beyond ASCII, they are meant. */
const ONLY_SIGNS = /^[\0-\u007f§«»×÷¶¢£¥©®°±²³·¼½¾ªº\u00a0]*$/;
/** Signs that are rather letters of other encodings: within words, at their ends, next to each other. */
const LETTERS =
  /[a-z][^\0-\u007f]+[a-z]|[a-z]{2}[ªº²³£¥×]|[a-z]±(?!\d)|[£¥©®±²³¶¼¾][a-z]|(?!§§|¶¶)[^\0-\u007f\u00a0]{2}/i;
const isOnlySigns = (text: string) =>
  ASCII.test(text) && ONLY_SIGNS.test(text) && !LETTERS.test(text);
const ASCII = /[a-z\d]/i;
const singleLetter = (text: string) =>
  ASCII.test(text) && !/[\u0080-\u009f]/.test(text) ? certainGuess("windows-1252") : null;

/** English words only speak against Baltic: "ë" (Zoë) reads as Lithuanian's commonest letter. */
function wordsFor({ region }: Candidate, ofWords: ReturnType<typeof latinRegionOf>): number {
  if (ofWords === null) return 0;
  if (ofWords === "english") return region === "baltic" ? -REGION_WEIGHT : 0;
  return region === ofWords ? REGION_WEIGHT : -REGION_WEIGHT;
}

function bestOf(readings: Reading[]): Reading | null {
  let best: Reading | null = null;
  for (const reading of readings) {
    if (best === null || reading.score > best.score + leadOf(reading.candidate, best.candidate))
      best = reading;
  }
  return best;
}

/** How much better a reading must be than one before it. */
function leadOf({ kind, kin, kinLead = 0 }: Candidate, best: Candidate): number {
  if (kin === best.encoding) return kinLead;
  if (kind === "east asian" && best.kind === "cyrillic") return CYRILLIC_LEAD;
  return kind === "cyrillic" && best.kind === "east asian" ? -CYRILLIC_LEAD : CLEAR_LEAD;
}

function isRival(reading: Reading, best: Reading, lead: number): boolean {
  if (reading.text === best.text || reading.score < best.score - lead) return false;
  const { kind } = best.candidate;
  const areAlike = kind === reading.candidate.kind && (kind === "latin" || kind === "east asian");
  return lead > 0 && (!areAlike || (reading.score === best.score && kind === "east asian"));
}

function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  const first = firstBeyondAscii(bytes);
  const start = bytes.lastIndexOf(0x0a, first) + 1;
  const from = first - start > SAMPLE_BYTES / 2 ? first : start;
  const lastFeed = bytes.lastIndexOf(0x0a, from + SAMPLE_BYTES);
  return bytes.subarray(from, lastFeed > from ? lastFeed : from + SAMPLE_BYTES);
}

/** The length where all are within. */
export function firstBeyondAscii(bytes: Uint8Array): number {
  let at = 0;
  while ((bytes[at] ?? LAST_ASCII + 1) <= LAST_ASCII) at++;
  return at;
}

const LAST_ASCII = 0x7f;

/** ISO-2022-JP is seven bits wide and switches by `ESC $ B` and the like. */
function hasJapaneseEscapes(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(ESCAPE);
  if (at < 0) return false;
  const [second = 0, third = 0] = bytes.subarray(at + 1, at + 3);
  return second === 0x24 && (third === 0x42 || third === 0x40);
}

/** Parts of the world whose languages share an encoding. */
type LatinRegion = "western" | "central" | "turkish" | "baltic";

/** Frequent words in plain letters, the same in every encoding; of one region, and not English. */
const WORDS: Record<LatinRegion, string> = {
  western:
    "il di del dell una con per op met aan ook als uit dit zou moet oder wenn sie zum el het een niet voor zijn dat worden deze ook maar naar wordt bij che della sono nel alla delle gli questo anche dei les des dans une pour qui sur avec pas vous nous cette los las por para del como este esta sus amb els dels aquest aquesta aquestes pot quan heu vostre uma dos das mais foi der und das nicht mit ist dem den ein eine auf sich werden wird och att inte till som ikke det eller ovat joka kun tai mutta ekki og sem fyrir eftir",
  central:
    "nie jest jak dla przez oraz ale jego czy tylko tego jako jsem jsou nebo byl bylo jeho kdy aby alebo ako hogy egy nem azt meg volt csak mint vagy din care este sunt prin pentru sau acest acesta aceasta unui unei poate asupra trebui ili ali kao koji samo",
  turkish: "bir ve bu olarak ile olan gibi daha veya ancak kadar",
  baltic: "ir yra kad tai uz lai nav jau arba iki kas kuri vai tiek gali",
};
const ENGLISH = new Set("the of and to is that for it with this are".split(" "));
const REGIONS = (["western", "central", "turkish", "baltic"] as const).map((region) => ({
  region,
  words: new Set(WORDS[region].split(" ")),
}));

const MIN_HITS = 2;
const MIN_SHARE = 0.06;
const REGION_LEAD = 2;

function latinRegionOf(bytes: Uint8Array): LatinRegion | "english" | null {
  const text = new TextDecoder("latin1").decode(bytes).toLowerCase();
  const words = text.match(/[a-z\u0080-\u00ff]+/g) ?? [];
  const hitsOf = (dictionary: ReadonlySet<string>) =>
    words.filter((word) => dictionary.has(word)).length;
  const [first, second] = REGIONS.map(({ region, words: own }) => ({
    region,
    hits: hitsOf(own),
  })).sort((a, b) => b.hits - a.hits);
  if (first === undefined || second === undefined) return null;
  const english = hitsOf(ENGLISH);
  const least = Math.max(MIN_HITS, words.length * MIN_SHARE);
  if (english >= least && english > first.hits * REGION_LEAD) return "english";
  const bar = Math.max(second.hits * REGION_LEAD, english);
  return first.hits >= least && first.hits > bar ? first.region : null;
}
