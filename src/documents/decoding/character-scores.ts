import { normalForm } from "../../core/normal-form.ts";

/** From about -1 (mojibake) to 1; only characters beyond ASCII count. */
export function latinScore(text: string): number {
  // Turkish letters have the code points of Icelandic ones, in far more texts.
  const [icelandic = 0, ...scores] = alphabetScores(text, LATIN_RANKS);
  return Math.max(...scores, icelandic - RARE_ALPHABET);
}

/** For the languages of Windows-1257: with other languages' letters, "¿" reads as Danish "æ". */
export function balticScore(text: string): number {
  return Math.max(...alphabetScores(text, BALTIC_RANKS));
}

export function cyrillicScore(text: string): number {
  return scoreBy(text, (character, before, after) => {
    const lower = character.toLowerCase();
    const rank = CYRILLIC_BY_FREQUENCY.indexOf(lower);
    if (rank < 0)
      return symbolWeight(character, before, after) - misplacementPenalty(character, after);
    return frequencyWeight(rank) + casePenalty(character, before) + mixPenalty(before, after);
  });
}

/** For scripts with a range of their own: their letters, the most frequent first. */
export function scriptScore(script: RegExp, byFrequency: string): (text: string) => number {
  return (text) =>
    scoreBy(text, (character, before, after) => {
      if (!script.test(character)) return symbolWeight(character, before, after);
      const bare = normalForm(character, "NFD").charAt(0).toLowerCase();
      const weight = frequencyWeight(byFrequency.indexOf(bare));
      if (FINAL_LETTERS.test(character) && /\p{L}/u.test(after)) return -1;
      if (RARE_LETTERS.includes(character)) return -0.3;
      return weight + casePenalty(character, before) + mixPenalty(before, after);
    });
}

const greekLetters = scriptScore(/\p{Script=Greek}/u, "αοιετσνηυρπκμλςωδγχθφβξζψ");
const UNACCENTED = 0.3;

/** Greek words of more than one syllable carry an accent, unless they are in capitals. */
export function greekScore(text: string): number {
  const lacksAccents = (text.match(/[α-ω]/g)?.length ?? 0) > 3 && !/[άέήίόύώ]/.test(text);
  return greekLetters(text) - (lacksAccents ? UNACCENTED : 0);
}

export type IdeographRules = {
  common: RegExp;
  frequent: string;
  foreign?: RegExp;
  /** Japanese without kana and Korean without hangul are names at most. */
  needed?: RegExp;
};

/** Share of all letters; any kind of running text reaches it. */
const FREQUENT_SHARE = 0.35;
/** Texts such as names lack frequent characters; in a list, each byte is part of a pair. */
const UNUSUAL = 0.4;
const UNUSUAL_LIST = 0.72;
const LIST_LETTERS = 5;
/** The one with more frequent characters is right where two readings are usual. */
const SHARE_WEIGHT = 0.15;

export function ideographScore(rules: IdeographRules): (text: string) => number {
  return (text) => {
    let frequent = 0;
    let letters = 0;
    const score = scoreBy(text, (character, before, after) => {
      if (CJK_MARKS.includes(character) || BOXES.test(character)) return 0.8;
      letters++;
      if (rules.frequent.includes(character)) frequent++;
      if (rules.foreign?.test(character) === true) return -0.5;
      // In "it’s" and "•item", the sign and the letter behind it are a pair, too.
      if (before <= "\u007f" && /[A-Za-z]/.test(after)) return 0;
      if (rules.common.test(character)) return 1;
      return /\p{Script=Han}/u.test(character) ? 0.1 : -1;
    });
    const share = frequent / Math.max(1, letters);
    const usual = Math.min(1, share / FREQUENT_SHARE);
    const unusual = letters < LIST_LETTERS ? UNUSUAL : UNUSUAL_LIST;
    const weight = unusual + (1 - unusual) * usual + SHARE_WEIGHT * share;
    const scaled = score * (score > 0 ? weight : 1);
    return rules.needed === undefined || rules.needed.test(text) ? scaled : scaled * 0.6;
  };
}

const BOXES = /[\u2500-\u257f]/;
const CJK_MARKS = "\u3000、。〈〉《》「」『』【】〔〕・ー！（），．：；？“”‘’…—·";
const CYRILLIC_BY_FREQUENCY = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґјљњћђџў";

const BALTIC_ALPHABETS = ["āīēšņūļčžķģ", "ėąčšųžįūę", "õäöüšž"];
/** Letters beyond ASCII of languages written in Latin letters, the more frequent first. */
const LATIN_ALPHABETS = [
  "éèàêçïûîâôùëœ",
  "äüößé",
  "áíóéñúüçàèòï",
  "ãçáéíóõêâúàô",
  "àèéìòùî",
  "àèéíóòçúïü",
  "åäöøæéü",
  "łąężśćóńź",
  "íáéěšžčřýůúňóťďľôäĺŕ",
  "áéöíőóüűú",
  "ăîâșțşţ",
  "čšžćđ",
  "ıüşöçğİâî",
  "êôơđưăâ",
  ...BALTIC_ALPHABETS,
];

/** Portuguese has ão, ãe and ãs; Romanian, read in the wrong encoding, has ã before any letter. */
const NOT_AFTER_NASAL = /[a-df-np-rt-z]/;
const ICELANDIC = "ðþáíóúýæöé";
const RARE_ALPHABET = 0.05;

const FINAL_LETTERS = /[ςךםןףץ]/;
const RARE_LETTERS = "ΰΐ";

const QUOTES_AND_DASHES = "¿¡“”„‘’‚«»‹›–—…•";
const SIGNS = "©®™°§±²³µ·£€¥¢¼½¾×÷№№\u00a0";

type Weigh = (character: string, before: string, after: string) => number;

function scoreBy(text: string, weigh: Weigh): number {
  let sum = 0;
  const count = scoreEach(text, (...around) => {
    sum += weigh(...around);
  });
  return count === 0 ? 0 : sum / count;
}

/** So many characters beyond ASCII show what more of them would. */
const MAX_SCORED = 2_000;
/** Rules and frames repeat any character: from the third on it is no evidence. */
const RUN_BEYOND_ASCII = /([^\0-\u007f])\1*/gu;

/** Calls `score` for the characters beyond ASCII, and returns their number. */
function scoreEach(text: string, score: (...around: Parameters<Weigh>) => void): number {
  let count = 0;
  for (const { 0: run, 1: character = "", index } of text.matchAll(RUN_BEYOND_ASCII)) {
    const { length } = character;
    for (let at = index; at < index + Math.min(run.length, 2 * length); at += length) {
      const [first = " ", before = first] = text.slice(Math.max(0, at - 2), at);
      const [after = " "] = text.slice(at + length, at + length + 2);
      score(character, before, after);
      if (++count === MAX_SCORED) return count;
    }
  }
  return count;
}

type Ranks = ReadonlyMap<string, number>;
const ranksOf = (alphabet: string): Ranks =>
  new Map([...alphabet].map((letter, rank) => [letter, rank]));
const LATIN_RANKS = [ICELANDIC, ...LATIN_ALPHABETS].map(ranksOf);
const BALTIC_RANKS = BALTIC_ALPHABETS.map(ranksOf);

/** The score by each alphabet; one pass, because what is unlisted weighs the same in all. */
function alphabetScores(text: string, alphabets: Ranks[]): number[] {
  const sums = alphabets.map(() => 0);
  const count = scoreEach(text, (character, before, after) => {
    const [small, smallBefore] = [character.toLowerCase(), before.toLowerCase()];
    const besideAscii = /[A-Za-z]/.test(before) || /[A-Za-z]/.test(after);
    const isMisread = character === "ã" && NOT_AFTER_NASAL.test(after);
    const symbol = symbolWeight(character, before, after);
    const capital = casePenalty(character, before);
    const weighBy = (ranks: Ranks) => {
      // İ becomes two characters.
      const rank = ranks.get(small) ?? ranks.get(character);
      if (rank === undefined) return symbol;
      if (isMisread) return -0.4;
      // A letter beyond ASCII is mostly next to one within it.
      const apart = ranks.has(smallBefore) || ranks.has(after) ? -0.25 : -0.5;
      return (rank < 8 ? 1 : 0.7) + (besideAscii ? 0 : apart) + capital;
    };
    for (const [at, ranks] of alphabets.entries()) sums[at] = (sums[at] ?? 0) + weighBy(ranks);
  });
  return sums.map((sum) => (count === 0 ? 0 : sum / count));
}

function casePenalty(character: string, before: string): number {
  const isCapital = character !== character.toLowerCase();
  if (!isCapital) return 0;
  return /\p{Ll}/u.test(before) ? -1.2 : /\p{Lu}/u.test(before) ? -0.15 : -0.05;
}

function mixPenalty(before: string, after: string): number {
  if (/[A-Za-z]/.test(before) || /[A-Za-z]/.test(after)) return -1;
  return /\p{L}/u.test(before) || /\p{L}/u.test(after) ? 0 : -0.4;
}

/** The weight by rank in a list of letters, the most frequent first; -1 for unlisted ones. */
function frequencyWeight(rank: number): number {
  if (rank < 0 || rank >= 22) return 0.1;
  return rank < 12 ? 1 : 0.6;
}

function signWeight(character: string, before: string, after: string): number {
  const isCurrency = "£€¥¢".includes(character);
  if (character === "±" && /\p{L}/u.test(before)) return -1;
  if (/\p{L}/u.test(after) && (isCurrency || /\p{L}/u.test(before))) return -1;
  const isDoubled = /[^\p{L}\p{N}\p{P}\s]/u.test(before + after) && before + after > "\u007f";
  return isDoubled ? -0.6 : 0.6;
}

/** Among Cyrillic letters: signs at a word's end, quotes that close before a word begins. */
function misplacementPenalty(character: string, after: string): number {
  if (/[»’”]/.test(character) && /\p{L}/u.test(after)) return 0.8;
  return "€¥¢©®".includes(character) ? 0.8 : 0;
}

function symbolWeight(character: string, before: string, after: string): number {
  if (/[\p{C}\ufffd]/u.test(character)) return -2;
  const standsInWord = /\p{L}/u.test(before) && /\p{L}/u.test(after);
  if (character === "’") return 0.8;
  if (QUOTES_AND_DASHES.includes(character)) return standsInWord ? -0.3 : 0.6;
  if (character === "·" && /l/i.test(before) && /l/i.test(after)) return 0.8;
  if (SIGNS.includes(character)) return signWeight(character, before, after);
  return /\p{L}/u.test(character) ? -0.6 : -0.8;
}
