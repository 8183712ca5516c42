import { expect, test } from "vitest";

import { detectLanguage } from "../../../../src/documents/decoding/detect-language.ts";

const TEXTS: [string | null, string][] = [
  ["en", "The words of a text and those that it is made from are read in the order of the text."],
  [
    "de",
    "Die Wörter eines Textes werden gelesen, und für jede Sprache sind es nicht die gleichen.",
  ],
  [
    "fr",
    "Les mots d’une langue ne sont pas ceux que les autres ont, et c’est par eux qu’on la lit.",
  ],
  ["pl", "Nie jest tak, że do tego się od razu dochodzi, a na to są po prostu inne słowa."],
  ["ru", "Это не так, как было, но и не то, что из этого для нас по делу следует."],
  ["en", "— “The rule of 𝒜𝒷 — and that of Ω — is, as it was, on the list of rules for this.”"],
  ["ja", "これは日本語の文です。 The rest is in English."],
  ["ja", "ﾊﾝｶｸｶﾀｶﾅﾃﾞｶｶﾚﾀﾌﾞﾝ｡"],
  ["el", "Αυτό είναι ένα κείμενο."],
  [null, "q-1 x_2 q.3 x/4 q:5 x=6 q+7 x*8 q 9"],
  [null, "the of and"],
  [null, "𝒜𝒷𝒸 12 — …"],
  [null, ""],
];

const ENGLISH = "The words of a text and those that it is made from are read in order. ";
const GERMAN = "Die Wörter eines Textes werden gelesen, und für jede Sprache sind sie anders. ";
const TABLE = "q-1 x_2 q.3 x/4 q:5 x=6 q+7 x*8 q 9\n";

test("a long text is of the language of most of it, whatever stands around it", () => {
  const long = [
    ENGLISH.repeat(100) + TABLE.repeat(2_000),
    TABLE.repeat(2_000) + GERMAN.repeat(100),
    ENGLISH.repeat(20) + GERMAN.repeat(1_000),
    `${ENGLISH.repeat(40)}${"これは日本語の文です。".repeat(2_000)}`,
    "これは日本語の文です。".repeat(180) + ENGLISH.repeat(1_500),
    TABLE.repeat(2_000),
  ];
  const languages = ["en", "de", "de", "ja", "en", null];
  expect(long.map((text) => detectLanguage(text))).toEqual(languages);
});

test("the language is that of the script or of the common words; null for too few", () => {
  expect(TEXTS.map(([, text]) => [detectLanguage(text), text])).toEqual(TEXTS);
});
