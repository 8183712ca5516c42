import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";

import type { Language } from "./languages.ts";

type Stemmer = (word: string) => string;
const asItIs: Stemmer = (word) => word;

/** Where Snowball finds more than beginnings of words do; the others were measured and do not. */
const STEMMERS: Record<Exclude<Language, "english" | "vietnamese">, Stemmer> = {
  german: asItIs,
  french,
  spanish: asItIs,
  italian,
  portuguese: asItIs,
  dutch,
  swedish: asItIs,
  danish,
  finnish: asItIs,
  hungarian: asItIs,
  romanian,
  turkish: asItIs,
  polish: asItIs,
  czech: asItIs,
  other: asItIs,
};

/** The same by script: first code after its letters. */
const SCRIPTS: [from: number, to: number, stemmer: Stemmer][] = [
  [0x370, 0x400, greek],
  [0x400, 0x530, russian],
  [0x600, 0x700, arabic],
  [0x900, 0xe00, asItIs],
];
const SCRIPTS_FROM = 0x370;

/** No stemmer knows all inflections: shorter beginnings are added (measured: docs/ranking.md). */
const BEGINNINGS = [3, 4, 6];
/** Shorter words have one form; longer runs of letters, and those with digits, are no words. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 64;

/** Words recur. Cleared when full. */
const REMEMBERED_WORDS = 20_000;
const remembered = new Map<Stemmer, Map<string, string[]>>();

/** A word's stem and the stem's beginnings; words of other scripts are reduced as these say. */
export function formsOf(word: string, language: Language | null): string[] {
  const stemmer = stemmerFor(word, language);
  const { length } = word;
  if (stemmer === null || length < MIN_LENGTH || length > MAX_LENGTH) return [word];
  let known = remembered.get(stemmer);
  if (known === undefined || known.size >= REMEMBERED_WORDS) {
    known = new Map();
    remembered.set(stemmer, known);
  }
  const before = known.get(word);
  if (before !== undefined) return before;
  const forms = /\p{N}/u.test(word) ? [word] : withBeginnings(stemmer(word));
  known.set(word, forms);
  return forms;
}

function withBeginnings(stem: string): string[] {
  return [stem, ...BEGINNINGS.filter((end) => end < stem.length).map((end) => stem.slice(0, end))];
}

function stemmerFor(word: string, language: Language | null): Stemmer | null {
  const code = word.charCodeAt(0);
  if (code >= SCRIPTS_FROM)
    return SCRIPTS.find(([from, to]) => code >= from && code < to)?.[2] ?? null;
  return language === null || !isReduced(language) ? null : STEMMERS[language];
}

/** Whether words of a language have other forms than FTS5's stemmer makes. */
export const isReduced = (language: Language): language is keyof typeof STEMMERS =>
  language in STEMMERS;
