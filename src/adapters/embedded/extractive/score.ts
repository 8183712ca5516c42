import { figuresIn, namesIn, NEGATION, type Question } from "./question.ts";
import type { Part, Passage, Unit } from "./units.ts";
import { numbersIn } from "./values.ts";

/**
 * The share of the question's words in the best block and in its best sentence, with the headings
 * above, and the passage's rank in the search: 1 for the first, 1/2 for the second.
 */
const BLOCK = 0.45;
const SENTENCE = 0.45;
const RANK = 0.1;
/** Of several documents that hold a question's few words, one may be about something else. */
const UNPLACED = 0.2;
const FEW_WORDS = 3;
/** From here on a unit is said to be the answer: the question sets have no wrong one above it. */
const CERTAIN = 0.84;
/** From here on it is said to be the closest. */
const CLOSEST = 0.6;

export type Scored = { unit: Unit; score: number; isCertain: boolean };

/** Units that may answer, best first; may be empty. */
export function byScore(units: Unit[], passages: Passage[], question: Question): Scored[] {
  const shareOf = sharesOf(question);
  const documents = new Set(passages.map(({ source }) => source.split(" › ", 1)[0]));
  const mayBeOther =
    documents.size > 1 && question.terms.size <= FEW_WORDS && question.names.length === 0;
  const read = new Map<Part, { block: number; sentence: number }>();
  const scored = units.map((unit): Scored => {
    const shares = unit.parts.map((part) => {
      const known = read.get(part) ?? {
        block: shareOf([...unit.above, ...part.sentences.flat()]),
        sentence: Math.max(0, ...part.sentences.map((stems) => shareOf([...unit.above, ...stems]))),
      };
      read.set(part, known);
      return known;
    });
    const block = Math.max(0, ...shares.map((share) => share.block));
    const sentence = Math.max(0, ...shares.map((share) => share.sentence));
    const missing = missingIn(unit, passages[unit.passage]?.source ?? "", question);
    const said = BLOCK * block + SENTENCE * sentence + RANK / (1 + unit.passage);
    const isUnplaced =
      mayBeOther && ![...question.terms.keys()].some((term) => unit.above.has(term));
    const score = said * (1 - missing / 2) - (isUnplaced ? UNPLACED : 0);
    return { unit, score, isCertain: score >= CERTAIN && missing === 0 && answers(unit, question) };
  });
  return scored.filter(({ score }) => score >= CLOSEST).sort((a, b) => b.score - a.score);
}

/** Tells which share of a question's words a text holds; each stem is compared once. */
function sharesOf({ terms }: Question): (stems: string[]) => number {
  const weights = [...terms];
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  const known = new Map<string, [term: string, share: number][]>();
  return (stems) => {
    const held = new Map<string, number>();
    for (const stem of stems) {
      const hits =
        known.get(stem) ?? weights.map(([term]) => [term, likeness(stem, term)] as const);
      known.set(
        stem,
        hits.filter(([, share]) => share > 0).map(([term, share]) => [term, share]),
      );
      for (const [term, share] of hits) held.set(term, Math.max(held.get(term) ?? 0, share));
    }
    const said = weights.reduce((sum, [term, weight]) => sum + weight * (held.get(term) ?? 0), 0);
    return total === 0 ? 0 : said / total;
  };
}

/** A compound, or a word with another ending, says less than the word itself. */
const PREFIX_SHARE = 0.7;
const PREFIX_LENGTH = 5;
const SHORT_PREFIX = 4;
/** Endings that Porter's stemmer leaves on a short word: `fail` and `failure`. */
const ENDING = /^(?:ur|er|or|ion|ation|ment|abl|al|ing|s|ness|iv|anc|enc|y|i)$/;

function likeness(stem: string, term: string): number {
  if (stem === term) return 1;
  const [shorter, longer] = stem.length < term.length ? [stem, term] : [term, stem];
  if (shorter.length < SHORT_PREFIX || !longer.startsWith(shorter)) return 0;
  const isLike = shorter.length >= PREFIX_LENGTH || ENDING.test(longer.slice(shorter.length));
  return isLike ? PREFIX_SHARE : 0;
}

/** The share of the question's names and figures that a unit is not about. */
function missingIn(unit: Unit, source: string, { names, figures }: Question): number {
  const above = `${source}\n${unit.heading}`;
  const own = new Set(namesIn(above).map(({ name }) => name));
  const told = new Set(figuresIn([above, ...unit.parts.map(({ text }) => text)].join("\n")));
  const missing = [
    ...names.filter((name) => !own.has(name) && !isSubject(unit, name)),
    ...figures.filter((figure) => !told.has(figure)),
  ];
  return missing.length / Math.max(1, names.length + figures.length);
}

/** An option with its value. */
const OPTION = /-{1,2}\p{L}[\p{L}\p{N}_-]*(?:[=\s]?[<[][^<>[\]]*[>\]]|=\S*)?/gu;

/**
 * Whether a block or, of a list or table, a line is about a name: no other stands before it; an
 * option is explained where a line begins with it, and only mentioned elsewhere.
 */
function isSubject({ heading, parts }: Unit, name: string): boolean {
  if (namesIn(heading).length > 0) return false;
  const isOption = name.startsWith("-");
  return parts.some(({ text, kind }) => {
    const stretches = isOption || kind !== "paragraph" ? text.split("\n") : [text];
    return stretches.some((one) => {
      const found = namesIn(one);
      const at = found.findIndex((other) => other.name === name);
      const before = one.slice(0, found[at]?.at ?? 0).replace(OPTION, "");
      return isOption ? at !== -1 && !/\p{L}/u.test(before) : at === 0;
    });
  });
}

/** Whether a unit is whole, and holds a number or a "not" where these are asked for. */
function answers({ parts, isCut }: Unit, { asksNumber, isNegated }: Question): boolean {
  const text = parts.map((part) => part.text).join("\n");
  const hasNumber = numbersIn(text).length > 0 || /[一二两三四五六七八九十百千万]/u.test(text);
  return !isCut && (hasNumber || !asksNumber) && (!isNegated || NEGATION.test(text));
}
