import { stemmer } from "stemmer";

import { hash32 } from "../../core/hash.ts";
import { LANGUAGES, type Language } from "../../text/languages.ts";
import { WordMemory } from "../../text/word-memory.ts";
import { run, select, valueOf } from "../tables.ts";

/** Counters of the sketch. Words that share a counter seem more frequent, never rarer. */
const SLOTS = 16_384;
/** Changes stored separately before they are merged into the counters, which are 64 KiB. */
const CHANGES_BEFORE_FOLDING = 256;

/** Counters of their own: of all chunks, and of those with words of a language. */
const ALL_CHUNKS = SLOTS;
const languageSlot = (language: Language) => SLOTS + 1 + LANGUAGES.indexOf(language);
const ALL_SLOTS = SLOTS + 1 + LANGUAGES.length;

const slotOf = (word: string) => hash32(stemmer(word)) % SLOTS;
/** It remembers each word, so that the stems are not remembered, too. */
const slots = new WordMemory(slotOf);

/** The texts in which each counter was last met, by number: a `Set` takes several times as long. */
const metIn = new Float64Array(SLOTS);
let texts = 0;

/** The counters of a chunk's words and languages, each once; the texts as `WordMemory.visit` reads them. */
export function termSlotsOf(codes: string[], languages: Iterable<Language>): number[] {
  const termSlots = [ALL_CHUNKS, ...Array.from(languages, languageSlot)];
  texts += 1;
  const noteSlot = (slot: number) => {
    if (metIn[slot] === texts) return;
    metIn[slot] = texts;
    termSlots.push(slot);
  };
  for (const text of codes) slots.visit(text, noteSlot);
  return termSlots;
}

function addToCounts(counts: Int32Array, sign: number, slots: Iterable<number>): void {
  for (const slot of slots) counts[slot] = (counts[slot] ?? 0) + sign;
}

/**
 * A sketch of document frequencies: an upper bound of the live chunks that contain a stemmed word.
 * Changes are appended as small rows and merged from time to time; the counters are loaded into
 * memory at the first search and updated from then on.
 */
export class TermCounts {
  readonly #sql: SqlStorage;
  #counts: Int32Array | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Number of chunks with the word; 0 is exact, more is an upper bound. */
  estimate(word: string): number {
    this.#counts ??= this.#read();
    return Math.max(0, this.#counts[slotOf(word)] ?? 0);
  }

  /** `sign` 1: chunks were added; -1: removed. One list of slots per chunk. */
  record(sign: 1 | -1, slotsOfChunks: number[][]): void {
    const slots = slotsOfChunks.flat();
    if (slots.length === 0) return;
    const bytes = Uint16Array.from(slots);
    run(this.#sql)`INSERT INTO term_changes (sign, slots) VALUES (${sign}, ${bytes.buffer})`;
    if (this.#counts !== null) addToCounts(this.#counts, sign, bytes);
    this.#foldWhenMany();
  }

  /** The share of chunks with words that are reduced as this language's: 0 to 1. */
  shareOf(language: Language): number {
    const chunks = this.chunks();
    return chunks === 0 ? 0 : (this.#counts?.[languageSlot(language)] ?? 0) / chunks;
  }

  chunks(): number {
    this.#counts ??= this.#read();
    return this.#counts[ALL_CHUNKS] ?? 0;
  }

  /** Memory may be ahead of storage after a failed write. */
  forget(): void {
    this.#counts = null;
  }

  #foldWhenMany(): void {
    const changes = valueOf<number>(this.#sql)`SELECT count(*) FROM term_changes`;
    if ((changes ?? 0) < CHANGES_BEFORE_FOLDING) return;
    const counts = this.#read();
    run(this.#sql)`INSERT INTO term_counts (one, counts) VALUES (1, ${counts.buffer})
      ON CONFLICT (one) DO UPDATE SET counts = excluded.counts`;
    run(this.#sql)`DELETE FROM term_changes`;
  }

  #read(): Int32Array<ArrayBuffer> {
    const bytes = valueOf<ArrayBuffer>(this.#sql)`SELECT counts FROM term_counts`;
    const counts = bytes === null ? new Int32Array(ALL_SLOTS) : new Int32Array(bytes);
    const changes = select(this.#sql, "term_changes", ["sign", "slots"], "ORDER BY change");
    for (const { sign, slots } of changes) addToCounts(counts, sign, new Uint16Array(slots));
    return counts;
  }
}
