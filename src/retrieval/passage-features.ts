import { stemOf } from "../text/stems.ts";
import { withoutStopWords } from "../text/stop-words.ts";
import { isTelling } from "../text/telling-words.ts";
import { codeWordParts, searchWordsOf } from "../text/words.ts";
import { Beginnings } from "./passage-words.ts";
import type { PassageWords } from "./passage-words.ts";

/** A candidate as its words are looked at. */
export type Candidate = {
  path: string;
  words: PassageWords;
  /** Passages of its whole file. */
  fileChunks: number;
  /** What the fusion gave it for the query, 0 to 1; BM25, 0 if not found; cosine, -1 to 1. */
  fused: number;
  lexical: number;
  cosine: number;
};

/**
 * What is measured of a candidate. Shares are of the query's words, weighted by their rarity among
 * the candidates: 0 to 1.
 */
export type Features = {
  fused: number;
  /** BM25 as a share of the best candidate's. */
  lexical: number;
  cosine: number;
  /** Names in the path (`undici`, `retry agent`) of which the query says every word, at most 2. */
  names: number;
  /** Share of the words of the path's last name that the query says. */
  lastName: number;
  /** The best that a single sentence holds. */
  sentence: number;
  /** Share of the query's neighbouring words that are neighbours here, too. */
  neighbours: number;
  /** Words of which only a relative is here: the same first five letters. */
  relatives: number;
  /** What path, headings and all candidates of the same file hold together. */
  file: number;
  /** Natural logarithm of the file's passages: a long file holds any word by chance. */
  fileLength: number;
};

/** More of a query is not looked at. */
const MOST_TERMS = 32;
const FAMILY_LENGTH = 5;
const MOST_NAMES = 2;
/** As in the embedded reranker: candidates were chosen because they hold the words. */
const BACKGROUND_DOCUMENTS = 30;
const LEAST_BEGINNING = 2;
const BEGINNING = 4;

type Asked = {
  /** Stems without stop words; each once, and with repeats in the query's order. */
  terms: Map<string, number>;
  order: number[];
  /** Every stem, stop words included. */
  all: Set<string>;
  starts: Beginnings;
  /** A text of ASCII without any of them holds no term, and no relative of one. */
  beginnings: string[];
  /** First five letters of a term. */
  families: Map<string, number>;
  /** What words of candidates are, as they come. */
  known: Map<string, Known>;
};

/** Which term a word is, or is a relative of, -1: none; and whether the query says it at all. */
type Known = { term: number; relative: number; isSaid: boolean };

function askedOf(query: string): Asked {
  const words = searchWordsOf(query);
  const kept = tellingOf([...words, ...codeWordParts(query)]).slice(0, MOST_TERMS);
  const terms = new Map<string, number>();
  const order = kept.map((word) => {
    const stem = stemOf(word);
    const at = terms.get(stem) ?? terms.size;
    terms.set(stem, at);
    return at;
  });
  const stems = [...terms.keys()];
  const families = stems
    .filter((stem) => stem.length >= FAMILY_LENGTH)
    .map((stem) => [stem.slice(0, FAMILY_LENGTH), terms.get(stem) ?? 0] as const);
  return {
    terms,
    order,
    all: new Set([...stems, ...words.map(stemOf)]),
    starts: new Beginnings(stems),
    beginnings: stems.map((stem) =>
      stem.slice(0, Math.max(LEAST_BEGINNING, Math.min(BEGINNING, stem.length - 1))),
    ),
    families: new Map(families),
    known: new Map(),
  };
}

/** A query of nothing but asking words is asked by all of them. */
function tellingOf(words: string[]): string[] {
  const kept = withoutStopWords(words);
  const telling = kept.filter(isTelling);
  return telling.length > 0 ? telling : kept;
}

/** The places of terms in a candidate, by what holds them. */
type Held = {
  text: Set<number>;
  headings: Set<number>;
  path: Set<number>;
  relatives: Set<number>;
  sentences: Set<number>[];
  /** Terms that stand next to each other, `first * MOST_TERMS + second`. */
  pairs: Set<number>;
};

function heldBy({ words: { sentences, headings, names } }: Candidate, asked: Asked): Held {
  const held: Held = {
    text: new Set(),
    headings: termsAmong(headings, asked),
    path: termsAmong(names.flat(), asked),
    relatives: new Set(),
    sentences: [],
    pairs: new Set(),
  };
  let before = -1;
  for (const sentence of sentences) {
    if (!sentence.mayHold(asked.beginnings)) {
      before = -1;
      continue;
    }
    const terms = termsAmong(sentence.parts, asked);
    sentence.eachWord(asked.starts, (word) => {
      const at = word === null ? -1 : look(word, asked, held);
      if (at >= 0) terms.add(at);
      if (at >= 0 && before >= 0) held.pairs.add(before * MOST_TERMS + at);
      before = at;
    });
    if (terms.size > 0) held.sentences.push(terms);
    for (const at of terms) held.text.add(at);
  }
  return held;
}

/** Which term a word is, or -1; a relative of one is noted. */
function look(word: string, asked: Asked, held: Held): number {
  const { term, relative } = knownOf(word, asked);
  if (relative >= 0) held.relatives.add(relative);
  return term;
}

function knownOf(word: string, { known, all, terms, families }: Asked): Known {
  const before = known.get(word);
  if (before !== undefined) return before;
  const stem = stemOf(word);
  const term = terms.get(stem) ?? -1;
  const relative = term >= 0 ? -1 : (families.get(stem.slice(0, FAMILY_LENGTH)) ?? -1);
  const one = { term, relative, isSaid: all.has(stem) };
  known.set(word, one);
  return one;
}

function termsAmong(words: string[], asked: Asked): Set<number> {
  const found = new Set<number>();
  for (const word of words) {
    if (!asked.starts.has(word)) continue;
    const { term } = knownOf(word, asked);
    if (term >= 0) found.add(term);
  }
  return found;
}

/** Looks at the candidates of one query, in their order. Pure; no word is English by need. */
export function featuresOf(query: string, candidates: Candidate[]): Features[] {
  const asked = askedOf(query);
  const held = candidates.map((candidate) => heldBy(candidate, asked));
  const share = shareBy(asked, held);
  const byFile = new Map<string, Set<number>>();
  candidates.forEach(({ path }, at) => {
    byFile.set(path, union(byFile.get(path), held[at]?.text));
  });
  const best = Math.max(0, ...candidates.map(({ lexical }) => lexical));
  return candidates.map((candidate, at) => {
    const { fused, cosine, path, words, fileChunks } = candidate;
    const own = held[at] ?? heldBy(candidate, asked);
    const isSaid = (word: string) => knownOf(word, asked).isSaid;
    const said = words.names.filter((name) => name.every(isSaid));
    const last = words.names.at(-1) ?? [];
    return {
      fused,
      cosine,
      lexical: best === 0 ? 0 : candidate.lexical / best,
      names: Math.min(MOST_NAMES, said.length),
      lastName: last.length === 0 ? 0 : countOf(last, isSaid) / last.length,
      sentence: Math.max(0, ...own.sentences.map(share)),
      neighbours: neighboursIn(own, asked),
      relatives: share(new Set([...own.relatives].filter((term) => !own.text.has(term)))),
      file: share(union(union(own.headings, own.path), byFile.get(path))),
      fileLength: Math.log(Math.max(1, fileChunks)),
    };
  });
}

const NONE: ReadonlySet<number> = new Set();
const union = (one: ReadonlySet<number> = NONE, other: ReadonlySet<number> = NONE) =>
  new Set([...one, ...other]);

function countOf<Item>(items: Item[], test: (item: Item) => boolean): number {
  let count = 0;
  for (const item of items) if (test(item)) count += 1;
  return count;
}

function neighboursIn({ pairs }: Held, { order }: Asked): number {
  if (order.length < 2) return 0;
  const isPair = (at: number) => pairs.has((order[at - 1] ?? 0) * MOST_TERMS + (order[at] ?? 0));
  let count = 0;
  for (let at = 1; at < order.length; at++) if (isPair(at)) count += 1;
  return count / (order.length - 1);
}

/** Of the weight of all terms, what some of them have. */
function shareBy({ terms }: Asked, held: Held[]): (some: ReadonlySet<number>) => number {
  const weights = [...terms.values()].map((term) => {
    const holders = countOf(held, ({ text, headings }) => text.has(term) || headings.has(term));
    const others = held.length + BACKGROUND_DOCUMENTS - holders;
    return Math.log(1 + (others + 0.5) / (holders + 0.5));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return (some) => {
    let sum = 0;
    for (const term of some) sum += weights[term] ?? 0;
    return total === 0 ? 0 : sum / total;
  };
}
