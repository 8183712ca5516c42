import { priorOf } from "./priors.ts";
import { optionsIn } from "./question.ts";
import type { Question, Term } from "./question.ts";
import { isAsked, namedStems, specialStems, timesNamed } from "./sections.ts";
import type { Group, Sentence } from "./sentences.ts";
import { sharesPrefix } from "./stems.ts";

/** How far a match counts, by where it stands. */
const INTRODUCTION_WEIGHT = 0.7;
const HEADING_WEIGHT = 0.5;
const NEIGHBOUR_WEIGHT = 0.4;
const NEIGHBOUR_COVERS = 0.7;
/** Weight of a word that only shares a prefix with a term (compounds, endings). */
const PREFIX_WEIGHT = 0.7;
/** … and how far it binds the term: `sickness` speaks of whoever is `sick`. */
const PREFIX_BINDS = 0.9;
/** Bounds of a term's rarity: a word that no passage holds must not outweigh all others. */
const MIN_RARITY = 1;
const MAX_RARITY = 1.8;

/** The paragraph that explains an option, before those that only mention it. */
const EXPLAINED_BONUS = 2;
const TERM_BONUS = 1.5;
/**
 * `score`: how well a sentence answers; 0 means no match. `coverage`: the share of the question
 * that the sentence, what stands around it and its headings hold, 0 to 1.
 */
export type Scored = {
  sentence: Sentence;
  score: number;
  own: number;
  coverage: number;
  /** Whether the heading above it asks the question, so that it may answer in other words. */
  isBelow: boolean;
};

/** Scores sentences by the share of the question that they hold, best first. */
export function byRelevance(sentences: Sentence[], question: Question): Scored[] {
  const index = indexOf(sentences);
  const terms = question.terms.map((term) => ({ stem: term.stem, ...index.look(term) }));
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [];
  const isNameAlone = new Map<Sentence["source"], boolean>();
  for (const { source } of sentences) {
    if (isNameAlone.has(source)) continue;
    const names = namedStems(source, question);
    isNameAlone.set(source, names.size > 0 && terms.every(({ stem }) => names.has(stem)));
  }
  const matched = sentences.map(() => ({ score: 0, own: 0, coverage: 0 }));
  for (const { stem, weight, places } of terms) {
    for (const [at, { own, all, covers }] of places) {
      const sum = matched[at];
      const sentence = sentences[at];
      if (sum === undefined || sentence === undefined) continue;
      // A document says its name in any of its sentences, or in none.
      const isName = namedStems(sentence.source, question).has(stem);
      sum.score += (weight * (isName ? Math.max(all, NAME_HOLDS) : all)) / total;
      // What is asked about a document as a whole may be said without its name.
      const isOwn = isName && isNameAlone.get(sentence.source) === true;
      sum.own += (weight * (isOwn ? Math.max(own, NAME_ALONE_OWN) : own)) / total;
      sum.coverage += (weight * covers) / total;
    }
  }
  const scored = sentences.map((sentence, at) => {
    const { score, own, coverage } = matched[at] ?? { score: 0, own: 0, coverage: 0 };
    const isBelow = isAsked(sentence.group, sentence, question);
    if (score === 0) return { sentence, score, own, coverage, isBelow };
    const isNamed = holdsAll(question.options, sentence);
    const fits = isNamed ? explaining(question, sentence) : 0.5;
    const named = timesNamed(sentence.source, question);
    const prior = priorOf(sentence, question) * fits * (1 + NAMED_BONUS * named);
    const factor = prior * (isBelow ? bonusIn(sentence.group) : 1);
    const covered = isNamed ? coverage : coverage * 0.5;
    return { sentence, score: score * factor, own, coverage: covered, isBelow };
  });
  return scored.sort((a, b) => b.score - a.score);
}

/** How far a sentence holds its document's name, which its heading and path hold at least. */
const NAME_HOLDS = 0.9;

const NAME_ALONE_OWN = 0.3;

/** What the first blocks below a heading that asks the same are worth. */
const ASKED_BONUSES = [1.6, 1.45, 1.3];
const ASKED_BONUS = 1.15;

const bonusIn = (group: Group): number =>
  ASKED_BONUSES[group.section.groups.slice(0, ASKED_BONUSES.length).indexOf(group)] ?? ASKED_BONUS;

/** How far code binds a word that nothing around it holds. */
const IN_CODE = 0.8;

const NAMED_BONUS = 0.15;
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
function explaining(question: Question, sentence: Sentence): number {
  const { options, terms } = question;
  const { text, group } = sentence;
  const { kind, introduction, introductionStems, sentences } = group;
  if (kind !== "paragraph" || introduction === "" || sentences[0]?.text !== text) return 1;
  if (options.length > 0) {
    const above = optionsAbove(group);
    const isExplained = introduction.startsWith("-") && options.every((one) => above.has(one));
    return isExplained ? EXPLAINED_BONUS : 1;
  }
  const [first] = introductionStems;
  const special = specialStems(sentence, question);
  const isMeant = terms.some(({ stem, weight }) => stem === first && weight >= 1);
  return isMeant && first !== undefined && special.includes(first) ? TERM_BONUS : 1;
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
    const bounded = Math.min(MAX_RARITY, Math.max(MIN_RARITY, rarity));
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
    return before.length + stem.length > MAX_PAIR_CHARACTERS ? [] : [`${before}${stem}`];
  });

const MAX_PAIR_CHARACTERS = 24;

const indexes = new WeakMap<Sentence[], SentenceIndex>();

function indexOf(sentences: Sentence[]): SentenceIndex {
  const known = indexes.get(sentences);
  if (known !== undefined) return known;
  const index = new SentenceIndex(sentences);
  indexes.set(sentences, index);
  return index;
}
