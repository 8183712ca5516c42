import { holdsKind, optionsIn } from "./question.ts";
import type { Question, Term } from "./question.ts";
import type { Group, Sentence } from "./sentences.ts";

/** How far a match counts, by where it stands. */
const INTRODUCTION_WEIGHT = 0.7;
const HEADING_WEIGHT = 0.5;
const NEIGHBOUR_WEIGHT = 0.4;
const NEIGHBOUR_COVERS = 0.7;
/** Weight of a word that only shares a prefix with a term (compounds, endings). */
const PREFIX_WEIGHT = 0.7;
const PREFIX_LENGTH = 5;
const SHORT_PREFIX = 4;
/** Bounds of a term's rarity: a word that no passage holds must not outweigh all others. */
const LEAST_RARITY = 1;
const MOST_RARITY = 1.8;

const KIND_BONUS = 1.25;
const QUESTION_PENALTY = 0.5;
/** Words without an end, such as a line of a form: seldom an answer. */
const FRAGMENT_PENALTY = 0.7;
const FRAGMENT_WORDS = 5;
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
  const scored = sentences.map((sentence, at) => {
    const { score, own, coverage } = matched[at] ?? { score: 0, own: 0, coverage: 0 };
    const isNamed = holdsAll(question.options, sentence);
    const prior = priorOf(sentence, question) * (isNamed ? 1 : 0.5);
    return { sentence, score: score * prior, own, coverage: isNamed ? coverage : coverage * 0.5 };
  });
  return scored.sort((a, b) => b.score - a.score);
}

/** Read once for each list: thousands of items can share an introduction of any length. */
const introductionOptions = new WeakMap<Group, Set<string>>();

/** Whether the sentence or what introduces it names all of the options. */
function holdsAll(options: string[], { text, group }: Sentence): boolean {
  if (options.length === 0) return true;
  const own = optionsIn(text);
  const ofGroup = introductionOptions.get(group) ?? optionsIn(group.introduction);
  introductionOptions.set(group, ofGroup);
  return options.every((option) => own.has(option) || ofGroup.has(option));
}

/** How far a sentence holds a term: by itself, with what is around it, and whether at all. */
type Place = { own: number; all: number; covers: number };
type Looked = { weight: number; places: Map<number, Place> };

/** Maps stems to the sentences that hold them: many questions are asked of the same sentences. */
class SentenceIndex {
  readonly #sentences: Sentence[];
  readonly #holders = new Map<string, number[]>();
  readonly #known = new Map<string, Map<number, Place>>();

  constructor(sentences: Sentence[]) {
    this.#sentences = sentences;
    for (const [at, { stems }] of sentences.entries()) {
      for (const stem of new Set([...stems, ...pairsOf(stems)])) {
        const holders = this.#holders.get(stem);
        if (holders === undefined) this.#holders.set(stem, [at]);
        else holders.push(at);
      }
    }
  }

  /** A term's weight by its rarity, and the sentences that hold it or stand below it. */
  look({ stem, weight }: Term): Looked {
    const places = this.#known.get(stem) ?? this.#placesOf(stem);
    this.#known.set(stem, places);
    const count = this.#sentences.length;
    const rarity = Math.log(1 + (count - places.size + 0.5) / (places.size + 0.5));
    const bounded = Math.min(MOST_RARITY, Math.max(LEAST_RARITY, rarity));
    return { weight: weight * bounded, places };
  }

  #placesOf(term: string): Map<number, Place> {
    const own = new Map<number, number>();
    for (const [stem, holders] of this.#holders) {
      const share = stem === term ? 1 : sharesPrefix(stem, term) ? PREFIX_WEIGHT : 0;
      if (share > 0) for (const at of holders) own.set(at, Math.max(share, own.get(at) ?? 0));
    }
    const heads = new Map<Set<string>, number>();
    const inStems = (stems: Set<string>) => {
      const share = heads.get(stems) ?? holds(stems, term);
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
      const covers = Math.max(here, introduced, headed, NEIGHBOUR_COVERS * beside);
      if (all > 0) places.set(at, { own: here, all, covers });
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

function holds(stems: Set<string>, term: string): number {
  if (stems.has(term)) return 1;
  for (const stem of stems) if (sharesPrefix(stem, term)) return PREFIX_WEIGHT;
  return 0;
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

function priorOf({ text, stems, passage, position, group }: Sentence, { kind }: Question): number {
  const early = 1 / (1 + PASSAGE_PRIOR * passage) + POSITION_PRIOR / (1 + position);
  const fits = holdsKind(text, kind) ? KIND_BONUS : 1;
  const isFragment =
    group.kind === "paragraph" &&
    stems.length < FRAGMENT_WORDS &&
    !/[.!:。！]["'”’»)]*$/.test(text);
  return (
    early * fits * (text.endsWith("?") ? QUESTION_PENALTY : 1) * (isFragment ? FRAGMENT_PENALTY : 1)
  );
}
