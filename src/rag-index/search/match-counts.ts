import { HEADING_WEIGHT, type MatchCounts } from "../../text/bm25.ts";
import { stemOf } from "../../text/stems.ts";
import { isPrefixTerm } from "./query-terms.ts";
import { readWords, type ChunkWords } from "../write/word-index.ts";

type Counter = (words: Omit<ChunkWords, "chunk">) => MatchCounts;

/** Porter's stemmer never changes a word's first letter: most words need not be stemmed. */
const headOf = (word: string) => word.charCodeAt(0);

/** How often each query word occurs in a chunk, by its stem as FTS5 computes it. */
export function counterOf(words: string[]): Counter {
  const byStem = new Map<string, number[]>();
  const heads = new Set<number>();
  const prefixes: [word: string, at: number][] = [];
  for (const [at, word] of words.entries()) {
    if (isPrefixTerm(word)) prefixes.push([word, at]);
    else {
      const stem = stemOf(word);
      byStem.set(stem, [...(byStem.get(stem) ?? []), at]);
      heads.add(headOf(word));
    }
  }
  return ({ headings, text }) => {
    const counts = words.map(() => 0);
    const add = (at: number, weight: number) => (counts[at] = (counts[at] ?? 0) + weight);
    const read = (word: string, weight: number) => {
      if (heads.has(headOf(word))) {
        for (const at of byStem.get(stemOf(word)) ?? []) add(at, weight);
      }
      for (const [prefix, at] of prefixes) if (word.startsWith(prefix)) add(at, weight);
    };
    for (const word of headings) read(word, HEADING_WEIGHT);
    for (const word of text) read(word, 1);
    return { counts, length: headings.length + text.length };
  };
}

/** Reads a few chunks and counts the query's words in each. */
export function countMatches(
  sql: SqlStorage,
  chunks: number[],
  words: string[],
): Map<number, MatchCounts> {
  const count = counterOf(words);
  return new Map(readWords(sql, chunks).map((read) => [read.chunk, count(read)]));
}
