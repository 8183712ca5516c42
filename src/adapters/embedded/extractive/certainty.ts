import { standsBeside } from "./beside.ts";
import { figuresIn, fitsKind, holdsKind, optionsIn } from "./question.ts";
import { LEADS, REFERS } from "./quote.ts";
import type { Quote } from "./quote.ts";
import type { Question } from "./question.ts";
import { explains, instructs, isRunTogether, isStep } from "./priors.ts";
import { boundIn, optionsAbove } from "./relevance.ts";
import { isAsked, timesNamed } from "./sections.ts";
import type { Sentence } from "./sentences.ts";
import { isLike, stemsOf } from "./stems.ts";

/** The share of the question that a quotation must bind … */
const MIN_BOUND = 0.9;
/** … from a document that the question names … */
const MIN_BOUND_NAMED = 0.75;
/** … or of which more than half of the passages are that the search found. */
const MIN_BOUND_AMONG_MOST = 0.7;
/** What text must say without its headings: they tell what it is about, not what it says. */
const MIN_SAID = 0.3;
/** How far it must bind each word of what is asked for: `limit` in `What is the limit …?` */
const MIN_ASKED_BOUND = 0.5;

/**
 * Whether a quotation is said to be the answer. Words of a question stand near each other in many
 * documents by chance, so it must bind almost all of them; fewer where the question or the search
 * as a whole points to its document. A document that the question names goes before all others, but
 * for a section whose heading asks the question.
 * @param best the sentence that answers best; `quote`: of its passage; `passages`: all sentences of all passages.
 */
export function isCertain(
  best: Sentence,
  quote: Quote,
  passages: Sentence[],
  question: Question,
): boolean {
  const { sentences: quoted } = quote;
  const source = quoted[0]?.source;
  if (source === undefined || !mayAnswer(best, quoted, question)) return false;
  if (!isShown(quote, question)) return false;
  const { bound, said, leastAsked } = boundIn(quoted, passages, question);
  if (leastAsked < MIN_ASKED_BOUND || (said < MIN_SAID && !needsNoWords(quoted, question))) {
    return false;
  }
  if (bound >= MIN_BOUND && isAsked(best.group, best, question)) return true;
  return isBoundBySource(bound, source, sourcesOf(passages), question);
}

/** Whether what binds the question stands in what is shown, where something is shown in part only. */
function isShown({ text, cut }: Quote, question: Question): boolean {
  if (cut.length === 0) return true;
  const whole = cut.join("\n");
  const [stems, shown] = [new Set(stemsOf(whole)), new Set(stemsOf(text))];
  const [options, shownOptions] = [optionsIn(whole), optionsIn(text)];
  return (
    question.terms.every(({ stem }) => !isLike(stem, stems) || isLike(stem, shown)) &&
    question.options.every((option) => !options.has(option) || shownOptions.has(option)) &&
    (!holdsKind(whole, question) || holdsKind(text, question)) &&
    (!question.isNegated || NEGATES.test(text))
  );
}

function isBoundBySource(
  bound: number,
  source: Sentence["source"],
  sources: Sentence["source"][],
  question: Question,
): boolean {
  const named = timesNamed(source, question);
  if (sources.some((one) => timesNamed(one, question) > named)) return false;
  if (bound >= MIN_BOUND || (named > 0 && bound >= MIN_BOUND_NAMED)) return true;
  const same = sources.filter(({ document }) => document === source.document);
  return same.length > sources.length / 2 && bound >= MIN_BOUND_AMONG_MOST;
}

/** Code shows what its heading says, and a section says what its heading asks, in other words. */
const needsNoWords = (quoted: Sentence[], question: Question): boolean =>
  quoted.every(({ group }) => group.kind === "code") ||
  quoted.some((one) => isAsked(one.group, one, question));

/** Whether a quotation states something of the kind that is asked for. */
function mayAnswer(best: Sentence, quoted: Sentence[], question: Question): boolean {
  const { options, figures, dotted } = question;
  if (quoted.every((one) => isNoStatement(one) || isOfOther(options, one))) return false;
  if (LEADS.test(quoted.at(-1)?.text ?? "")) return false;
  if (question.isNegated && !NEGATES.test(best.text)) return false;
  if (!holdsNames(quoted, dotted) || !isOfForm(best, quoted, question)) return false;
  if (standsBeside(best, quoted, question)) return false;
  return holdsFigures(quoted, figures) && quoted.some(({ text }) => fitsKind(text, question));
}

/** Whether a quotation tells how, or what something is or does, where that is asked. */
function isOfForm(best: Sentence, quoted: Sentence[], question: Question): boolean {
  const { form, kind, options } = question;
  if (form === "how") return tellsHow(best, quoted, question);
  if (form !== "what") return true;
  if (!isExplained(quoted, options)) return false;
  if (options.length > 0 || kind !== null) return true;
  return explains(best, question) || isAsked(best.group, best, question);
}

/** By code, a list, a row, or a sentence that tells what to do and needs none before it. */
function tellsHow(best: Sentence, quoted: Sentence[], question: Question): boolean {
  if (quoted.some(({ group }) => group.kind === "code" || group.kind === "table")) return true;
  const items = quoted.filter(({ group }) => group.kind === "list");
  if (items.length > 0) return items.some((item) => isStep(item, question));
  const begins = quoted[0]?.text ?? "";
  const isCut = REFERS.test(begins) && !OF_THIS.test(begins);
  return !isCut && instructs(best, question);
}

/** `This option` is the one below whose name the sentence stands. */
const OF_THIS =
  /^this (?:command|function|method|option|flag|setting|property|hook|class|module|package|is|can|will)\b/i;

const NEGATES =
  /\b(?:no|not|non|never|none|nothing|without|cannot|except|exclud\p{L}*|invert\p{L}*|disab\p{L}*|omit\p{L}*|ignor\p{L}*|prevent\p{L}*|nicht|nie|kein\p{L}*|ohne|pas|sans|sin|senza|sem|non)\b|n['’]t\b|-v\b/iu;

/** Whether each name stands in what is quoted or above it. */
function holdsNames(quoted: Sentence[], names: string[]): boolean {
  if (names.length === 0) return true;
  const texts = quoted.flatMap(({ text, heading, source, group }) => [
    text,
    heading,
    source.cited,
    group.introduction,
  ]);
  const said = [...new Set(texts)].join("\n").toLowerCase();
  return names.every((name) => said.includes(name));
}

/** What an option does is said below it, behind it or by an example of it, not by a mention. */
function isExplained(quoted: Sentence[], options: string[]): boolean {
  if (options.length === 0) return true;
  return quoted.some(
    ({ text, group, heading }) =>
      group.kind !== "paragraph" ||
      [BEGINNING.exec(text)?.[0] ?? "", heading, group.introduction].some((one) => {
        const named = optionsIn(one);
        return options.some((option) => named.has(option));
      }),
  );
}

/** What a sentence explains, where it begins with it: `The -v option`, `-v, --invert`. */
const BEGINNING = /^(?:the |option )?[`"'(]?-[^.;]{0,60}/iu;

/** Whether each figure stands in what is quoted or above it; `1.1.0` is a `1.1`. */
function holdsFigures(quoted: Sentence[], figures: string[]): boolean {
  if (figures.length === 0) return true;
  const texts = new Set(
    quoted.flatMap(({ text, heading, source, group }) => [
      text,
      heading,
      source.cited,
      group.introduction,
    ]),
  );
  const held = Array.from(texts, figuresIn).flat();
  return figures.every((one) => held.some((by) => by === one || by.startsWith(`${one}.`)));
}

const isNoStatement = (sentence: Sentence) =>
  sentence.isLink ||
  isRunTogether(sentence) ||
  isSignature(sentence) ||
  isSynopsis(sentence) ||
  LEADS_ELSEWHERE.test(sentence.text) ||
  IS_IMPORT.test(sentence.text);

/** `require('semver/ranges/valid')` alone */
const IS_IMPORT = /^`?(?:require|import)\([^()]{1,200}\)`?;?$/;

/** `See also fetch(1).` */
const LEADS_ELSEWHERE = /^see (?:also )?\S{1,200}(?: \S{1,100}){0,3}$/i;

/** `git grep [-a | --text] [-I] …`: mostly what may be typed, in brackets. */
const isSynopsis = ({ text, group }: Sentence): boolean =>
  group.kind === "paragraph" &&
  Array.from(text.matchAll(BRACKETED), ([one]) => one.length).reduce((sum, one) => sum + one, 0) >
    text.length / 2;

const BRACKETED = /\[[^[\]]{1,100}\]/g;

/** `-k, --kill-after=DURATION` alone */
const isSignature = ({ text, group }: Sentence): boolean =>
  group.kind === "paragraph" &&
  text.startsWith("-") &&
  text.length <= SIGNATURE_LONGEST &&
  text.split(/\s+/).every((word) => /^[-[<|]|^[^\p{Ll}]+$/u.test(word));

const SIGNATURE_LONGEST = 100;

/** Whether a sentence explains another option, and at most mentions the one that is asked for. */
function isOfOther(options: string[], { group }: Sentence): boolean {
  if (options.length === 0 || !/^-{1,2}[\p{L}\p{N}]/u.test(group.introduction)) return false;
  const above = optionsAbove(group);
  return !options.some((option) => above.has(option));
}

/** Of each passage, in the order of the search. */
function sourcesOf(passages: Sentence[]): Sentence["source"][] {
  return [...new Set(passages.map(({ source }) => source))];
}
