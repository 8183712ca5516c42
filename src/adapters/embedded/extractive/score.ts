import { splitSentences } from "../../../text/sentences.ts";
import { wordsOf } from "../../../text/words.ts";
import { figuresIn, namesIn, subjectOf } from "./question.ts";
import type { Question } from "./question.ts";
import { stemOfForm } from "./stems.ts";
import { TermReader } from "./term-reader.ts";
import type { Passage, Unit } from "./units.ts";
import { numbersIn } from "./values.ts";

/**
 * How well a unit answers, in logits: a logistic regression over the set `training` learned to tell
 * units that hold the words which the set names, of a file that answers (docs/models.md).
 */
const WEIGHTS = {
  /** The share of the question's words in the best block with its headings, and in a sentence. */
  block: 3.6,
  sentence: 1.1,
  /** … without the document's name, in the unit, and in its headings. */
  own: 2.4,
  headed: 0.6,
  /** How near to each other neighbouring words of the question are, 0 to 1. */
  near: 0.6,
  /** 1 for the passage that the search found first, 1/2 for the second. */
  rank: 3,
  /** The share of the question's names and figures that are there as they are written. */
  exact: 3,
  /** How much more of another document's name the question says, and its best block. */
  rival: -0.5,
  others: -0.3,
};
const BIAS = -9.55;
/** From here on a unit is said to be the answer: the sets have no wrong one above it. */
const CERTAIN = 2.15;
/** … if its best block holds so much of the question: one word of four makes it another one. */
const MIN_BLOCK_SHARE = 0.77;
/** From here on it is said to be the closest. */
const CLOSEST = 0;

export type Scored = { unit: Unit; score: number; isCertain: boolean };

/** Units that may answer, best first; may be empty. */
export function byScore(units: Unit[], passages: Passage[], question: Question): Scored[] {
  const reader = new TermReader(question);
  if (reader.total === 0) return [];
  const documents = passages.map(({ source }) => documentOf(source));
  const named = documents.map((document) => nameIn(document, question));
  const mostNamed = Math.max(0, ...named.map(({ share }) => share));
  const read = units.map((unit) => reader.read(unit, named[unit.passage]?.stems ?? NO_NAMES));
  const othersOf = bestOfOthers(
    units.map(({ passage }) => documents[passage] ?? ""),
    read.map(({ block }) => block),
  );
  const scored = units.flatMap((unit, at): Scored[] => {
    const shares = read[at];
    const { passage } = unit;
    const [document, source] = [documents[passage], passages[passage]?.source];
    if (shares === undefined || document === undefined || source === undefined) return [];
    const exact = exactShare(unit, source, question);
    const rival = mostNamed - (named[passage]?.share ?? 0);
    const others = othersOf.get(document) ?? 0;
    const score = sumOf({ ...shares, exact, rank: 1 / (1 + passage), rival, others });
    if (score < CLOSEST) return [];
    const isSaid = score >= CERTAIN && shares.block >= MIN_BLOCK_SHARE && exact === 1;
    return [{ unit, score, isCertain: isSaid && mayAnswer(unit, question) }];
  });
  return scored.sort((a, b) => b.score - a.score);
}

const NO_NAMES = new Set<string>();

/** For each document the best block of any other. */
function bestOfOthers(documents: string[], blocks: number[]): Map<string, number> {
  const bests = new Map<string, number>();
  for (const [at, document] of documents.entries()) {
    bests.set(document, Math.max(bests.get(document) ?? 0, blocks[at] ?? 0));
  }
  const [first, second] = [...bests].sort(([, a], [, b]) => b - a);
  return new Map(
    [...bests.keys()].map((one) => [one, (one === first?.[0] ? second : first)?.[1] ?? 0]),
  );
}

function sumOf(features: Record<keyof typeof WEIGHTS, number>): number {
  const { block, sentence, own, headed, near, rank, exact, rival, others } = WEIGHTS;
  const said = block * features.block + sentence * features.sentence + near * features.near;
  const placed = own * features.own + headed * features.headed + rank * features.rank;
  const beside = rival * features.rival + others * features.others;
  return BIAS + said + placed + beside + exact * features.exact;
}

const PAGE = /, page \d+$/;

/** What the passages of one document share. */
const documentOf = (source: string): string => (source.split(" › ", 1)[0] ?? "").replace(PAGE, "");

/** Names that say what a document is for, and not what it is about. */
const SAYS_LITTLE = /^(?:readme|index|docs?|documentation|api|main|src|man)$/i;
const EXTENSIONS = /(?:\.[\p{L}\p{N}]{1,5}){1,3}$/u;
const MAX_NAME_CHARACTERS = 2_000;

/** The stems by which a question names a document, and the share of the best name of its path. */
function nameIn(document: string, { terms }: Question): { stems: Set<string>; share: number } {
  const asked = new Set(terms.map(({ stem }) => stem));
  const path = document.slice(document.indexOf(": ") + 1, MAX_NAME_CHARACTERS).trim();
  const names = path.split("/").flatMap((segment) => {
    const name = segment.replace(EXTENSIONS, "");
    return name.length < 2 || SAYS_LITTLE.test(name) ? [] : [wordsOf(name).map(stemOfForm)];
  });
  const shares = names.map(
    (stems) => stems.filter((stem) => asked.has(stem)).length / stems.length,
  );
  const whole = names.filter((_, at) => shares[at] === 1);
  return { stems: new Set(whole.flat()), share: Math.max(0, ...shares.filter(Number.isFinite)) };
}

const textOf = ({ parts }: Unit): string => parts.map(({ text }) => text).join("\n");

function exactShare(unit: Unit, source: string, { names, figures }: Question): number {
  const count = names.length + figures.length;
  if (count === 0) return 1;
  const above = `${unit.heading}\n${source}`;
  const said = namesIn(above);
  const held = names.filter((name) => said.has(name) || isNamedBy(unit, name));
  const numbers = figuresIn(`${above}\n${textOf(unit)}`);
  const told = figures.filter((one) =>
    numbers.some((figure) => figure === one || figure.startsWith(`${one}.`)),
  );
  return (held.length + told.length) / count;
}

const BEGINS_WITH_OPTION =
  /^[\s>*|○•`([{"“]{0,40}(?:(?:the|option) )?[`"'(]?-{1,2}\p{L}|^[^-]{0,40}\s\/\s-\p{L}:/iu;

/**
 * Whether a sentence, an item or a row is about a name, not about another one that it begins with;
 * a heading that is another name says that all below it is of that.
 */
function isNamedBy({ heading, parts }: Unit, name: string): boolean {
  if (namesIn(heading).size > 0) return false;
  return parts.some((part) =>
    statementsIn(part, name).some((said) => {
      const subject = subjectOf(said);
      return subject?.has(name) ?? namesIn(said).has(name);
    }),
  );
}

function statementsIn({ kind, text, start, items }: Unit["parts"][number], name: string): string[] {
  // An option is explained where a line begins with it; elsewhere it is only mentioned.
  if (name.startsWith("-")) {
    return text.split("\n").filter((line) => BEGINS_WITH_OPTION.test(line));
  }
  if (kind === "list") return items.map((item) => text.slice(item.start - start, item.end - start));
  return kind === "paragraph" ? [text] : splitSentences(text);
}

const NEGATES =
  /\b(?:no|not|non|never|none|nothing|without|cannot|except|exclud\p{L}*|invert\p{L}*|disab\p{L}*|omit\p{L}*|ignor\p{L}*|prevent\p{L}*|nicht|nie|kein\p{L}*|ohne|pas|sans|sin|senza|sem)\b|n['’]t\b/iu;

/** What tells to do something, shows what is typed, or says by which means it is done. */
const TELLS_HOW =
  /^[ \t]*(?:\d{1,3}[.)] |[$#] |--?\p{L})|[;{}][ \t]*$|\b(?:us(?:e|ing)|run|call|set|pass|add|press|click|open|choose|select|write|type|turn|put|by \p{L}+ing|you(?:['’]ll)? (?:can|could|must|may|should|need|have to|will)|can be|to \p{L}+ [^.]{0,80}[,:])/imu;

/** Whether a unit is whole, and holds something of the kind that is asked for. */
function mayAnswer(unit: Unit, { wants }: Question): boolean {
  const { parts, isCut } = unit;
  if (isCut || wants === null) return !isCut;
  const text = textOf(unit);
  if (wants === "default") return /default/i.test(text);
  if (wants === "way") return parts.some(({ kind }) => kind === "code") || TELLS_HOW.test(text);
  return wants === "negation"
    ? NEGATES.test(text)
    : numbersIn(text).length > 0 || /[一二两三四五六七八九十百千万]/u.test(text);
}
