/**
 * Text whose words are as common as those of natural text (Zipf's law), the same for the same
 * number. Its words are made up, so that none is a stop word or stems to another.
 */
const VOCABULARY = 300_000;
/** The head of a real vocabulary is function words, which queries are searched without. */
const FUNCTION_WORDS = 120;
const CONSONANTS = "bcdfgklmnprtvz";
const VOWELS = "aou";

/** Mulberry32 (T. Ettinger, public domain): numbers in [0, 1) from a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = new Map<number, string>();

function wordOf(rank: number): string {
  const existingWord = words.get(rank);
  if (existingWord !== undefined) return existingWord;
  let word = "";
  for (let rest = rank + 1; rest > 0;) {
    word += CONSONANTS[rest % CONSONANTS.length] ?? "";
    rest = Math.floor(rest / CONSONANTS.length);
    word += VOWELS[rest % VOWELS.length] ?? "";
    rest = Math.floor(rest / VOWELS.length);
  }
  words.set(rank, word);
  return word;
}

/** A word of rank r comes about 1/r as often as the first. */
const rankFrom = (random: () => number) => Math.floor(VOCABULARY ** random());

export function textOf(seed: number, wordCount: number): string {
  const random = randomFrom(seed);
  const textWords = Array.from({ length: wordCount }, () => wordOf(rankFrom(random) - 1));
  return textWords.join(" ");
}

/** A question by someone who has read this seed's text: some of its words that mean something. */
export function queryFor(seed: number, wordCount: number, queryLength: number): string {
  const random = randomFrom(seed);
  const ranks = Array.from({ length: wordCount }, () => rankFrom(random) - 1);
  const telling = ranks.filter((rank) => rank >= FUNCTION_WORDS);
  const start = seed % Math.max(1, telling.length - queryLength);
  return telling
    .slice(start, start + queryLength)
    .map(wordOf)
    .join(" ");
}
