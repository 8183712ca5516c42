import { namesIn, NEGATION, questionOf, type Question } from "./question.ts";
import { unitsOf, type Passage, type Part, type Unit } from "./units.ts";

/** Shares of the question's words in the best block and sentence, and the passage's 1/rank. */
const BLOCK = 0.45;
const SENTENCE = 0.45;
const RANK = 0.1;
/** Cost of each reason to doubt: a unit with one is never certain. */
const DOUBT = 0.17;
/** So few words may be said of something else, unless a title holds one of them. */
const FEW_WORDS = 3;
/**
 * From here on a unit is said to be the answer: only the first passage reaches it, and only where
 * (nearly) all words of the question stand in one sentence.
 */
const CERTAIN = 0.96;
/** From here on it is said to be the closest. */
const CLOSEST = 0.6;

const NOT_OUTRIGHT = "The documents do not say it outright; closest is:\n\n";

/** Quotes the passages; null where nothing fits. */
export function quotationOf<P extends Passage>(request: string, passages: P[]) {
  const question = questionOf(request);
  const scored = scoreUnits(passages, question);
  const score = scored.reduce((most, candidate) => Math.max(most, candidate.score), CLOSEST);
  const unit = scored.find((candidate) => candidate.score === score)?.unit;
  const passage = passages[unit?.passage ?? -1];
  if (unit === undefined || passage === undefined) return null;
  const { heading } = unit;
  const { source } = passage;
  const text = textOf(unit.parts);
  const isCertain = score >= CERTAIN;
  const before = isCertain ? "" : NOT_OUTRIGHT;
  return {
    passage,
    place: source.includes(heading) ? source : `${source} › ${heading}`,
    above: unit.above.join(" "),
    /** Nothing but words is taken from a quotation that is only the closest. */
    certain: isCertain ? text : "",
    said: `${before}${text}`,
    /** Where in `said` the passage's own words stand. */
    quoted: { startIndex: before.length, endIndex: before.length + text.length },
  };
}

const textOf = (parts: Part[]) =>
  parts
    .map(({ text }) => text)
    .join("")
    .trimEnd();

function scoreUnits(passages: Passage[], { terms, names, isNegated }: Question) {
  const mayBeOther = passages.length > 1 && terms.length <= FEW_WORDS && names.length === 0;
  return passages.flatMap(unitsOf).map((unit) => {
    const title = `${passages[unit.passage]?.source}\n${unit.heading}`;
    const doubts = [
      unit.isCut,
      mayBeOther && !terms.some((term) => unit.above.includes(term)),
      isNegated && !NEGATION.test(textOf(unit.parts)),
      ...names.map((name) => !isAbout(unit, title, name)),
    ];
    const most =
      Math.max(...unit.parts.map((part) => scoreOf(part, unit.above, terms))) +
      RANK / (1 + unit.passage);
    return { unit, score: most - DOUBT * doubts.filter(Boolean).length };
  });
}

function scoreOf({ sentences }: Part, above: string[], terms: string[]): number {
  const missingTerms = (from: string[], stems: string[]) =>
    from.filter((term) => !stems.some((stem) => isForm(stem, term)));
  const open = missingTerms(terms, above);
  const shareIn = (stems: string[]) => 1 - missingTerms(open, stems).length / (terms.length || 1);
  const best = sentences.map(shareIn).reduce((most, share) => Math.max(most, share), 0);
  return BLOCK * shareIn(sentences.flat()) + SENTENCE * best;
}

const PREFIX_LENGTH = 4;

/** A compound, or a word with another ending, counts like the word itself. */
const isForm = (stem: string, term: string): boolean =>
  stem === term ||
  (Math.min(stem.length, term.length) >= PREFIX_LENGTH &&
    (stem.startsWith(term) || term.startsWith(stem)));

/** Whether a unit is about a name: its title holds it, or no other name stands before it. */
function isAbout({ heading, parts }: Unit, title: string, name: string): boolean {
  if (namesIn(title).includes(name)) return true;
  const isOption = /^[-+]/.test(name);
  const lines = parts.flatMap(({ text, kind }) =>
    kind === "paragraph" && !isOption ? [text] : text.split("\n"),
  );
  return lines.some((line) => {
    const names = namesIn(line);
    const before = names.slice(0, names.indexOf(name) + 1).slice(0, -1);
    const begins = isOption ? /^\W*[-+]{1,2}\p{L}/u.test(line) : namesIn(heading).length === 0;
    return names.includes(name) && begins && before.every((cell) => /^[-+\d]/.test(cell));
  });
}
