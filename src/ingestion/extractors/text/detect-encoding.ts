import { cyrillicScore, ideographScore, latinScore, scriptScore } from "./character-scores.ts";

type Candidate = { encoding: string; score: (text: string) => number };

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

/** In the order in which ties are decided: the commoner encoding first. */
const CANDIDATES: Candidate[] = [
  { encoding: "windows-1252", score: latinScore },
  { encoding: "windows-1251", score: cyrillicScore },
  { encoding: "gb18030", score: chinese("gb18030", [0xb0, 0xd7], CHINESE_SIMPLIFIED) },
  { encoding: "shift_jis", score: japanese("shift_jis", [0x88, 0x97]) },
  { encoding: "big5", score: chinese("big5", [0xa4, 0xc6], CHINESE_TRADITIONAL) },
  { encoding: "euc-kr", score: korean() },
  { encoding: "euc-jp", score: japanese("euc-jp", [0xb0, 0xcf]) },
  { encoding: "koi8-r", score: cyrillicScore },
  { encoding: "ibm866", score: cyrillicScore },
  { encoding: "windows-1250", score: latinScore },
  {
    encoding: "windows-1253",
    score: scriptScore(/\p{Script=Greek}/u, "αοιετσνηυρπκμλςωδγχθφβξζψ"),
  },
  { encoding: "windows-1254", score: latinScore },
  {
    encoding: "windows-1255",
    score: scriptScore(/\p{Script=Hebrew}/u, "יוהלאתרבמשנםדעחכקפןגצטסזךץףם"),
  },
  {
    encoding: "windows-1256",
    score: scriptScore(/\p{Script=Arabic}/u, "اليمنرتوبةعدسفهكقحجأشطصخإذىضثغزءؤئظ"),
  },
  { encoding: "windows-1257", score: latinScore },
  { encoding: "windows-874", score: scriptScore(/\p{Script=Thai}/u, "านรอกเงมยลวดท่ส้ตะปบีคแิหัจไชพ") },
  { encoding: "iso-8859-2", score: latinScore },
  { encoding: "iso-8859-5", score: cyrillicScore },
  { encoding: "koi8-u", score: cyrillicScore },
  { encoding: "x-mac-cyrillic", score: cyrillicScore },
  { encoding: "macintosh", score: latinScore },
];

/** Below this the text is more likely mojibake than anything. */
const LEAST_SCORE = 0.4;
/** How much better a later candidate must be to win over an earlier one. */
const CLEAR_LEAD = 0.02;
const SAMPLE_BYTES = 1 << 16;
const ESCAPE = 0x1b;

/**
 * The encoding of text that declares none and is not UTF-8, by which decoding reads most like
 * language. Null when none does.
 */
export function detectEncoding(bytes: Uint8Array): string | null {
  if (hasJapaneseEscapes(bytes)) return "iso-2022-jp";
  const sample = sampleOf(bytes);
  let best: { encoding: string; score: number } | null = null;
  for (const { encoding, score } of CANDIDATES) {
    const text = decode(sample, encoding);
    if (text === null) continue;
    const found = score(text);
    if (found > (best?.score ?? LEAST_SCORE) + (best === null ? 0 : CLEAR_LEAD)) {
      best = { encoding, score: found };
    }
  }
  return best?.encoding ?? null;
}

type LeadBytes = [first: number, last: number];

/** Ideographs of the first level, which a standard's authors picked as the common ones. */
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

function korean() {
  return ideographScore({
    common: HANGUL,
    frequent: KOREAN_FREQUENT,
    foreign: KANA,
    needed: HANGUL,
  });
}

/** The tables are made when a text asks for them, not when the module is loaded. */
function lazily(make: () => (text: string) => number): (text: string) => number {
  let made: ((text: string) => number) | null = null;
  return (text) => {
    made ??= make();
    return made(text);
  };
}

/** The characters of a range of lead bytes, listed by decoding them all. */
function commonOf(encoding: string, [firstLead, lastLead]: LeadBytes): RegExp {
  const decoder = new TextDecoder(encoding);
  const characters = new Set<string>();
  for (let lead = firstLead; lead <= lastLead; lead++) {
    const row: number[] = [];
    for (let trail = 0x40; trail <= 0xfe; trail++) if (trail !== 0x7f) row.push(lead, trail, 0x0a);
    for (const character of decoder.decode(Uint8Array.from(row))) {
      if (/\p{Script=Han}/u.test(character)) characters.add(character);
    }
  }
  return new RegExp(`[${[...characters].join("")}\\u3041-\\u309e\\u30a1-\\u30fe]`, "u");
}

/** Whole lines from where the first byte beyond ASCII stands. */
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
