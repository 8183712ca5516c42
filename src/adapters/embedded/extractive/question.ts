import { splitSentences } from "../../../text/sentences.ts";
import { stemOf } from "../../../text/stems.ts";
import { tellingWords } from "../../../text/telling-words.ts";
import { cutUnspacedScripts, wordsOf } from "../../../text/words.ts";

export type Question = ReturnType<typeof questionOf>;

/** A longer text is not a question. */
const MAX_READ_CHARACTERS = 10_000;
const MAX_TERMS = 60;
const MAX_NAMES = 10;
/** `-C`, `--depth`, `+F`; `work_mem`, `ensureDir`, `cookies.set`, `B200`; `26`, `9:30`, `v1.1` */
const NAME =
  /(?<![\p{L}\p{N}_-])-{1,2}[\p{L}\p{N}][\p{L}\p{N}_-]*|(?<=^|\s)\+\p{L}(?!\p{L})|(?<![\p{L}\p{N}_.$-])(?:\p{L}[\p{L}\p{N}$]{0,59}(?:[._][\p{L}\p{N}$]{1,60}){1,9}|\p{Ll}{1,60}\p{Lu}[\p{L}\p{N}]{0,60}|\p{L}{1,10}-?\d[\p{L}\p{N}]{0,20})(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}.,:])\d{1,20}(?:[.,:]\d{1,20}){0,4}(?![\p{L}\p{N}])/gu;
export const NEGATION =
  /\b(?:not?|never|none|nothing|without|cannot|neither|nor|except|exclud\p{L}*|disab\p{L}*|omit\p{L}*|ignor\p{L}*|invert\p{L}*|prevent\p{L}*|nicht|kein\p{L}*|nie|ohne|außer|pas|sans|sin|senza|sem)\b|n['’]t\b/iu;

/** A request's questions, if it has any, otherwise all of its words. */
export function questionOf(request: string) {
  const beginning = request.slice(0, MAX_READ_CHARACTERS);
  const questions = splitSentences(beginning).filter((sentence) => /[?？]\s*$/.test(sentence));
  const text = questions.length > 0 ? questions.join(" ") : beginning;
  const telling = tellingWords(text);
  const words = telling.length > 0 ? telling : wordsOf(text);
  return {
    /** Stems of the words that say what the question is about. */
    terms: [...new Set(words.map(stemOf))].slice(0, MAX_TERMS),
    names: [...new Set(namesIn(text))].slice(0, MAX_NAMES),
    isNegated: NEGATION.test(text),
  };
}

export const stemsOf = (text: string): string[] => wordsOf(cutUnspacedScripts(text)).map(stemOf);

/** Options, code names and figures; only options keep their case (`-c` and `-C` differ). */
export const namesIn = (text: string): string[] =>
  (text.match(NAME) ?? []).map((name) => (/^[-+]/.test(name) ? name : name.toLowerCase()));
