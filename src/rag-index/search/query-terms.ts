import { normalForm } from "../../core/normal-form.ts";
import { idfOf } from "../../text/bm25.ts";
import { isFunctionWord, LANGUAGES, languageOfQuestion } from "../../text/languages.ts";
import type { Language } from "../../text/languages.ts";
import { spellingsOf } from "../../text/spellings.ts";
import { stemOf } from "../../text/stems.ts";
import { withoutStopWords } from "../../text/stop-words.ts";
import { formsOf, isReduced } from "../../text/word-forms.ts";
import { isPartOfCut, searchWordsOf } from "../../text/words.ts";

/** Posting list entries that one query may read; its rarest words are read first. */
export const POSTINGS_LIMIT = 20_000;
/** Phrases of one FTS5 expression; a longer query is cut to its rarest words. */
const TERMS_LIMIT = 256;
/** A stem with fewer is repeated instead. */
const MIN_BEGINNINGS = 2;

/** `postings`: upper bound of the chunks that contain the word. `weight`: share of its score. */
export type QueryTerm = { word: string; postings: number; weight: number };

/** In scripts without spaces, fewer characters match every cut that begins with them. */
export const isPrefixTerm = isPartOfCut;

/** A query of unknown language is reduced as languages that so many chunks have. */
const MIN_LANGUAGE_SHARE = 0.01;

/** Facts of an index's words: at most how many chunks hold one, and shares of its languages. */
export type KnownWords = {
  estimate: (word: string) => number;
  shareOf: (language: Language) => number;
  /** All chunks. */
  chunks: () => number;
};

/**
 * The words that a query is searched by, rarest first, without stop words and unknown ones; by
 * their forms in the query's language or the index's. Repeats stay: word frequency matters.
 */
export function queryTerms(query: string, words: KnownWords): QueryTerm[] {
  const language = languageIn(query, words);
  const languages = language === null ? commonLanguagesIn(words) : [language];
  const telling = tellingIn(query, language);
  const spellings = [...spellingsOf(query), ...withoutUmlauts(query, telling, words)];
  const all = [...telling, ...spellings].map((word) => spellingIn(words, word));
  return withoutStopWords(all)
    .flatMap((word) => weighTerms(formsIn(word, languages), words))
    .filter(({ word, postings }) => postings > 0 || isPrefixTerm(word))
    .sort((a, b) => a.postings - b.postings)
    .slice(0, TERMS_LIMIT);
}

/** How people write on a keyboard without these letters: `Mueller`, `Aase`. */
const UMLAUTS: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };
const BETWEEN_WORDS = /[^\p{L}]+/u;

/** No function words come back so, and no word that no chunk has: that would count itself twice. */
function withoutUmlauts(query: string, telling: string[], words: KnownWords): string[] {
  const tellingWords = new Set(telling);
  return normalForm(query, "NFC")
    .toLowerCase()
    .split(BETWEEN_WORDS)
    .filter(
      (word) => /[äöüøå]/.test(word) && searchWordsOf(word).some((each) => tellingWords.has(each)),
    )
    .flatMap((word) =>
      searchWordsOf(word.replaceAll(/[äöüøå]/g, (letter) => UMLAUTS[letter] ?? "")),
    )
    .filter((word) => words.estimate(word) > 0);
}

/** A word as chunks hold it: `mueller`, or `muller`, which `Müller` is without its dots. */
function spellingIn(words: KnownWords, word: string): string {
  if (words.estimate(word) > 0) return word;
  const folded = word.replaceAll(/([aou])e|(a)a/g, "$1$2");
  return words.estimate(folded) > 0 ? folded : word;
}

/** Null also where few words seem to be of a language that the index does not have. */
function languageIn(query: string, words: KnownWords): Language | null {
  const language = languageOfQuestion(query);
  return language === null || !isReduced(language) || words.shareOf(language) > 0 ? language : null;
}

const commonLanguagesIn = (words: KnownWords) =>
  LANGUAGES.filter((language) => words.shareOf(language) >= MIN_LANGUAGE_SHARE);

function tellingIn(query: string, language: Language | null): string[] {
  const words = searchWordsOf(query);
  const reduced = language !== null && isReduced(language) ? language : null;
  // `Can it be sold?`: elsewhere a can is a thing.
  const asks = words[0] === "can" && words.slice(1).some((word) => isFunctionWord(word, "en"));
  const telling = words.slice(asks ? 1 : 0).filter((word) => !isFunctionWord(word, reduced));
  return telling.length > 0 ? telling : words;
}

/** A word itself, for texts of no known language, and its forms; FTS5 stems each of them. */
function formsIn(word: string, languages: Language[]): string[] {
  const byScript = formsOf(word, null);
  const forms = [word, ...byScript, ...languages.flatMap((language) => formsOf(word, language))];
  const different = [...new Map(forms.toReversed().map((form) => [stemOf(form), form])).values()];
  return [...different, ...repeatedStem(word, byScript)];
}

/** A rarer form repeats what a more frequent one scored: so much of that is left out. */
const REPEATED_SHARE = 0.65;

function weighTerms(forms: string[], words: KnownWords): QueryTerm[] {
  let repeated = 0;
  return forms
    .map((word) => ({ word, postings: words.estimate(word) }))
    .sort((a, b) => b.postings - a.postings)
    .map(({ word, postings }) => {
      const idf = idfOf(postings, words.chunks());
      const weight = 1 - (REPEATED_SHARE * repeated) / idf;
      repeated = idf;
      return { word, postings, weight };
    });
}

/** A short stem is repeated to weigh as much as one with beginnings (no gain in Latin script). */
function repeatedStem(word: string, [stem = word, ...beginnings]: string[]): string[] {
  if (stem === word && beginnings.length === 0) return [];
  return Array.from({ length: Math.max(0, MIN_BEGINNINGS - beginnings.length) }, () => stem);
}

/** The rarest terms within the postings limit; none when the first one exceeds it. */
export function limitPostings(terms: QueryTerm[], postingsLimit = POSTINGS_LIMIT): QueryTerm[] {
  let total = 0;
  const end = terms.findIndex(({ postings }) => (total += postings) > postingsLimit);
  return end === -1 ? terms : terms.slice(0, end);
}

/** Words hold letters and digits only, so that nothing in them can be FTS5 syntax once quoted. */
export function matchExpression(terms: { word: string }[]): string {
  return terms.map(({ word }) => (isPrefixTerm(word) ? `"${word}" *` : `"${word}"`)).join(" OR ");
}
