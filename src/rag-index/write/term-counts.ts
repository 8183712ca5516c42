import { hash32 } from "../../core/hash.ts";
import { stemOf } from "../../text/stems.ts";

/** Counters of the sketch. Words that share one make each other look commoner, never rarer. */
const SLOTS = 16_384;
/** Changes kept apart before they are folded into the counters, which are 64 KiB. */
const CHANGES_BEFORE_FOLDING = 256;

const slotOf = (word: string) => hash32(stemOf(word)) % SLOTS;

/** The counters that a text's words touch, each once. */
export function termSlotsOf(words: Iterable<string>): number[] {
  const slots = new Set<number>();
  for (const word of words) slots.add(slotOf(word));
  return [...slots];
}

function apply(counts: Int32Array, sign: number, slots: Iterable<number>): void {
  for (const slot of slots) counts[slot] = (counts[slot] ?? 0) + sign;
}

/**
 * A sketch of document frequencies: in how many live chunks a stemmed word stands, at most. What
 * changes is appended as a small row and folded in now and then; the counters are read into
 * memory at the first search and kept in step from then on.
 */
export class TermCounts {
  readonly #sql: SqlStorage;
  #counts: Int32Array | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Chunks that hold the word; 0 is certain, more is an upper bound. */
  estimate(word: string): number {
    this.#counts ??= this.#read();
    return Math.max(0, this.#counts[slotOf(word)] ?? 0);
  }

  /** `sign` 1: chunks came; -1: chunks went. One list of slots a chunk. */
  record(sign: 1 | -1, slotsOfChunks: number[][]): void {
    const slots = slotsOfChunks.flat();
    if (slots.length === 0) return;
    const bytes = Uint16Array.from(slots);
    this.#sql.exec("INSERT INTO term_changes (sign, slots) VALUES (?, ?)", sign, bytes.buffer);
    if (this.#counts !== null) apply(this.#counts, sign, bytes);
    this.#foldWhenMany();
  }

  /** What is in memory may be ahead of the storage after a failed write. */
  forget(): void {
    this.#counts = null;
  }

  #foldWhenMany(): void {
    const { changes } = this.#sql
      .exec<{ changes: number }>("SELECT count(*) AS changes FROM term_changes")
      .one();
    if (changes < CHANGES_BEFORE_FOLDING) return;
    const counts = this.#read();
    this.#sql.exec(
      `INSERT INTO term_counts (one, counts) VALUES (1, ?)
        ON CONFLICT (one) DO UPDATE SET counts = excluded.counts`,
      counts.buffer,
    );
    this.#sql.exec("DELETE FROM term_changes");
  }

  #read(): Int32Array<ArrayBuffer> {
    const stored = this.#sql
      .exec<{ counts: ArrayBuffer }>("SELECT counts FROM term_counts")
      .toArray()[0];
    const counts = stored === undefined ? new Int32Array(SLOTS) : new Int32Array(stored.counts);
    const changes = this.#sql.exec<{ sign: number; slots: ArrayBuffer }>(
      "SELECT sign, slots FROM term_changes ORDER BY change",
    );
    for (const { sign, slots } of changes) apply(counts, sign, new Uint16Array(slots));
    return counts;
  }
}
