import type { Eligibility } from "./restriction.ts";

const EQUALS_A_PAGE = 256;

/** What decides over a live chunk. */
export type Applicant = { chunk: number; file: number; duplicate: boolean };

/**
 * Says of a chunk whether this call may return it. A duplicate is left out only when an equal
 * chunk that came earlier is itself eligible for this call.
 */
export class Admission {
  readonly #sql: SqlStorage;
  readonly eligibility: Eligibility;
  readonly #includeDuplicates: boolean;
  /** The first eligible chunk of a key, found once a call. */
  readonly #firstOfKey = new Map<string, number>();

  constructor(sql: SqlStorage, eligibility: Eligibility, includeDuplicates: boolean) {
    this.#sql = sql;
    this.eligibility = eligibility;
    this.#includeDuplicates = includeDuplicates;
  }

  /** Whether the mark alone decides: nothing is hidden and nothing restricts. */
  get everyFile(): boolean {
    return this.eligibility.files === null;
  }

  holdsFile(file: number): boolean {
    const { files } = this.eligibility;
    return files === null || files.has(file);
  }

  admits({ chunk, file, duplicate }: Applicant): boolean {
    if (!this.holdsFile(file)) return false;
    if (!duplicate || this.#includeDuplicates) return true;
    return !this.everyFile && this.#firstEligible(chunk) === chunk;
  }

  #firstEligible(chunk: number): number {
    const { key } = this.#sql
      .exec<{ key: string }>("SELECT duplicate_key AS key FROM chunks WHERE chunk = ?", chunk)
      .one();
    const known = this.#firstOfKey.get(key);
    if (known !== undefined) return known;
    const first = this.#readFirstEligible(key) ?? chunk;
    this.#firstOfKey.set(key, first);
    return first;
  }

  /** Read in pages, each to its end: an abandoned cursor would keep its statement busy. */
  #readFirstEligible(key: string): number | null {
    for (let after = 0; ;) {
      const equals = this.#sql
        .exec<{ chunk: number; file: number }>(
          `SELECT chunk, file FROM chunks
            WHERE duplicate_key = ? AND live = 1 AND chunk > ? ORDER BY chunk LIMIT ?`,
          key,
          after,
          EQUALS_A_PAGE,
        )
        .toArray();
      const first = equals.find(({ file }) => this.holdsFile(file));
      if (first !== undefined) return first.chunk;
      const last = equals.at(-1);
      if (last === undefined || equals.length < EQUALS_A_PAGE) return null;
      after = last.chunk;
    }
  }
}
