import { stemmer } from "stemmer";

/** Words recur: a small memory makes stemming many times cheaper. Cleared when full. */
const REMEMBERED_WORDS = 20_000;
/** Longer runs of letters are encoded data, which hardly recurs. */
const MAX_REMEMBERED_LENGTH = 64;
const remembered = new Map<string, string>();

/** The Porter stem (M. F. Porter, 1980) of one lower-case word, as FTS5's `porter` makes it. */
export function stemOf(word: string): string {
  if (word.length > MAX_REMEMBERED_LENGTH) return stemmer(word);
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (remembered.size >= REMEMBERED_WORDS) remembered.clear();
  const stem = stemmer(word);
  remembered.set(word, stem);
  return stem;
}
