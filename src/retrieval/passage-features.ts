import { rarityOf } from "../text/bm25.ts";
import { spellingsOf } from "../text/spellings.ts";
import { stemOf } from "../text/stems.ts";
import { withoutStopWords } from "../text/stop-words.ts";
import { isTelling } from "../text/telling-words.ts";
import { searchWordsOf, withoutSigns } from "../text/words.ts";

/** More of a passage is not looked at. */
const MAX_CHARACTERS = 8_000;
const EXTENSIONS = /(?:\.[\p{L}\p{N}]{1,5}){1,3}$/u;
const CASE_CHANGE = /([\p{Ll}\d])(\p{Lu})/gu;
/** Names that say what a document is for, and not what it is about. */
const SAYS_LITTLE = /^(?:readme|index|docs?|documentation|api|main|src|man|guides?)$/i;

/** A passage by its words: its names are cut once for all queries. */
export type PassageWords = ReturnType<typeof wordsOfPassage>;

export const wordsOfPassage = ({
  path,
  headings,
  text,
}: {
  path: string;
  headings: string[];
  text: string;
}) => ({
  /** Their beginnings. */
  text: text.slice(0, MAX_CHARACTERS),
  headings: headings.join("\n").slice(0, MAX_CHARACTERS),
  /** Those of each name in the path (`undici`, `retry agent`), outermost first. */
  names: namesIn(path),
});

const wordsIn = (text: string) => [...searchWordsOf(text), ...spellingsOf(text)];

function namesIn(path: string): string[][] {
  return path
    .split("/")
    .map((segment) => segment.replace(EXTENSIONS, ""))
    .filter((name) => name.length > 1 && !SAYS_LITTLE.test(name))
    .map((name) => wordsIn(name.replace(CASE_CHANGE, "$1 $2")))
    .filter((words) => words.length > 0);
}

/** `fused`: what the fusion gave it for the query, 0 to 1; `lexical`: BM25, 0 if not found. */
export type Candidate = Pick<Features, "fused" | "lexical" | "cosine"> & {
  path: string;
  words: PassageWords;
  /** Passages of its whole file. */
  fileChunks: number;
};

/** Measures of a candidate. Shares, 0 to 1, are of the query's words, weighted by rarity. */
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
  /** The share that path, headings and all candidates of the same file hold together. */
  file: number;
  /** Natural logarithm of the file's passages: a long file holds any word by chance. */
  fileLength: number;
};

/** More of a query is not looked at: a set of terms is the bits of one number. */
const MAX_TERMS = 32;
const FAMILY_LENGTH = 5;
const MAX_NAMES = 2;

type QueryStems = {
  /** Stems without stop words; each once, and with repeats in the query's order. */
  terms: Map<string, number>;
  order: number[];
  /** Every stem, stop words included. */
  all: Set<string>;
  /** First five letters of a term. */
  families: Map<string, number>;
  /** Facts of the candidates' words, filled as they come. */
  known: Map<string, StemMatch>;
};

/** Which term a word is, or is a relative of, -1: none; and whether the query says it at all. */
type StemMatch = { term: number; relative: number; isSaid: boolean };

function queryStemsOf(query: string): QueryStems {
  const words = searchWordsOf(query);
  const tellingTerms = tellingTermsOf([...words, ...spellingsOf(query)]).slice(0, MAX_TERMS);
  const terms = new Map<string, number>();
  const order = tellingTerms.map((word) => {
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
    families: new Map(families),
    known: new Map(),
  };
}

/** A query of nothing but question words is searched by all of them. */
function tellingTermsOf(words: string[]): string[] {
  const telling = words.filter(isTelling);
  return telling.length > 0 ? telling : withoutStopWords(words);
}

/** Terms by their places: bit 0 is the first one. */
type Terms = number;

/** The terms of a candidate, by what holds them. */
type Held = {
  text: Terms;
  headings: Terms;
  path: Terms;
  relatives: Terms;
  sentences: Terms[];
  /** By place of a term: those that stand right behind it; nothing where none does. */
  behind: Terms[];
};

function findTerms({ words: { text, headings, names } }: Candidate, query: QueryStems): Held {
  const counts: Held = {
    text: 0,
    headings: termsIn(wordsIn(headings), query),
    path: termsIn(names.flat(), query),
    relatives: 0,
    sentences: [],
    behind: [],
  };
  let before = -1;
  for (const sentence of sentencesOf(text)) {
    const words = searchWordsOf(sentence);
    let terms = termsIn(spellingsOf(sentence), query);
    if (words.length === 0) before = -1;
    for (const word of words) {
      const { term, relative } = matchWord(word, query);
      if (relative >= 0) counts.relatives |= 1 << relative;
      if (term >= 0) terms |= 1 << term;
      if (term >= 0 && before >= 0)
        counts.behind[before] = (counts.behind[before] ?? 0) | (1 << term);
      before = term;
    }
    if (terms !== 0) counts.sentences.push(terms);
    counts.text |= terms;
  }
  return counts;
}

const SENTENCE_END = /[.!?:]\s+|\n[ \t]*\n|\n[ \t]*[-*] /;
/** Ends no sentence, and is no part of a word. */
const NO_SIGN = ",";
const NO_BREAK_SPACE = "\u00a0";

/** Without signs most of them are ASCII, which is cut into words several times as fast. */
const sentencesOf = (text: string): string[] =>
  withoutSigns(text.replaceAll(NO_BREAK_SPACE, " "), NO_SIGN).split(SENTENCE_END);

function matchWord(word: string, { known: stems, all, terms, families }: QueryStems): StemMatch {
  const before = stems.get(word);
  if (before !== undefined) return before;
  const stem = stemOf(word);
  const term = terms.get(stem) ?? -1;
  const relative = term >= 0 ? -1 : (families.get(stem.slice(0, FAMILY_LENGTH)) ?? -1);
  const match = { term, relative, isSaid: all.has(stem) };
  stems.set(word, match);
  return match;
}

function termsIn(words: string[], query: QueryStems): Terms {
  let terms: Terms = 0;
  for (const word of words) {
    const { term } = matchWord(word, query);
    if (term >= 0) terms |= 1 << term;
  }
  return terms;
}

/** Looks at the candidates of one query, in their order. Pure; no word is English by need. */
export function featuresOf(query: string, candidates: Candidate[]): Features[] {
  const stems = queryStemsOf(query);
  const termCounts = candidates.map((candidate) => findTerms(candidate, stems));
  const share = shareCounter(stems, termCounts);
  const byFile = new Map<string, Terms>();
  candidates.forEach(({ path }, at) => {
    byFile.set(path, (byFile.get(path) ?? 0) | (termCounts[at]?.text ?? 0));
  });
  const isQueryStem = (word: string) => matchWord(word, stems).isSaid;
  const best = Math.max(0, ...candidates.map(({ lexical }) => lexical));
  return candidates.map((candidate, at) => {
    const { fused, cosine, path, words, fileChunks } = candidate;
    const own = termCounts[at] ?? findTerms(candidate, stems);
    const matchingNames = words.names.filter((name) => name.every(isQueryStem));
    const last = words.names.at(-1) ?? [];
    return {
      fused,
      cosine,
      lexical: best === 0 ? 0 : candidate.lexical / best,
      names: Math.min(MAX_NAMES, matchingNames.length),
      lastName: last.length === 0 ? 0 : countOf(last, isQueryStem) / last.length,
      sentence: own.sentences.reduce((best, sentence) => Math.max(best, share(sentence)), 0),
      neighbours: neighboursIn(own, stems),
      relatives: share(own.relatives & ~own.text),
      file: share(own.headings | own.path | (byFile.get(path) ?? 0)),
      fileLength: Math.log(Math.max(1, fileChunks)),
    };
  });
}

/** By passage: the largest share of a query's words that its text, headings and path hold. */
export function sharesOfWords(queries: string[], passages: PassageWords[]): number[] {
  const stems = queries.map(queryStemsOf);
  return passages.map(({ text, headings, names }) => {
    const words = [...wordsIn(`${headings}\n${text}`), ...names.flat()];
    const shares = stems.map((query) => {
      const terms = termsIn(words, query);
      const count = countOf([...query.terms.values()], (term) => hasTerm(terms, term));
      return count / Math.max(1, query.terms.size);
    });
    return Math.max(...shares);
  });
}

function countOf<Item>(items: Item[], test: (item: Item) => boolean): number {
  let count = 0;
  for (const item of items) if (test(item)) count += 1;
  return count;
}

const hasTerm = (terms: Terms, place: number) => (terms & (1 << place)) !== 0;

function neighboursIn({ behind }: Held, { order }: QueryStems): number {
  if (order.length < 2) return 0;
  let count = 0;
  for (let at = 1; at < order.length; at++) {
    if (hasTerm(behind[order[at - 1] ?? 0] ?? 0, order[at] ?? 0)) count += 1;
  }
  return count / (order.length - 1);
}

/** The share of all terms' weight that some of them have. */
function shareCounter({ terms }: QueryStems, termCounts: Held[]): (some: Terms) => number {
  const weights = [...terms.values()].map((term) => {
    const holders = countOf(termCounts, ({ text, headings }) => hasTerm(text | headings, term));
    return rarityOf(termCounts.length, holders);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return (some) => {
    let sum = 0;
    for (let term = 0; term < weights.length; term++) {
      if (hasTerm(some, term)) sum += weights[term] ?? 0;
    }
    return total === 0 ? 0 : sum / total;
  };
}
