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
const KINDS = Object.keys(SCRIPT_OF).filter(isKind);
const SCRIPTS = [...new Set<Script>(Object.values(SCRIPT_OF))];
const numberOf = (kind: LetterKind) => ALPHABET + KINDS.indexOf(kind);
const scriptNumber = (script: Script) => SCRIPTS.indexOf(script);

export const SPACE = scriptNumber("space");
export const LATIN = scriptNumber("latin");

/** First code after each range, ascending, and the kind within it. */
const RANGES: [number, LetterKind][] = [
  [0x21, "space"],
  [0x30, "mark"],
  [0x3a, "digit"],
  [0x41, "mark"],
  [0x5b, "capital"],
  [0xa0, "mark"],
  [0xa1, "space"],
  [0xc0, "mark"],
  [0x100, "western"],
  [0x180, "central"],
  [0x370, "vietnamese"],
  [0x400, "greek"],
  [0x410, "notRussian"],
  [0x450, "cyrillic"],
  [0x530, "notRussian"],
  [0x590, "other"],
  [0x600, "hebrew"],
  [0x900, "arabic"],
  [0xe00, "indic"],
  [0xf00, "thai"],
  [0x1100, "indic"],
  [0x1200, "hangul"],
  [0x1e00, "indic"],
  [0x1f00, "vietnamese"],
  [0x2000, "greek"],
  [0x3000, "mark"],
  [0x3001, "space"],
  [0x3040, "wideMark"],
  [0x3100, "kana"],
  [0x3130, "other"],
  [0x3190, "hangul"],
  [0xa000, "han"],
  [0xac00, "other"],
  [0xd7b0, "hangul"],
  [0xf900, "other"],
  [0xfb00, "han"],
  [0xfe00, "arabic"],
  [0xfe70, "wideMark"],
  [0xff00, "arabic"],
  [0xff61, "wideMark"],
  [0xffa0, "kana"],
  [0x10000, "other"],
];

/** Kind of each UTF-16 code unit; halves of pairs are `other`. */
export const KIND_AT: Uint8Array = kindsOfCodes();
export const SCRIPT_OF_KIND: Uint8Array = Uint8Array.from(
  { length: ALPHABET + KINDS.length },
  (_, kind) => {
    const named = KINDS[kind - ALPHABET];
    return named === undefined ? LATIN : scriptNumber(SCRIPT_OF[named]);
  },
);

function kindsOfCodes(): Uint8Array {
  const kinds = new Uint8Array(0x10000);
  let start = 0;
  for (const [end, kind] of RANGES) {
    kinds.fill(numberOf(kind), start, end);
    start = end;
  }
  for (let letter = 0; letter < ALPHABET; letter++) kinds[0x61 + letter] = letter;
  const set = (letters: string, kind: LetterKind) => {
    for (const letter of letters) kinds[letter.codePointAt(0) ?? 0] = numberOf(kind);
  };
  set("\u0401\u0451", "cyrillic");
  set("\u042A\u044A", "hardSign");
  set("\u067E\u0686\u0698\u06A9\u06AF\u06CC", "persian");
  return kinds;
}

/** Whether a kind is a, i, o or u: Romance words end in these, English ones seldom. */
export const IS_OPEN_ENDING: Uint8Array = Uint8Array.from(
  { length: SCRIPT_OF_KIND.length },
  (_, kind) => (kind < ALPHABET && "aiou".includes(String.fromCodePoint(0x61 + kind)) ? 1 : 0),
);

/** Numbers by kind, and by script, as the arrays that a loop over characters reads. */
export function byKind(alphabet: number[], of: (kind: LetterKind) => number): Float64Array {
  return Float64Array.from([...alphabet, ...KINDS.map(of)]);
}

export function byScript(of: (script: Script) => number): Float64Array {
  return Float64Array.from(SCRIPTS.map(of));
}
