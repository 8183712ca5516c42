import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";

import { isLanguage, type Language } from "./languages.ts";
import { memoize } from "./memoize.ts";

/** No stemmer knows all inflections: shorter beginnings are added (measured: docs/ranking.md). */
const BEGINNINGS = [3, 4, 6];
/** Shorter words have one form; longer runs of letters, and those with digits, are no words. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 64;

/** A word's stem and the stem's beginnings. */
const createForms = (stemmer: (word: string) => string) =>
  memoize((word) => {
    if (/\p{N}/u.test(word)) return [word];
    const stem = stemmer(word);
    const beginnings = BEGINNINGS.filter((end) => end < stem.length);
    return [stem, ...beginnings.map((end) => stem.slice(0, end))];
  });
type Forms = ReturnType<typeof createForms>;
export type ReducedLanguage = Exclude<Language, "en" | "vi">;
const plainForms = createForms((word) => word);

/** Where Snowball finds more than beginnings of words do; the others were measured and do not. */
const STEMMED = new Map<Language, Forms>([
  ["fr", createForms(french)],
  ["it", createForms(italian)],
  ["nl", createForms(dutch)],
  ["da", createForms(danish)],
  ["ro", createForms(romanian)],
]);

/** Hebrew writes `and`, `the`, `in`, `to` and `from` onto a word: the word without them is a form. */
const formsWithoutPrefixes = memoize((word) => {
  const prefix = /^[\u05d1\u05d4\u05d5\u05db\u05dc\u05de\u05e9]{0,2}(?=.{3})/.exec(word)?.[0] ?? "";
  return Array.from({ length: prefix.length + 1 }, (_, at) => word.slice(at));
});

/** Forms by script: first code after its letters. */
const SCRIPTS: [from: number, to: number, forms: Forms][] = [
  [0x370, 0x400, createForms(greek)],
  [0x400, 0x530, createForms(russian)],
  [0x590, 0x600, formsWithoutPrefixes],
  [0x600, 0x700, createForms(arabic)],
  [0x900, 0xe00, plainForms],
];
const SCRIPTS_FROM = 0x370;

/** A word's forms in a language; words of other scripts are reduced as these say. */
export function formsOf(word: string, language: Language | null): string[] {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [word];
  return formsIn(word, language)?.(word) ?? [word];
}

function formsIn(word: string, language: Language | null): Forms | null {
  const code = word.charCodeAt(0);
  if (code >= SCRIPTS_FROM)
    return SCRIPTS.find(([from, to]) => code >= from && code < to)?.[2] ?? null;
  return language === null || !isReduced(language) ? null : (STEMMED.get(language) ?? plainForms);
}

/** Whether words of a language have other forms than FTS5's stemmer makes. */
export const isReduced = (language: string): language is ReducedLanguage =>
  isLanguage(language) && language !== "en" && language !== "vi";
