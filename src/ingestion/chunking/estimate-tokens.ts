/** Tokens of a run of letters: so many to begin with, and so many a letter. */
type Rate = { run: number; letter: number };

const LATIN: Rate = { run: 0.83, letter: 0.03 };
/** Letters of a Latin word beyond this many mostly begin another token. */
const LATIN_WORD_LETTERS = 6;
/** At most `(run + letters × letter) / letters`, or cutting a long word would count less. */
const LATIN_LONG_LETTER = 0.15;
/**
 * Letters beyond ASCII divide words; added to the rate of a letter. By the code point before
 * which a range ends: Western European, Central European and Turkish, Vietnamese.
 */
const LATIN_ACCENTS: [number, number][] = [
  [0x100, 0.5],
  [0x180, 1.7],
];
const OTHER_LATIN_ACCENT = 0.1;
const accentOf = (code: number) =>
  LATIN_ACCENTS.find(([end]) => code < end)?.[1] ?? OTHER_LATIN_ACCENT;
const CYRILLIC: Rate = { run: 0.6, letter: 0.18 };
const GREEK: Rate = { run: 0.6, letter: 0.31 };
const HEBREW: Rate = { run: 0.7, letter: 0.29 };
const ARABIC: Rate = { run: 0.7, letter: 0.2 };
const INDIC: Rate = { run: 0.6, letter: 0.22 };
const HAN: Rate = { run: 0, letter: 0.7 };
const KANA: Rate = { run: 0, letter: 0.86 };
const HANGUL: Rate = { run: 0.2, letter: 0.72 };
const THAI: Rate = { run: 0, letter: 0.42 };
const OTHER: Rate = { run: 0, letter: 1 };
const DIGITS: Rate = { run: 0.85, letter: 0.25 };
const PUNCTUATION: Rate = { run: 0.8, letter: 0.2 };
const SPACE: Rate = { run: 0, letter: 0 };

/** First code point after each range, ascending, and the rate within it. */
const RANGES: [number, Rate][] = [
  [0x0370, LATIN],
  [0x0400, GREEK],
  [0x0530, CYRILLIC],
  [0x0590, OTHER],
  [0x0600, HEBREW],
  [0x0900, ARABIC],
  [0x0e00, INDIC],
  [0x0f00, THAI],
  [0x1000, INDIC],
  [0x1100, INDIC],
  [0x1200, HANGUL],
  [0x1e00, INDIC],
  [0x1f00, LATIN],
  [0x2000, GREEK],
  [0x3000, PUNCTUATION],
  [0x3040, PUNCTUATION],
  [0x3100, KANA],
  [0x3130, OTHER],
  [0x3190, HANGUL],
  [0xa000, HAN],
  [0xac00, OTHER],
  [0xd7b0, HANGUL],
  [0xf900, OTHER],
  [0xfb00, HAN],
  [0xfe00, ARABIC],
  [0xfe70, PUNCTUATION],
  [0xff00, ARABIC],
  [0xff61, PUNCTUATION],
  [0xffa0, KANA],
];

const ASCII: Rate[] = Array.from({ length: 128 }, (_unused, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character) || code < 0x20) return SPACE;
  if (/[a-z]/i.test(character)) return LATIN;
  return /\d/.test(character) ? DIGITS : PUNCTUATION;
});

function rateOf(code: number): Rate {
  if (code < 128) return ASCII[code] ?? OTHER;
  if (code === 0xa0 || code === 0x3000) return SPACE;
  if (code < 0xc0) return PUNCTUATION;
  return RANGES.find(([end]) => code < end)?.[1] ?? OTHER;
}

/**
 * About how many tokens text takes, before rounding. Text cut in two never counts less than
 * whole. Rates are fitted to the tokenizers of current models; see the benchmark `chunking`.
 */
export function tokenWeight(text: string, from = 0, to = text.length): number {
  let weight = 0;
  let current: Rate = SPACE;
  let letters = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const rate = rateOf(code);
    if (rate !== current) {
      weight += rate.run;
      letters = 0;
    }
    current = rate;
    if (rate !== LATIN) weight += rate.letter;
    else {
      weight += ++letters > LATIN_WORD_LETTERS ? LATIN_LONG_LETTER : rate.letter;
      if (code > ASCII.length) weight += accentOf(code);
    }
  }
  return weight;
}

/** About how many tokens text takes in a model's tokenizer: a whole number, 0 for none. */
export function estimateTokens(text: string): number {
  return Math.ceil(Math.max(0, tokenWeight(text) - ROUNDING_SLACK));
}

/** Sums of many weights carry an error of this order at most. */
const ROUNDING_SLACK = 1e-6;
