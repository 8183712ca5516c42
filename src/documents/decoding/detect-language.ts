import { FUNCTION_WORDS } from "../../text/languages.ts";
import { wordsOf } from "../../text/words.ts";

/** Languages by the script that mostly only they use; kana is checked before ideographs. */
const BY_SCRIPT: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, "ja"],
  [/\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/gu, "zh"],
  [/\p{Script=Thai}/gu, "th"],
  [/\p{Script=Greek}/gu, "el"],
  [/\p{Script=Hebrew}/gu, "he"],
  [/\p{Script=Arabic}/gu, "ar"],
  [/\p{Script=Devanagari}/gu, "hi"],
];

/** The commonest words of each language; those that several share count for all of them. */
const COMMON_WORDS = Object.entries({
  ...FUNCTION_WORDS,
  ru: "и в не на что с по это как к из у за от для о же все но бы при его",
  uk: "і в не на що з до як це за від для та про є але або його вони при ми",
}).map(([language, list]) => ({ language, common: new Set(wordsOf(list)) }));

/** Samples that are read of a longer text, from its beginning to its end: parts may differ. */
const SAMPLES = 6;
const SAMPLE_CHARACTERS = 1_000;
const MIN_WORDS = 8;
/** Share of common words in running text: a third and more; lists and tables have less. */
const MIN_SHARE = 0.12;
const SCRIPT_SHARE = 0.25;
const CLEAR_LEAD = 1.2;

export function detectLanguage(text: string): string | null {
  const samples = samplesOf(text);
  return detectByScript(samples.join(" ")) ?? detectByWords(samples);
}

function samplesOf(text: string): string[] {
  if (text.length <= SAMPLES * SAMPLE_CHARACTERS) return [text];
  const step = (text.length - SAMPLE_CHARACTERS) / (SAMPLES - 1);
  return Array.from({ length: SAMPLES }, (_, nth) => {
    const from = Math.floor(nth * step);
    return text.slice(from, from + SAMPLE_CHARACTERS);
  });
}

/** Most texts hold none of these and are not looked through for each script. */
const MAY_BE_OF_SCRIPT = /[\u0370-\u1fff\u2e80-\uffff]/;

function detectByScript(sample: string): string | null {
  if (!MAY_BE_OF_SCRIPT.test(sample)) return null;
  const letters = Math.max(sample.match(/\p{L}/gu)?.length ?? 0, 1);
  const match = BY_SCRIPT.find(([script, language]) => {
    const share = (sample.match(script)?.length ?? 0) / letters;
    return share > (language === "ja" ? SCRIPT_SHARE / 2 : SCRIPT_SHARE);
  });
  return match?.[1] ?? null;
}

/** One sample of running text is enough: the others may be of tables. */
function detectByWords(samples: string[]): string | null {
  const words = samples.map(wordsOf);
  const [first, second] = COMMON_WORDS.map(({ language, common }) => {
    const hits = words.map((all) => all.filter((word) => common.has(word)).length);
    const shares = words.map(({ length }, at) =>
      length < MIN_WORDS ? 0 : (hits[at] ?? 0) / length,
    );
    return {
      language,
      hits: hits.reduce((sum, each) => sum + each, 0),
      share: Math.max(...shares),
    };
  }).sort((a, b) => b.hits - a.hits);
  if (first === undefined || second === undefined) return null;
  const isClear = first.hits > second.hits * CLEAR_LEAD;
  return isClear && first.share >= MIN_SHARE ? first.language : null;
}
