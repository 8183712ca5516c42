import { tellingWords } from "../../../text/telling-words.ts";
import { wordsOf } from "../../../text/words.ts";
import { splitSentences } from "../../../text/sentences.ts";
import { stemOfForm } from "./stems.ts";

type Term = {
  stem: string;
  weight: number;
  /** Whether it is a name in code (`ensureDir`), of which no part stands for the whole. */
  isCode: boolean;
};

export type Question = {
  terms: Term[];
  /** Options, names in code and figures, which an answer holds as they are written. */
  names: string[];
  figures: string[];
  /** Whether it asks for a number, a default, what does not hold, or how something is done. */
  wants: "number" | "default" | "negation" | "way" | null;
  /** Stems of what is counted: `days` of `How many days …?` */
  counted: string[];
};

/** Only the first terms of a question are used; a longer text is not a question. */
const MAX_TERMS = 60;
const MAX_EXACT = 10;
const MAX_READ_CHARACTERS = 10_000;
/** Names, numbers and options say precisely what is asked for; some words, almost nothing. */
const PRECISE_WEIGHT = 1.5;
const COMMON_WEIGHT = 0.6;
const COMMON = new Set(
  `allow allowed apply available call case called cause change come different do exactly example
   exist file files happen happened happens include kind like list long make makes mean means set
   support supports work works document documents documentation handbook manual page option
   parameter property flag field attribute argument setting`.split(/\s+/),
);
const CODE_NAME =
  /(?<![\p{L}\p{N}])\p{Ll}+\p{Lu}[\p{L}\p{N}]*|(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}_]{5,}(?![\p{L}\p{N}])/gu;
/** `-C`, `--depth`, `+F`; `work_mem`, `ensureDir`, `cookies.set`, `B200` */
const NAME =
  /(?<![\p{L}\p{N}_-])-{1,2}[\p{L}\p{N}][\p{L}\p{N}_-]*|(?<=^|\s)\+\p{L}(?!\p{L})|(?<![\p{L}\p{N}_.$-])(?:[\p{L}\p{N}$]{1,60}(?:[._][\p{L}\p{N}$]{1,60}){1,9}|\p{Ll}{1,60}\p{Lu}[\p{L}\p{N}]{0,60}|\p{L}{1,10}-?\d[\p{L}\p{N}]{0,20})(?![\p{L}\p{N}_])/gu;
/** `26`, `9:30`, `1.1` */
const FIGURE =
  /(?<![\p{L}\p{N}.,:])\d{1,20}(?:[.,:]\d{1,20}){0,4}(?![\p{L}\p{N}])|(?<=\bv)\d{1,9}(?:\.\d{1,9}){1,4}/gu;
const NUMBER =
  /\b(?:how (?:many|much|long|high|old|far|big|deep|fast|heavy)|wie (?:viele?|lange?|hoch|alt|weit|tief|schwer)|combien|cuant[oa]s?|quant[oaie]s?)\b|多少|几|何(?:日|人|回|個|冊|台)/u;
const NEGATED = /\b(?:not|never|without|nicht|kein(?:e[nrms]?)?|ohne|sans)\b|n['’]t\b/i;

const HOW = /^how (?:do|can|could|should|would|may|might|must|to)\b/;

/** What a request asks for: its questions, if it has any, otherwise all of its words. */
export function questionOf(request: string): Question {
  const read = request.slice(0, MAX_READ_CHARACTERS);
  const asked = splitSentences(read).filter((one) => /[?？]\s*$/.test(one));
  const text = asked.length > 0 ? asked.join(" ") : read;
  const words = wordsOf(text).join(" ");
  return {
    terms: termsOf(text),
    names: [...namesIn(text)].slice(0, MAX_EXACT),
    figures: figuresIn(text).slice(0, MAX_EXACT),
    wants: wantedIn(text, words),
    counted: (/\b(?:how many|wie viele?) (\p{L}+)/u.exec(words)?.slice(1) ?? []).map(stemOfForm),
  };
}

function wantedIn(text: string, words: string): Question["wants"] {
  if (NUMBER.test(words)) return "number";
  if (/\bdefaults?\b/.test(words)) return "default";
  if (NEGATED.test(text)) return "negation";
  return HOW.test(words) ? "way" : null;
}

/** What may stand between two names of one thing: `-v, --invert <x>`, `` `a` or `b` ``. */
const SAME = /^(?:[=\s]?<[^<>]{0,60}>|=\S{1,60})?[\s`'"*]*(?:(?:[,|/]|\bor\b)[\s`'"*]*|\s)$/;
/** Characters of a sentence, an item or a row in which it says what it is about. */
const HEAD_CHARACTERS = 60;

/** The names with which a text begins, of one thing; null where it begins without. */
export function subjectOf(text: string): Set<string> | null {
  const head = text.slice(0, HEAD_CHARACTERS);
  const found = [...head.matchAll(NAME)];
  const end = found.findIndex(({ index }, at) => {
    const before = found[at - 1];
    return before !== undefined && !SAME.test(head.slice(before.index + before[0].length, index));
  });
  const names = found.slice(0, end === -1 ? undefined : end).map(([name]) => name);
  return names.length === 0 ? null : namesIn(names.join("\n"));
}

/** Options in their own letters (`-c` and `-C` are two); other names without regard to case. */
export const namesIn = (text: string): Set<string> =>
  new Set(
    (text.match(NAME) ?? [])
      .filter((name) => /\p{L}/u.test(name))
      .map((name) => (/^[-+]/.test(name) ? name : name.toLowerCase())),
  );

export const figuresIn = (text: string): string[] => [...new Set(text.match(FIGURE) ?? [])];

function weightOf(word: string): number {
  if (/\d/.test(word)) return PRECISE_WEIGHT;
  return COMMON.has(word) ? COMMON_WEIGHT : 1;
}

/** Stems without the words that only ask; all of them when nothing else is left. */
function termsOf(text: string): Term[] {
  const code = new Set((text.match(CODE_NAME) ?? []).flatMap(wordsOf));
  const telling = tellingWords(text);
  const terms = new Map<string, Term>();
  // The letter of `-C` is looked for as it is written.
  const hasOption = /(?:^|\s)[-+]\p{L}(?![\p{L}\p{N}])/u.test(text);
  for (const word of telling.length > 0 ? telling : wordsOf(text)) {
    if (terms.size >= MAX_TERMS) break;
    if (hasOption && word.length === 1) continue;
    const isCode = code.has(word);
    const weight = isCode ? PRECISE_WEIGHT : weightOf(word);
    const stem = stemOfForm(word);
    if ((terms.get(stem)?.weight ?? 0) < weight) terms.set(stem, { stem, weight, isCode });
  }
  return [...terms.values()];
}
