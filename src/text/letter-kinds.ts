/** The script of each kind of letter: tokenizers take text apart where it changes. */
const SCRIPT_OF = {
  space: "space",
  capital: "latin",
  /** Accents of Western Europe, of Central Europe and Turkey, and all others. */
  western: "latin",
  central: "latin",
  vietnamese: "latin",
  greek: "greek",
  cyrillic: "cyrillic",
  /** Letters that Russian does not have, and the one that Bulgarian uses all the time. */
  notRussian: "cyrillic",
  hardSign: "cyrillic",
  hebrew: "hebrew",
  arabic: "arabic",
  persian: "arabic",
  indic: "indic",
  thai: "thai",
  han: "han",
  kana: "kana",
  hangul: "hangul",
  digit: "digit",
  mark: "mark",
  wideMark: "mark",
  other: "other",
} as const;

export type LetterKind = keyof typeof SCRIPT_OF;
export type Script = (typeof SCRIPT_OF)[LetterKind];

/** Kinds 0 to 25 are the letters a to z, each its own: their shares tell languages apart. */
const ALPHABET = 26;
const isKind = (name: string): name is LetterKind => name in SCRIPT_OF;
/** Their numbers follow those of the alphabet. */
export const KINDS = Object.keys(SCRIPT_OF).filter(isKind);
export const SCRIPTS = [...new Set<Script>(Object.values(SCRIPT_OF))];
const numberOf = (kind: LetterKind) => ALPHABET + KINDS.indexOf(kind);
const scriptNumber = (script: Script) => SCRIPTS.indexOf(script);

export const SPACE = scriptNumber("space");
export const LATIN = scriptNumber("latin");

/** First code after each range, in hexadecimal and ascending, and the kind within it. */
const RANGES =
  "21 space, 30 mark, 3a digit, 41 mark, 5b capital, a0 mark, a1 space, c0 mark, 100 western, " +
  "180 central, 370 vietnamese, 400 greek, 410 notRussian, 450 cyrillic, 530 notRussian, " +
  "590 other, 600 hebrew, 900 arabic, e00 indic, f00 thai, 1100 indic, 1200 hangul, 1e00 indic, " +
  "1f00 vietnamese, 2000 greek, 3000 mark, 3001 space, 3040 wideMark, 3100 kana, 3130 other, " +
  "3190 hangul, a000 han, ac00 other, d7b0 hangul, f900 other, fb00 han, fe00 arabic, " +
  "fe70 wideMark, ff00 arabic, ff61 wideMark, ffa0 kana, 10000 other";

/** Kind of each UTF-16 code unit; halves of pairs are `other`. */
export const KIND_AT: Uint8Array = kindsOfCodes();
export const SCRIPT_OF_KIND: Uint8Array = Uint8Array.from(
  { length: ALPHABET + KINDS.length },
  (_, kind) => {
    const letterKind = KINDS[kind - ALPHABET];
    return letterKind === undefined ? LATIN : scriptNumber(SCRIPT_OF[letterKind]);
  },
);

function kindsOfCodes(): Uint8Array {
  const kinds = new Uint8Array(0x10000);
  let start = 0;
  for (const [code = "", kind = ""] of RANGES.split(", ").map((pair) => pair.split(" "))) {
    const end = Number.parseInt(code, 16);
    if (isKind(kind)) kinds.fill(numberOf(kind), start, end);
    start = end;
  }
  for (let letter = 0; letter < ALPHABET; letter++) kinds[0x61 + letter] = letter;
  const setKind = (letters: string, kind: LetterKind) => {
    for (const letter of letters) kinds[letter.codePointAt(0) ?? 0] = numberOf(kind);
  };
  setKind("\u0401\u0451", "cyrillic");
  setKind("\u042A\u044A", "hardSign");
  setKind("\u067E\u0686\u0698\u06A9\u06AF\u06CC", "persian");
  return kinds;
}

/** Whether a kind is a, i, o or u: Romance words end in these, English ones seldom. */
export const IS_OPEN_ENDING: Uint8Array = Uint8Array.from(
  { length: SCRIPT_OF_KIND.length },
  (_, kind) => (kind < ALPHABET && "aiou".includes(String.fromCodePoint(0x61 + kind)) ? 1 : 0),
);
