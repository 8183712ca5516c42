import { wordsOf } from "../../../text/words.ts";
import { numberWordsFor } from "./number-words.ts";
import { sentencesOf } from "./sentences.ts";
import { stemOfForm } from "./stems.ts";
import { isTelling, tellingWords } from "../../../text/telling-words.ts";

const words = (list: string) => new Set(list.trim().split(/\s+/));

/** What happens to many things: these say less of what is asked for than the thing itself. */
const COMMON = words(`
  allow allowed apply available call case called cause change come different do exactly example
  exist file files happen happened happens include kind like list long make makes mean means
  name number old order part put run set start take takes time turn type value work works
  document documents documentation handbook manual project page`);
const COMMON_WEIGHT = 0.6;
const KINDS_OF_THINGS = words(`
  option parameter property flag field attribute argument setting`);
const KIND_STEMS = new Set(Array.from(KINDS_OF_THINGS, stemOfForm));

/** Names, numbers and options say precisely what is asked for. */
const PRECISE_WEIGHT = 1.5;

/** Only the first terms of a question are used; a longer text is not a question. */
const MAX_TERMS = 60;

export type Term = {
  stem: string;
  /** How much of the question the term carries, before its rarity is known. */
  weight: number;
  /** Whether it is a name in code (`ensureDir`), of which no part stands for the whole. */
  isCode: boolean;
};

export type Question = {
  terms: Term[];
  /** Stems of what is asked for: `default limit` of `What is the default limit of a body?` */
  asked: Set<string>;
  /** Options and flags (`-C`, `--depth`), which must stand in an answer as they are written. */
  options: string[];
  /** Numbers and versions, which must stand in what is said to be the answer. */
  figures: string[];
  kind: AnswerKind;
  /** The words, folded, that are numbers in its language, where it asks for one. */
  numberWords: Set<string>;
  form: QuestionForm;
  /** Names with a dot (`cookies.set`), which must stand in what is said to be the answer. */
  dotted: string[];
  /** Whether it asks for what does not hold or is not done. */
  isNegated: boolean;
  /** What is asked, in its own words. */
  text: string;
  /** Its words as they follow each other, for names that consist of several (`is-number`). */
  spelt: string;
  /** The stem of what is done, where an English question asks how: `zip`. */
  verb: string | null;
};

const NEGATED = /\b(?:not|never|without|nicht|kein(?:e[nrms]?)?|ohne|sans)\b|n['’]t\b/i;
const DOTTED =
  /(?<![\p{L}\p{N}.])[\p{L}_$][\p{L}\p{N}_$-]{1,60}\.[\p{L}_$][\p{L}\p{N}_$]{1,60}(?![\p{L}\p{N}])/gu;
const MAX_READ = 2_000;
/** `-C`, `--depth`, `+i` */
const OPTION = /(?<![\p{L}\p{N}_-])-{1,2}[\p{L}\p{N}][\p{L}\p{N}_-]*|(?<=^|\s)\+\p{L}(?!\p{L})/gu;
const MAX_OPTIONS = 10;

/** What a request asks for: its questions, if it has any, otherwise all of its words. */
export function questionOf(request: string): Question {
  const asked = sentencesOf(request).filter(({ text }) => text.endsWith("?"));
  const text = asked.length > 0 ? asked.map((one) => one.text).join(" ") : request;
  const terms = termsOf(text);
  return {
    terms,
    asked: askedIn(text, terms),
    options: optionsOf(text),
    figures: figuresIn(text).slice(0, MAX_FIGURES),
    kind: answerKind(text),
    numberWords: numberWordsFor(text) ?? new Set(),
    form: formOf(text),
    isNegated: NEGATED.test(text),
    text,
    spelt: ` ${wordsOf(text.slice(0, MAX_READ)).join(" ")} `,
    verb: verbIn(wordsOf(text)),
    dotted: Array.from(text.matchAll(DOTTED), ([name]) => name.toLowerCase()).slice(0, MAX_OPTIONS),
  };
}

/** Stems without the words that only ask; all of them when nothing else is left. */
function termsOf(text: string): Term[] {
  const names = new Set(namesIn(text));
  const code = new Set((text.match(CODE_NAME) ?? []).flatMap(wordsOf));
  const telling = tellingWords(text);
  const terms = new Map<string, Term>();
  for (const word of telling.length > 0 ? telling : wordsOf(text)) {
    if (terms.size >= MAX_TERMS) break;
    const isPrecise = names.has(word) || /\d/.test(word);
    const stem = stemOfForm(word);
    const isCommon = COMMON.has(word) || isKindOfThing(stem);
    const weight = isPrecise ? PRECISE_WEIGHT : isCommon ? COMMON_WEIGHT : 1;
    const known = terms.get(stem);
    if (known === undefined || known.weight < weight) {
      terms.set(stem, { stem, weight, isCode: code.has(word) });
    }
  }
  return [...terms.values()];
}

/** `ensureDir`, `LC_MESSAGES` */
const CODE_NAME =
  /(?<![\p{L}\p{N}])\p{Ll}+\p{Lu}[\p{L}\p{N}]*|(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}_]{5,}(?![\p{L}\p{N}])/gu;

const ASKS_FOR = /^(?:what|which|welche[rsnm]?)$/;

/**
 * What stands between `what` or `which` and the next word that only builds the sentence; of what is
 * done, to what: `types` of `How do I generate types from a schema?`
 */
function askedIn(text: string, terms: Term[]): Set<string> {
  const all = wordsOf(text);
  const at = all.findIndex((word) => ASKS_FOR.test(word));
  if (at === -1) return objectIn(all);
  const after = all.slice(at + 1);
  const from = Math.max(0, after.findIndex(isTelling));
  const length = after.slice(from).findIndex((word) => !isTelling(word));
  const run = after.slice(from, length === -1 ? undefined : from + length);
  const stems = new Set(run.map(stemOfForm));
  const carrying = terms.filter(({ stem, weight }) => weight >= 1 && stems.has(stem));
  return new Set(carrying.map(({ stem }) => stem));
}

function objectIn(all: string[]): Set<string> {
  const run = doneIn(all);
  const end = run.findIndex((word) => !isTelling(word));
  return new Set(run.slice(1, end === -1 ? undefined : end).map(stemOfForm));
}

/** What follows `How do I`, from the first word that tells something. */
function doneIn(all: string[]): string[] {
  const isDone = all[0] === "how" && /^(?:do|can|could|should|would|to)$/.test(all[1] ?? "");
  const at = isDone ? all.findIndex((word, place) => place > 0 && isTelling(word)) : -1;
  return at === -1 ? [] : all.slice(at);
}

function verbIn(all: string[]): string | null {
  const [verb] = doneIn(all);
  return verb === undefined ? null : stemOfForm(verb);
}

/** Verbs that say little without what is done: documents say it in others. */
export const LIGHT_VERBS = new Set(
  Array.from(words("make take put set turn run use change read do"), stemOfForm),
);

/** Capitalised words that do not begin a sentence; not in German, where all nouns are. */
function namesIn(text: string): string[] {
  if (/[äöüß]|\b(?:der|die|das|ist|wie|wer|wann|ich|und|ein|eine)\b/i.test(text)) return [];
  const found = text.matchAll(/(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]+/gu);
  return [...found].flatMap(({ 0: name }) => wordsOf(name));
}

/** The options that a text names, in its own letters: `-c` and `-C` are two. */
export const optionsIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(OPTION), ([option]) => option));

const MAX_FIGURES = 10;
const FIGURE =
  /(?<![\p{L}\p{N}.,:])\d{1,20}(?:[.,:]\d{1,20}){0,4}(?![\p{L}\p{N}])|(?<=\bv)\d{1,9}(?:\.\d{1,9}){1,4}/gu;

/** Numbers, times and versions as they are written: `26`, `9:30`, `1.1`. */
export const figuresIn = (text: string): string[] =>
  Array.from(text.matchAll(FIGURE), ([figure]) => figure);

const optionsOf = (text: string) => [...optionsIn(text)].slice(0, MAX_OPTIONS);

/** `default`: the value that holds where none is given. */
type AnswerKind = "number" | "time" | "person" | "default" | null;

const AT_WHAT_TIME =
  /(?:^|\b(?:since|until|till|by|and|bis|ab|seit) )(?:when|wann)\b|\b(?:what (?:time|date|day|year)|how often|wie oft)\b/;

function answerKind(question: string): AnswerKind {
  if (numberWordsFor(question) !== null) return "number";
  const asked = wordsOf(question).join(" ");
  if (AT_WHAT_TIME.test(asked)) return "time";
  if (/\b(?:who|whom|wer|wen|wem)\b/.test(asked)) return "person";
  return /\bthe default\b/.test(asked) ? "default" : null;
}

/** `how`: how something is done; `what`: what something is, does or means. */
type QuestionForm = "how" | "what" | null;

const HOW =
  /^(?:(?:and|so|but|und|aber) )?(?:how (?:do|can|could|should|would|may|might|must|to)\b|(?:is there a|what is the(?: best)?) way to\b|wie (?:(?:kann|konnte|muss|soll|sollte) \p{L}+|(?!viele?\b|lange?\b)\p{L}+e (?:ich|man)\b|\p{L}+ (?:man|wir)\b)|comment\b(?! (?:out|in|of)\b)|como\b|come (?:posso|si|faccio)\b)|怎么|怎样|如何|には$|方法は|どうすれ|どうやって/u;
const WHAT =
  /^(?:(?:and|so|but|und|aber) )?(?:what (?:is|are|was|were|does|do|s)\b|whats\b|was (?:ist|sind|macht|bedeutet|heisst|bewirkt)\b|qu est ce\b|que (?:fait|signifie|es|son|significa|hace)\b|(?:che )?cos(?:a| e)\b|o que\b)|とは|是什么|什么是/u;

function formOf(question: string): QuestionForm {
  const asked = wordsOf(question).join(" ");
  if (HOW.test(asked)) return "how";
  return WHAT.test(asked) ? "what" : null;
}

/** Whether a word only says what kind of thing another one names: `option` in `the strict option`. */
export const isKindOfThing = (stem: string): boolean => KIND_STEMS.has(stem);

const NUMBER =
  /\d|[一二两三四五六七八九十百千万][つ日人回個冊台年月週周时時小分秒天个位名点円元岁歳度枚本]/;
const TIME =
  /\d{1,2}[:.]\d{2}|\b(19|20)\d{2}\b|\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|noon|midnight|daily|weekly|monthly|yearly|quarterly?|every|each|once|twice|täglich|jede[nrsm]?)\b|\d (day|hour|week|month|minute)/i;
const PERSON = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(team|manager|lead|officer|head|desk|department)\b/u;
const DEFAULT =
  /\b(?:[Dd]efault|DEFAULT)(?:s|ed)?\b[^.\n]{0,60}?(?:\d|[`"'“:=]|\b(?:[Tt]rue|TRUE|[Ff]alse|FALSE|[Nn]ull|NULL|[Nn]one|NONE|[Oo]n|ON|[Oo]ff|OFF|[Yy]es|YES|[Nn]o|NO|[Ii]nfinity)\b|\b(?:is|are|to)\b)|(?:\d|[`"'”]|\p{Lu}{3})[^.\n]{0,30}\bby default\b|[Bb]y default,?\s[^.\n]{0,80}(?:\d|[`"'“])/u;
const KIND_PATTERNS = { number: NUMBER, time: TIME, person: PERSON, default: DEFAULT };

/** Whether a text holds what a question of the kind asks for. */
export function holdsKind(text: string, { kind, numberWords }: Question): boolean {
  if (kind === null) return false;
  if (KIND_PATTERNS[kind].test(text)) return true;
  return kind === "number" && wordsOf(text).some((word) => numberWords.has(word));
}

/** `When …?` is answered by a condition, too. */
const CONDITION =
  /\b(?:when|after|before|once|if|until|while|as soon as|wenn|nach|vor|sobald|bis|während)\b/i;

/** Whether a text may answer a question of the kind; a person may be named in any words. */
export const fitsKind = (text: string, question: Question): boolean =>
  question.kind === null ||
  question.kind === "person" ||
  holdsKind(text, question) ||
  (question.kind === "time" && CONDITION.test(text));
