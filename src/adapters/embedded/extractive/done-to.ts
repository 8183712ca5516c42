import { isTelling } from "../../../text/telling-words.ts";
import { wordsOf } from "../../../text/words.ts";
import { LIGHT_VERBS } from "./question.ts";
import type { Question } from "./question.ts";
import { specialStems } from "./sections.ts";
import type { Sentence } from "./sentences.ts";
import { isLike, stemOfForm } from "./stems.ts";

/** `list` and [`instal`, `packag`] of `How do I list installed packages with dpkg-query?` */
type Deed = { verb: string; object: string[] };

const ASKS_HOW =
  /^how (?:to|(?:do|can|could|should|would|must) (?:i|you|we|one)) (?<verb>\p{L}+) (?<rest>.{2,300})$/u;
/** Words that lead to a thing and say nothing of it. */
const DETERMINES = new Set(
  "a an the all any each every some both only just its their my your this that these those".split(
    " ",
  ),
);
/** Words with which something else begins than the thing that it is done to. */
const ENDS = new Set(
  `of in to from for with without by on at as into onto over under against between within through
  across about above below beside behind near per like via using than that which who whose where if when while until unless after
  before but so is are was were be been it them they i you we not no`.split(/\s+/),
);
/** Words that lead to a verb. */
const LEADS_TO_VERB = new Set("to can will may must should you then".split(" "));
const FIRST_WORDS = 2;
/** Words among which the object of a verb ends. */
const MAX_WORDS = 20;
/** `back` of `roll back` */
const PARTICLES = new Set("back up down out off away".split(" "));
const PURPOSE = /^to /i;
const CLAUSE = /[,;:.!?()\u2013\u2014](?:\s|$)/u;

/**
 * Whether a sentence does what is asked, but to something else: `list files` for `list packages`, or
 * `make hard links` for `make a symbolic link`.
 */
export function isDoneToOther(best: Sentence, quoted: Sentence[], question: Question): boolean {
  const asked = deedIn(question);
  const head = asked?.object.at(-1);
  if (asked === null || head === undefined || !specialStems(best, question).includes(head)) {
    return false;
  }
  const { group } = best;
  const text = group.kind === "code" ? group.introduction : best.text;
  // Code shows what is done, whatever the sentence above it says, unless it says to which end.
  if (quoted.some((one) => one.group.kind === "table")) return false;
  if (quoted.some((one) => one.group.kind === "code") && !PURPOSE.test(text)) return false;
  if (isNamedFor(best, question, asked.verb, head)) return false;
  const clauses = text.split(CLAUSE).map(wordsOf);
  const objects = clauses.flatMap((words) => objectsIn(words, asked.verb));
  return objects.length > 0 && objects.every((object) => isOther(object, asked, head));
}

function deedIn({ text }: Question): Deed | null {
  const found = ASKS_HOW.exec(wordsOf(text).join(" "))?.groups;
  const { verb, rest } = found ?? {};
  if (verb === undefined || rest === undefined) return null;
  return { verb: stemOfForm(verb), object: objectOf(rest.split(" ")) };
}

/** The stems of what something is done to, up to the word that begins something else. */
function objectOf(words: string[]): string[] {
  const from = words.findIndex((word) => !DETERMINES.has(word));
  // `shrink or extend the size`: another verb follows.
  if (from === -1 || /^(?:and|or)$/.test(words[from] ?? "")) return [];
  const length = words.slice(from).findIndex((word) => ENDS.has(word));
  const run = words.slice(from, length === -1 ? undefined : from + length);
  return run.filter((word) => isTelling(word) && !PARTICLES.has(word)).map(stemOfForm);
}

/** What the verb stands before, wherever it is one; without those that stand before nothing. */
function objectsIn(words: string[], verb: string): string[][] {
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? "";
    const isFirst = at < FIRST_WORDS && !DETERMINES.has(before);
    const isVerb = isFirst || LEADS_TO_VERB.has(before);
    if (!isVerb || stemOfForm(word) !== verb) return [];
    const object = objectOf(words.slice(at + 1, at + 1 + MAX_WORDS));
    return object.length === 0 ? [] : [object];
  });
}

function isOther(object: string[], asked: Deed, head: string): boolean {
  const at = object.findIndex((stem) => isLike(stem, [head]));
  if (at === -1) return !LIGHT_VERBS.has(asked.verb);
  const special = asked.object.slice(0, -1);
  const before = object.slice(0, at);
  return special.length > 0 && before.length > 0 && !special.some((stem) => isLike(stem, object));
}

/** Whether the heading names both, as `queue.pause()` does, or each part of the option is asked for. */
function isNamedFor(best: Sentence, question: Question, verb: string, head: string): boolean {
  const heading = wordsOf(best.heading).map(stemOfForm);
  if (isLike(verb, heading) && isLike(head, heading)) return true;
  const parts = partsOfOption(best.group.introduction);
  return parts.length > 0 && parts.every((part) => isAsked(part, part.length, question));
}

/** Whether a word of the question is a part of a name, or begins with its first letters. */
const isAsked = (part: string, letters: number, { text }: Question): boolean =>
  wordsOf(text).some(
    (word) =>
      stemOfForm(word) === part ||
      (part.length >= NAME_LETTERS && word.startsWith(part.slice(0, letters))),
  );

/** Names shorten words, and `numeric` stands for `number`. */
const NAME_LETTERS = 3;

/** The first long name of an option, with which an entry begins. */
const OPTION_NAME =
  /^(?:(?:-[^-\s][^-]{0,40}\s)?--(?=\p{L})|(?=\p{Ll}+-\p{Ll}))(?<name>\p{L}+(?:-\p{L}+){0,5})/u;

/** `export`, `ssh` and `key` of `--export-ssh-key` */
function partsOfOption(introduction: string): string[] {
  const name = OPTION_NAME.exec(introduction)?.groups?.["name"];
  return name === undefined ? [] : name.toLowerCase().split("-").map(stemOfForm);
}

/** Whether the option's name says more than is asked for: `--export-ssh-key` for a public key. */
export function isOfNarrowerOption({ group }: Sentence, question: Question): boolean {
  if (question.options.length > 0) return false;
  const parts = partsOfOption(group.introduction);
  const asked = parts.filter((part) => isAsked(part, NAME_LETTERS, question));
  return asked.length > 0 && asked.length < parts.length;
}
