import { holdsKind, optionsIn } from "./question.ts";
import type { Question, Term } from "./question.ts";
import type { Source } from "./document-names.ts";
import type { Group, Sentence } from "./sentences.ts";

/** How far a match counts, by where it stands. */
const INTRODUCTION_WEIGHT = 0.7;
const HEADING_WEIGHT = 0.5;
const NEIGHBOUR_WEIGHT = 0.4;
const NEIGHBOUR_COVERS = 0.7;
/** Weight of a word that only shares a prefix with a term (compounds, endings). */
const PREFIX_WEIGHT = 0.7;
/** … and how far it binds the term: `sickness` speaks of whoever is `sick`. */
const PREFIX_BINDS = 0.9;
const PREFIX_LENGTH = 5;
const SHORT_PREFIX = 4;
/** Bounds of a term's rarity: a word that no passage holds must not outweigh all others. */
const LEAST_RARITY = 1;
const MOST_RARITY = 1.8;

const KIND_BONUS = 1.25;
const QUESTION_PENALTY = 0.5;
const LINK_PENALTY = 0.4;
/** The paragraph that explains an option, before those that only mention it. */
const EXPLAINED_BONUS = 2;
const TERM_BONUS = 1.5;
/** Words without an end, such as a line of a form: seldom an answer. */
const FRAGMENT_PENALTY = 0.7;
const FRAGMENT_WORDS = 5;
/** So many characters without an end are lines that were run together. */
const RUN_TOGETHER_CHARACTERS = 300;
/** Rules, bars and columns of numbers. */
const DRAWN_CHARACTERS = 100;
const LEAST_LETTERS = 0.5;
/** In Latin, Chinese, Japanese, Arabic and Indic scripts. */
const ENDS = /[.!?…:：。！？｡؟۔।॥]["'”’»)\]」』】）]*$/u;
/** With fewer spaces a text is of a script without them, such as Thai, which ends no sentence. */
const LEAST_SPACES = 0.05;
/** Passages come in the order of the search. */
const PASSAGE_PRIOR = 0.04;
const POSITION_PRIOR = 0.05;

/**
 * `score`: how well a sentence answers; 0 means no match. `coverage`: the share of the question
 * that the sentence, what stands around it and its headings hold, 0 to 1.
 */
export type Scored = { sentence: Sentence; score: number; own: number; coverage: number };

/** Scores sentences by the share of the question that they hold, best first. */
export function byRelevance(sentences: Sentence[], question: Question): Scored[] {
  const index = indexOf(sentences);
  const terms = question.terms.map((term) => index.look(term));
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [];
  const matched = sentences.map(() => ({ score: 0, own: 0, coverage: 0 }));
  for (const { weight, places } of terms) {
    for (const [at, { own, all, covers }] of places) {
      const sum = matched[at];
      if (sum === undefined) continue;
      sum.score += (weight * all) / total;
      sum.own += (weight * own) / total;
      sum.coverage += (weight * covers) / total;
    }
  }
  const namings = new Map<Source, number>();
  const scored = sentences.map((sentence, at) => {
    const { score, own, coverage } = matched[at] ?? { score: 0, own: 0, coverage: 0 };
    if (score === 0) return { sentence, score, own, coverage };
    const named = namings.get(sentence.source) ?? timesNamed(sentence.source, question);
    namings.set(sentence.source, named);
    const isNamed = holdsAll(question.options, sentence);
    const fits = isNamed ? explaining(question, sentence) : 0.5;
    const prior = priorOf(sentence, question) * fits * (1 + NAMED_BONUS * named);
    return { sentence, score: score * prior, own, coverage: isNamed ? coverage : coverage * 0.5 };
  });
  return scored.sort((a, b) => b.score - a.score);
}

/** How far code binds a word that nothing around it holds. */
const IN_CODE = 0.8;

const NAMED_BONUS = 0.15;
const MOST_NAMED = 2;

/** How many names in a document's path the question names, 0 to 2. */
export function timesNamed({ names }: Source, { terms }: Question): number {
  const asked = new Set(terms.filter(({ weight }) => weight >= 1).map(({ stem }) => stem));
  const named = names.filter((stems) => stems.every((stem) => asked.has(stem)));
  return Math.min(MOST_NAMED, named.length);
}

/**
 * How much of a question a quotation binds, 0 to 1: the share of its words that the quoted
 * sentences hold, or what introduces them, their headings or their document's title. Words that
 * stand in code alone are less of a statement. `said`: without headings and title. `leastAsked`: the same of the word that is bound
 * least among those that say what is asked for.
 * @param quoted of `sentences`.
 */
export function boundIn(
  quoted: Sentence[],
  sentences: Sentence[],
  question: Question,
): { bound: number; said: number; leastAsked: number } {
  const index = indexOf(sentences);
  let [total, bound, said, leastAsked] = [0, 0, 0, 1];
  for (const term of question.terms) {
    const { weight, places } = index.look(term);
    const held = quoted.flatMap((one) => places.get(index.placeOf(one)) ?? []);
    const isInCode = quoted.every(({ group }) => group.kind === "code");
    const shares = held.map(({ own, binds }) =>
      isInCode && own === binds ? binds * IN_CODE : binds,
    );
    total += weight;
    said += weight * Math.max(0, ...held.map((place) => place.said));
    const most = Math.max(0, ...shares);
    const share = most === PREFIX_WEIGHT ? PREFIX_BINDS : most;
    bound += weight * share;
    if (question.asked.has(term.stem)) leastAsked = Math.min(leastAsked, share);
  }
  const of = (sum: number) => (total === 0 ? 0 : sum / total);
  return { bound: of(bound), said: of(said), leastAsked };
}

/** Read once for each list: thousands of items can share an introduction of any length. */
const introductionOptions = new WeakMap<Group, Set<string>>();

/** Whether the sentence or what introduces it names all of the options. */
function holdsAll(options: string[], { text, group }: Sentence): boolean {
  if (options.length === 0) return true;
  const own = optionsIn(text);
  const ofGroup = optionsAbove(group);
  return options.every((option) => own.has(option) || ofGroup.has(option));
}

/** The options that a block's introduction names. */
export function optionsAbove(group: Group): Set<string> {
  const known = introductionOptions.get(group) ?? optionsIn(group.introduction);
  introductionOptions.set(group, known);
  return known;
}

/** More where the sentence begins the paragraph below what is asked for, as in manual pages. */
function explaining({ options, terms }: Question, { text, group }: Sentence): number {
  const { kind, introduction, introductionStems, sentences } = group;
  if (kind !== "paragraph" || introduction === "" || sentences[0]?.text !== text) return 1;
  if (options.length > 0) {
    const above = optionsAbove(group);
    const isExplained = introduction.startsWith("-") && options.every((one) => above.has(one));
    return isExplained ? EXPLAINED_BONUS : 1;
  }
  const [first] = introductionStems;
  return terms.some(({ stem, weight }) => stem === first && weight >= 1) ? TERM_BONUS : 1;
}

/**
 * How far a sentence holds a term: by itself; weighted, with what is around it; with what
 * introduces it; with its headings, too; and with the sentences beside it.
 */
type Place = { own: number; all: number; said: number; binds: number; covers: number };
type Looked = { weight: number; places: Map<number, Place> };

/** Maps stems to the sentences that hold them: many questions are asked of the same sentences. */
class SentenceIndex {
  readonly #sentences: Sentence[];
  readonly #holders = new Map<string, number[]>();
  readonly #known = new Map<string, Map<number, Place>>();
  readonly #places: Map<Sentence, number>;

  constructor(sentences: Sentence[]) {
    this.#sentences = sentences;
    this.#places = new Map(sentences.map((sentence, at) => [sentence, at]));
    for (const [at, { stems }] of sentences.entries()) {
      for (const stem of new Set([...stems, ...pairsOf(stems)])) {
        const holders = this.#holders.get(stem);
        if (holders === undefined) this.#holders.set(stem, [at]);
        else holders.push(at);
      }
    }
  }

  placeOf = (sentence: Sentence): number => this.#places.get(sentence) ?? -1;

  /** A term's weight by its rarity, and the sentences that hold it or stand below it. */
  look({ stem, weight, isCode }: Term): Looked {
    const key = isCode ? `=${stem}` : stem;
    const places = this.#known.get(key) ?? this.#placesOf(stem, isCode);
    this.#known.set(key, places);
    const count = this.#sentences.length;
    const rarity = Math.log(1 + (count - places.size + 0.5) / (places.size + 0.5));
    const bounded = Math.min(MOST_RARITY, Math.max(LEAST_RARITY, rarity));
    return { weight: weight * bounded, places };
  }

  #placesOf(term: string, isCode: boolean): Map<number, Place> {
    const own = new Map<number, number>();
    for (const [stem, holders] of this.#holders) {
      const share = shareOf(stem, term, isCode);
      if (share > 0) for (const at of holders) own.set(at, Math.max(share, own.get(at) ?? 0));
    }
    const heads = new Map<Set<string>, number>();
    const inStems = (stems: Set<string>) => {
      const share = heads.get(stems) ?? holds(stems, term, isCode);
      heads.set(stems, share);
      return share;
    };
    const places = new Map<number, Place>();
    for (const [at, { group, headingStems }] of this.#sentences.entries()) {
      const here = own.get(at) ?? 0;
      const introduced = inStems(group.introductionStems);
      const headed = inStems(headingStems);
      const beside = group.kind === "paragraph" ? this.#beside(own, at, group) : 0;
      const around = [
        INTRODUCTION_WEIGHT * introduced,
        HEADING_WEIGHT * headed,
        NEIGHBOUR_WEIGHT * beside,
      ];
      const all = Math.max(here, ...around);
      const said = Math.max(here, introduced);
      const binds = Math.max(said, headed);
      const covers = Math.max(binds, NEIGHBOUR_COVERS * beside);
      if (all > 0) places.set(at, { own: here, all, said, binds, covers });
    }
    return places;
  }

  /** How far the sentences before and after one, of the same paragraph, hold the term. */
  #beside(own: Map<number, number>, at: number, group: Sentence["group"]): number {
    const inGroup = (one: number) =>
      this.#sentences[one]?.group === group ? (own.get(one) ?? 0) : 0;
    return Math.max(inGroup(at - 1), inGroup(at + 1));
  }
}

function holds(stems: Set<string>, term: string, isCode: boolean): number {
  if (stems.has(term)) return 1;
  for (const stem of stems) if (shareOf(stem, term, isCode) > 0) return PREFIX_WEIGHT;
  return 0;
}

/** `ensureDirSync` speaks of `ensureDir`, `ensure` does not. */
function shareOf(stem: string, term: string, isCode: boolean): number {
  if (stem === term) return 1;
  if (isCode && stem.length < term.length) return 0;
  return sharesPrefix(stem, term) ? PREFIX_WEIGHT : 0;
}

/** Neighbouring words in one: `time out` is found by `timeout`. */
const pairsOf = (stems: string[]) =>
  stems.slice(1).flatMap((stem, at) => {
    const before = stems[at] ?? "";
    return before.length + stem.length > MOST_PAIR_CHARACTERS ? [] : [`${before}${stem}`];
  });

const MOST_PAIR_CHARACTERS = 24;

const indexes = new WeakMap<Sentence[], SentenceIndex>();

function indexOf(sentences: Sentence[]): SentenceIndex {
  const known = indexes.get(sentences);
  if (known !== undefined) return known;
  const index = new SentenceIndex(sentences);
  indexes.set(sentences, index);
  return index;
}

/** Endings that Porter's stemmer leaves on a short word: `fail` and `failure`. */
const ENDING = /^(?:ur|er|or|ion|ation|ment|abl|al|ing|s|ness|iv|anc|enc|y|i)$/;

function sharesPrefix(stem: string, term: string): boolean {
  const [shorter, longer] = stem.length < term.length ? [stem, term] : [term, stem];
  if (shorter.length < SHORT_PREFIX || !longer.startsWith(shorter)) return false;
  return shorter.length >= PREFIX_LENGTH || ENDING.test(longer.slice(shorter.length));
}

function priorOf(sentence: Sentence, { kind }: Question): number {
  const { text, stems, isLink, passage, position, group } = sentence;
  const early = 1 / (1 + PASSAGE_PRIOR * passage) + POSITION_PRIOR / (1 + position);
  const fits = holdsKind(text, kind) ? KIND_BONUS : 1;
  const isShort = group.kind === "paragraph" && stems.length < FRAGMENT_WORDS && !ENDS.test(text);
  const isFragment = isShort || isRunTogether(sentence);
  const penalties = [
    text.endsWith("?") ? QUESTION_PENALTY : 1,
    isFragment ? FRAGMENT_PENALTY : 1,
    isLink ? LINK_PENALTY : 1,
  ];
  return penalties.reduce((product, one) => product * one, early * fits);
}

/** Whether a sentence is lines without an end that were run together, or a drawing of characters. */
export function isRunTogether({ text, group }: Sentence): boolean {
  if (text.length < DRAWN_CHARACTERS || group.kind === "code") return false;
  const isLong = group.kind === "paragraph" && text.length > RUN_TOGETHER_CHARACTERS;
  if (isLong && !ENDS.test(text) && countOf(text, / /g) >= text.length * LEAST_SPACES) return true;
  // Vowels of Indic scripts are marks.
  const letters = countOf(text, /[\p{L}\p{M}]/gu);
  return letters < text.length * LEAST_LETTERS;
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
