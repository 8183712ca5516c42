import type { BitSet } from "../../core/bit-set.ts";
import { hash32 } from "../../core/hash.ts";
import { HEADING_WEIGHT } from "../../text/bm25.ts";
import { MemoryBudget } from "../memory/memory-budget.ts";
import { BestFew } from "../vectors/best-few.ts";
import { isPrefixTerm, matchExpression, POSTINGS_LIMIT, type QueryTerm } from "./query-terms.ts";

const MIB = 1_024 * 1_024;
/**
 * Bounds the scores of all index objects of an isolate; their vectors have a budget of their own.
 */
const scoresBudget = new MemoryBudget(16 * MIB);
const OBJECT_LIMIT_BYTES = 8 * MIB;
const FIRST_CLAIM_BYTES = MIB / 4;
const BYTES_A_SCORE = Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;
/**
 * Bytes of a word with its two lists. Longer ones hardly recur; a prefix may be in any number of
 * chunks.
 */
const BYTES_A_WORD = 800;
const MAX_WORD_LENGTH = 64;

/** New words are read alone, at half the speed, up to so many postings or this share of all. */
const FRESH_POSTINGS = 256;
const FRESH_SHARE = 0.75;
/** Words that were searched once and are not in memory; all are forgotten when they are more. */
const WORDS_SEEN = 4_096;
/** Searches before memory that others hold is requested again. */
const SEARCHES_REFUSED = 64;

/** Chunks in order of their numbers, and what BM25 gives each for a word, or for several. */
export type Scores = { chunks: Uint32Array; values: Float64Array; weight?: number };

type ScoreRow = [chunk: number, rank: number];
/**
 * Reads the ranks of one word, in order of the chunks' numbers; ranks are FTS5's, the best the
 * lowest.
 */
type ReadRanks = (match: string) => Iterable<ScoreRow>;

const RANKS = `SELECT rowid, bm25(words, ${HEADING_WEIGHT}.0, 1.0) FROM words WHERE words MATCH ?`;

export const ranksIn =
  (sql: SqlStorage): ReadRanks =>
  (match) =>
    sql.exec(RANKS, match).raw<ScoreRow>();

/**
 * BM25 by word, of words that searches repeat, so that FTS5 computes each once between two writes.
 * A word that is given to or taken from the index changes the scores of all: everything is forgotten.
 */
export class WordScores {
  readonly #ranks: ReadRanks;
  /** The longest unused first. */
  readonly #words = new Map<string, Scores>();
  /** By hash: a text would keep its whole query in memory. Of equal ones one is read earlier. */
  readonly #seen = new Set<number>();
  #bytes = 0;
  #claimedBytes = 0;
  #searchesRefused = 0;

  constructor(ranks: ReadRanks) {
    this.#ranks = ranks;
  }

  /** Called when the words of chunks change, and when others need the memory. */
  forget(): void {
    this.#words.clear();
    this.#seen.clear();
    this.#bytes = 0;
    this.#claimedBytes = 0;
    scoresBudget.release(this);
  }

  /** Chunk scores as FTS5 adds them, but weighted; null where FTS5 is faster or alone can. */
  scoreTerms(terms: QueryTerm[]): Scores | null {
    const isWeighted = terms.some(({ weight }) => weight !== 1);
    if (this.#searchesRefused > 0) {
      this.#searchesRefused -= 1;
      // Without any memory FTS5 is faster.
      if (this.#claimedBytes === 0 && !isWeighted) return null;
    }
    if (terms.some(({ word }) => word.length > MAX_WORD_LENGTH || isPrefixTerm(word))) return null;
    const words = terms.map((term) => ({ term, match: matchExpression([term]) }));
    const missing = words.filter(({ match }) => !this.#words.has(match));
    const fresh = missing.filter(({ match }) => !this.#seen.has(hash32(match)));
    const unread = postingsOf(fresh.map(({ term }) => term));
    if (!isWeighted && unread > FRESH_POSTINGS && unread > FRESH_SHARE * postingsOf(terms)) {
      if (this.#seen.size > WORDS_SEEN) this.#seen.clear();
      for (const { match } of fresh) this.#seen.add(hash32(match));
      return null;
    }
    const loaded = new Map<string, Scores>();
    const scores = words.map(({ match, term: { weight } }) => {
      // A word that is repeated may have found no room.
      const scores = loaded.get(match) ?? this.#scoresOf(match);
      loaded.set(match, scores);
      return { chunks: scores.chunks, values: scores.values, weight };
    });
    const sums = sumScores(scores);
    scoresBudget.use(this);
    return sums;
  }

  #scoresOf(match: string): Scores {
    const scores = this.#words.get(match) ?? this.#read(match);
    // Now it is the last one that was used.
    if (this.#words.delete(match)) this.#words.set(match, scores);
    return scores;
  }

  #read(match: string): Scores {
    const rows = [...this.#ranks(match)];
    const scores = {
      chunks: Uint32Array.from(rows, ([chunk]) => chunk),
      values: Float64Array.from(rows, ([, rank]) => -rank),
    };
    this.#keep(match, scores);
    return scores;
  }

  #keep(match: string, scores: Scores): void {
    const bytes = bytesOf(scores);
    if (bytes > OBJECT_LIMIT_BYTES / 4) return;
    this.#claim(this.#bytes + bytes);
    if (bytes > this.#claimedBytes) return;
    for (const [oldest, scores] of this.#words) {
      if (this.#bytes + bytes <= this.#claimedBytes) break;
      this.#words.delete(oldest);
      this.#seen.delete(hash32(oldest));
      this.#bytes -= bytesOf(scores);
    }
    this.#words.set(match, scores);
    this.#bytes += bytes;
  }

  /** Asks for twice as much as before; where that is refused, it keeps what it had. */
  #claim(bytes: number): void {
    const had = this.#claimedBytes;
    if (bytes <= had || had === OBJECT_LIMIT_BYTES || this.#searchesRefused > 0) return;
    const bytesToClaim = Math.min(OBJECT_LIMIT_BYTES, Math.max(FIRST_CLAIM_BYTES, 2 * had, bytes));
    if (scoresBudget.claim(this, bytesToClaim)) {
      this.#claimedBytes = bytesToClaim;
      return;
    }
    this.#searchesRefused = SEARCHES_REFUSED;
    if (had === 0 || !scoresBudget.claim(this, had)) this.forget();
  }
}

const bytesOf = ({ chunks }: Scores) => BYTES_A_WORD + BYTES_A_SCORE * chunks.length;

const postingsOf = (terms: QueryTerm[]) => terms.reduce((sum, { postings }) => sum + postings, 0);

/** Chunk numbers that are added up together; the sums stay in the cache. */
const WINDOW = 8_192;
const BITS_POWER = 5;
const BITS = 2 ** BITS_POWER;
/** Zeros between two calls: one call runs at a time. */
const windowSums = new Float64Array(WINDOW);
const windowMarks = new Uint32Array(WINDOW / BITS);
/** As many as the words of a query may have; they are used again, because new ones are garbage. */
const SUMS = POSTINGS_LIMIT;
const sumsOfOne = { chunks: new Uint32Array(SUMS), values: new Float64Array(SUMS) };

/** Adds the values of a chunk in their order. The next call may overwrite the result. */
export function sumScores(words: Scores[]): Scores {
  const most = words.reduce((sum, { chunks }) => sum + chunks.length, 0);
  const sums =
    most > SUMS ? { chunks: new Uint32Array(most), values: new Float64Array(most) } : sumsOfOne;
  const places = words.map(() => 0);
  for (let length = 0; ;) {
    const from = Math.min(...words.map(({ chunks }, at) => chunks[places[at] ?? 0] ?? Infinity));
    if (from === Infinity) {
      return { chunks: sums.chunks.subarray(0, length), values: sums.values.subarray(0, length) };
    }
    words.forEach((word, at) => {
      places[at] = addWindow(word, places[at] ?? 0, from);
    });
    length = emptyWindow(from, sums, length);
  }
}

/** Adds what begins at `place` to the window of chunks that begins with `from`; returns its end. */
function addWindow({ chunks, values, weight = 1 }: Scores, place: number, from: number): number {
  let at = place;
  for (; at < chunks.length; at++) {
    const chunk = (chunks[at] ?? 0) - from;
    if (chunk >= WINDOW) break;
    windowSums[chunk] = (windowSums[chunk] ?? 0) + weight * (values[at] ?? 0);
    const mark = chunk >>> BITS_POWER;
    windowMarks[mark] = (windowMarks[mark] ?? 0) | (1 << (chunk % BITS));
  }
  return at;
}

/** Writes the window's sums behind the first `length`; returns how many there are now. */
function emptyWindow(from: number, { chunks, values }: Scores, length: number): number {
  let count = length;
  for (let mark = 0; mark < windowMarks.length; mark++) {
    for (let rest = windowMarks[mark] ?? 0; rest !== 0; rest &= rest - 1) {
      const chunk = mark * BITS + (BITS - 1 - Math.clz32(rest & -rest));
      chunks[count] = from + chunk;
      values[count] = windowSums[chunk] ?? 0;
      windowSums[chunk] = 0;
      count += 1;
    }
    windowMarks[mark] = 0;
  }
  return count;
}

/** The chunks (of `within`) with the highest scores, best first; equal ones in order of their numbers. */
export function bestOf({ chunks, values }: Scores, limit: number, within: BitSet | null = null) {
  const best = new BestFew(limit);
  let { minScore } = best;
  for (let at = 0; at < values.length; at++) {
    const score = values[at] ?? 0;
    // An earlier chunk with an equal score is kept already.
    if (score <= minScore || within?.has(chunks[at] ?? 0) === false) continue;
    best.offer(chunks[at] ?? 0, score);
    minScore = best.minScore;
  }
  return best.sortItems().map(({ key: chunk, score }) => ({ chunk, score }));
}
