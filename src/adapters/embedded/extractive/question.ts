import { pairUnspacedScripts, wordsOf } from "../../../text/words.ts";
import { sentencesOf, stemOfForm } from "./sentences.ts";

const words = (list: string) => new Set(list.trim().split(/\s+/));

/** Words that build a sentence, or that say that something is asked, in English and German. */
const NOT_TOLD = words(`
  a about above after again all also am an and any are aren as at be because been before being below
  between both but by can cannot could couldn d did didn do does doesn doing don done each else ever
  few for from further get gets getting give given gives go goes got had has hasn have having he her
  here hers him his how i if in into is isn it its itself just know let lets ll look m many may me
  might mine more most much must my myself often need needed needs no nor not now of off on once one ones
  only or other our ours out over own per please possible re s same say says shall she should show
  shown so some somebody someone something such t tell than that the their theirs them then there
  these they thing things this those through to too under until up us use used using ve very want
  wants was way we were what whats when where whether which while who whom whose why will with
  without won would you your yours according answer question explain describe find
  aber als am an auch auf aus bei beim bekomme bekommt bin bis bitte da dann darf das dass dein dem
  den der des die dir du durch ein eine einem einen einer eines er es euch fur gibt hat habe haben
  ich ihm ihn ihr im in ist ja jede jeder kann kein keine man mein mich mir mit muss mussen nach
  nicht noch nun nur ob oder ohne sein seine sich sie sind so soll sollte uber um und uns unser unter
  viel viele vom von vor wann war warum was welche welcher welches wem wen wenn wer werden wie wir
  wird wo wohin woher zu zum zur`);

/** What happens to many things: these say less of what is asked for than the thing itself. */
const COMMON = words(`
  allow allowed apply available call case called cause change come different do exactly example
  exist file files happen happened happens include kind like list long make makes mean means
  name number old order part put run set start take takes time turn type value work works
  document documents documentation handbook manual project page`);
const COMMON_WEIGHT = 0.6;
/** Names, numbers and options say precisely what is asked for. */
const PRECISE_WEIGHT = 1.5;

/** Only the first terms of a question are used; a longer text is not a question. */
const MOST_TERMS = 60;

/** `weight`: how much of the question the term carries, before its rarity is known. */
export type Term = { stem: string; weight: number };

export type Question = {
  terms: Term[];
  /** Options and flags (`-C`, `--depth`), which must stand in an answer as they are written. */
  options: string[];
  kind: AnswerKind;
};

const OPTION = /(?<![\p{L}\p{N}_-])-{1,2}[\p{L}\p{N}][\p{L}\p{N}_-]*/gu;
const MOST_OPTIONS = 10;

/** What a request asks for: its questions, if it has any, otherwise all of its words. */
export function questionOf(request: string): Question {
  const asked = sentencesOf(request).filter(({ text }) => text.endsWith("?"));
  const text = asked.length > 0 ? asked.map((one) => one.text).join(" ") : request;
  return { terms: termsOf(text), options: optionsOf(text), kind: answerKind(text) };
}

/** The words of a text that are not only there to ask or to build a sentence. */
export const tellingWords = (text: string): string[] =>
  wordsOf(pairUnspacedScripts(text)).filter((word) => !NOT_TOLD.has(word));

/** Stems without the words that only ask; all of them when nothing else is left. */
function termsOf(text: string): Term[] {
  const names = new Set(namesIn(text));
  const telling = tellingWords(text);
  const terms = new Map<string, Term>();
  for (const word of telling.length > 0 ? telling : wordsOf(text)) {
    if (terms.size >= MOST_TERMS) break;
    const isPrecise = names.has(word) || /\d/.test(word);
    const weight = isPrecise ? PRECISE_WEIGHT : COMMON.has(word) ? COMMON_WEIGHT : 1;
    const stem = stemOfForm(word);
    const known = terms.get(stem);
    if (known === undefined || known.weight < weight) terms.set(stem, { stem, weight });
  }
  return [...terms.values()];
}

/** Capitalised words that do not begin a sentence; not in German, where all nouns are. */
function namesIn(text: string): string[] {
  if (/[äöüß]|\b(?:der|die|das|ist|wie|wer|wann|ich|und|ein|eine)\b/i.test(text)) return [];
  const found = text.matchAll(/(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]+/gu);
  return [...found].flatMap(({ 0: name }) => wordsOf(name));
}

/** The options that a text names, in its own letters: `-c` and `-C` are two. */
export const optionsIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(OPTION), ([option]) => option));

const optionsOf = (text: string) => [...optionsIn(text)].slice(0, MOST_OPTIONS);

export type AnswerKind = "number" | "time" | "person" | null;

const HOW_MANY =
  /\bhow (?:many|much|long|high|old|far|big|deep|fast)\b|\bwie (?:viele?|lange|hoch|alt|weit|tief)\b/;
const AT_WHAT_TIME =
  /(?:^|\b(?:since|until|till|by|and|bis|ab|seit) )(?:when|wann)\b|\b(?:what (?:time|date|day|year)|how often|wie oft)\b/;

function answerKind(question: string): AnswerKind {
  const asked = wordsOf(question).join(" ");
  if (HOW_MANY.test(asked)) return "number";
  if (AT_WHAT_TIME.test(asked)) return "time";
  return /\b(?:who|whom|wer|wen|wem)\b/.test(asked) ? "person" : null;
}

const NUMBER =
  /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|dreißig)\b/i;
const TIME =
  /\d{1,2}[:.]\d{2}|\b(19|20)\d{2}\b|\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|noon|midnight|daily|weekly|monthly|yearly|quarterly?|every|each|once|twice|täglich|jede[nrsm]?)\b|\d (day|hour|week|month|minute)/i;
const PERSON = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(team|manager|lead|officer|head|desk|department)\b/u;
const KIND_PATTERNS = { number: NUMBER, time: TIME, person: PERSON };

/** Whether a text holds what a question of the kind asks for. */
export const holdsKind = (text: string, kind: AnswerKind): boolean =>
  kind !== null && KIND_PATTERNS[kind].test(text);
