import { figuresIn, namesIn, NEGATION, questionOf, type Question } from "./question.ts";
import { unitsOf, type Passage, type Part, type Unit } from "./units.ts";
import { numbersIn } from "./values.ts";

/**
 * The share of the question's words in the best block and in its best sentence, with the headings
 * above, and the passage's rank in the search: 1 for the first, 1/2 for the second.
 */
const BLOCK = 0.45;
const SENTENCE = 0.45;
const RANK = 0.1;
/** What each reason to doubt costs at the least: a unit with one is never certain. */
const DOUBT = 0.17;
/** Of several documents that hold a question's few words, one may be about something else. */
const FEW_WORDS = 3;
/** From here on a unit is said to be the answer: the question sets have no wrong one above it. */
const CERTAIN = 0.84;
/** From here on it is said to be the closest. */
const CLOSEST = 0.6;

const NOT_OUTRIGHT = "The documents do not say it outright; closest is:\n\n";
/** A longer quotation is broken off at a line's end, says so, and is only the closest. */
const MAX_QUOTED_CHARACTERS = 4_000;
const BROKEN_OFF = "\n[…]";

/** What is quoted of the passages; null where nothing fits. */
export function quotationOf<P extends Passage>(request: string, passages: P[]) {
  const question = questionOf(request);
  const scored = scoredUnits(passages, question);
  const score = scored.reduce((most, one) => Math.max(most, one.score), CLOSEST);
  const best = scored.filter((one) => one.score === score);
  const passage = passages[best[0]?.unit.passage ?? -1];
  if (best[0] === undefined || passage === undefined) return null;
  const { heading, above } = best[0].unit;
  const spans = spansOf(best.map(({ unit }) => unit));
  const pieces = spans.map(({ start, end }) => passage.text.slice(start, end));
  const whole = pieces.join("");
  const text = whole.length <= MAX_QUOTED_CHARACTERS ? whole : beginningOf(whole);
  const isCertain = score >= CERTAIN && text === whole;
  const before = isCertain ? "" : NOT_OUTRIGHT;
  let at = before.length;
  const stretches = pieces.map((piece) => {
    const start = at + piece.search(/[^\n]|$/);
    at += piece.length;
    return { start, end: Math.min(at, before.length + text.length) };
  });
  const { source } = passage;
  return {
    passage,
    place: source.includes(heading) ? source : `${source} › ${heading}`,
    above: above.join(" "),
    /** Nothing but words is taken from a quotation that is only the closest. */
    certain: isCertain ? text : "",
    said: `${before}${text}${text === whole ? "" : BROKEN_OFF}`,
    /** Where in `said` the passage's own words stand. */
    stretches: stretches.filter(({ start, end }) => start < end),
  };
}

/** The first of the best units; of a table of which other rows are as good, all. */
function spansOf([first, ...others]: Unit[]) {
  const spans = first?.spans ?? [];
  const [start, end] = [spans[0]?.start ?? 0, spans.at(-1)?.end ?? 0];
  const isTie = others.some(
    ({ passage, spans: [one] }) => passage === first?.passage && one?.start === start,
  );
  return isTie ? [{ start, end }] : spans;
}

function beginningOf(text: string): string {
  const lineEnd = text.lastIndexOf("\n", MAX_QUOTED_CHARACTERS);
  const kept = text.slice(0, lineEnd > 0 ? lineEnd : MAX_QUOTED_CHARACTERS);
  return kept.replace(/\p{Surrogate}$/u, "");
}

function scoredUnits(passages: Passage[], question: Question): { unit: Unit; score: number }[] {
  const { terms, names, asksNumber, isNegated } = question;
  const documents = new Set(passages.map(({ source }) => source.split(" › ", 1)[0]));
  const mayBeOther = documents.size > 1 && terms.length <= FEW_WORDS && names.length === 0;
  const read = new Map<Part, number>();
  return passages.flatMap(unitsOf).map((unit) => {
    const above = heldIn(unit.above, terms);
    const scores = unit.parts.map((part) => {
      const score = read.get(part) ?? scoreOf(part, above, terms);
      read.set(part, score);
      return score;
    });
    const missing = missingIn(unit, passages[unit.passage]?.source ?? "", question);
    const text = unit.parts.map((part) => part.text).join("\n");
    const doubts = [
      unit.isCut,
      mayBeOther && !terms.some((term) => unit.above.includes(term)),
      asksNumber && numbersIn(text).length === 0 && !/[一二两三四五六七八九十百千万]/u.test(text),
      isNegated && !NEGATION.test(text),
    ];
    const most = scores.reduce((a, b) => Math.max(a, b), 0) + RANK / (1 + unit.passage);
    const cost =
      (missing > 0 ? Math.max(DOUBT, missing / 2) : 0) + DOUBT * doubts.filter(Boolean).length;
    return { unit, score: most - cost };
  });
}

function scoreOf({ sentences }: Part, above: number[], terms: string[]): number {
  const held = sentences.map((stems) => heldIn(stems, terms));
  const shares = held.map((one) => shareOf(larger(above, one)));
  const sentence = shares.reduce((most, share) => Math.max(most, share), 0);
  return BLOCK * shareOf(held.reduce(larger, above)) + SENTENCE * sentence;
}

const shareOf = (held: number[]) => held.reduce((sum, one) => sum + one, 0) / (held.length || 1);

const larger = (one: number[], other: number[]) =>
  one.map((held, at) => Math.max(held, other[at] ?? 0));

/** A compound, or a word with another ending, says less than the word itself. */
const PREFIX_SHARE = 0.7;
const PREFIX_LENGTH = 4;

/** How far each term of a question is in a text. */
const heldIn = (stems: string[], terms: string[]): number[] =>
  terms.map((term) => {
    const isPrefixed = (stem: string) =>
      Math.min(stem.length, term.length) >= PREFIX_LENGTH &&
      (stem.startsWith(term) || term.startsWith(stem));
    return stems.includes(term) ? 1 : stems.some(isPrefixed) ? PREFIX_SHARE : 0;
  });

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
 * Whether a block or, of a list or table, a line is about a name: no other stands before it. An
 * option is explained where a line begins with it, and only mentioned elsewhere.
 */
function isSubject({ heading, parts }: Unit, name: string): boolean {
  if (namesIn(heading).length > 0) return false;
  const isOption = name.startsWith("-");
  return parts.some(({ text, kind }) =>
    (kind === "paragraph" && !isOption ? [text] : text.split("\n")).some((one) => {
      const found = namesIn(one);
      const at = found.findIndex((other) => other.name === name);
      const before = one.slice(0, found[at]?.at ?? 0).replace(OPTION, "");
      return isOption ? at !== -1 && !/\p{L}/u.test(before) : at === 0;
    }),
  );
}
