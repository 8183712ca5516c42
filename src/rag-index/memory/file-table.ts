import { BitSet } from "../../core/bit-set.ts";
import type { Restriction } from "../../ports/rag-index.ts";
import { valuesOf } from "../tables.ts";
import type { EligibleFiles } from "./live-chunks.ts";
import { copyInto, CachedValue, MemoryBudget } from "./memory-budget.ts";

const MIB = 1_024 * 1_024;
/** Bounds the tables of all index objects of an isolate. */
const tablesBudget = new MemoryBudget(8 * MIB);
const BYTES_A_FILE = 16;

const VISIBLE = `SELECT file, audience, readers_revision,
  iif(state = 'live' AND hidden = 0 AND revision >= readers_from, chunk_count, 0) FROM files`;
const OF_FILES = `${VISIBLE} WHERE file IN (SELECT value FROM json_each(?))`;

type Row = [file: number, audience: number, revision: number, chunks: number];

type Within = { audiences: BitSet; since: number; among: BitSet | null; behind: BitSet };

/** The audience of each file: which files a reader may read is found without reading their rows. */
class FileTable {
  #audiences = new Uint32Array(0);
  #revisions = new Float64Array(0);
  /** 0: nothing of the file is shown. */
  #chunks = new Uint32Array(0);

  get bytes(): number {
    return this.#chunks.length * BYTES_A_FILE;
  }

  add(rows: Iterable<Row>): void {
    for (const [file, audience, revision, chunks] of rows) {
      if (file >= this.#chunks.length) this.#grow(Math.max(file + 64, 2 * this.#chunks.length));
      this.#audiences[file] = audience;
      this.#revisions[file] = revision;
      this.#chunks[file] = chunks;
    }
  }

  /** `behind`: files whose audience has changed since. */
  filesWithin({ audiences, since, among, behind }: Within): EligibleFiles {
    const files = new BitSet();
    let chunkCount = 0;
    for (let file = 0; file < this.#chunks.length; file++) {
      const chunks = this.#chunks[file] ?? 0;
      if (chunks === 0 || !audiences.has(this.#audiences[file] ?? 0)) continue;
      if ((this.#revisions[file] ?? 0) < since || among?.has(file) === false) continue;
      if (behind.has(file)) continue;
      files.add(file);
      chunkCount += chunks;
    }
    return { files, chunkCount };
  }

  #grow(places: number): void {
    this.#audiences = copyInto(new Uint32Array(places), this.#audiences);
    this.#revisions = copyInto(new Float64Array(places), this.#revisions);
    this.#chunks = copyInto(new Uint32Array(places), this.#chunks);
  }
}

/** The table of one index object: loaded by the first call for a reader, then kept up to date. */
export class KeptFileTable {
  readonly #sql: SqlStorage;
  readonly #kept = new CachedValue<FileTable>(tablesBudget);

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  forget(): void {
    this.#kept.forget();
  }

  /** After a write of these files. */
  follow(files: number[]): void {
    if (files.length === 0) return;
    this.#kept.value?.add(this.#sql.exec(OF_FILES, JSON.stringify(files)).raw<Row>());
  }

  /** The files that these principals may read; `among` null: of all. */
  filesReadableBy(
    { principals, since, untold = [] }: NonNullable<Restriction["readers"]>,
    among: BitSet | null,
  ): EligibleFiles {
    const behind = new BitSet(
      untold.length === 0
        ? []
        : valuesOf<number>(this.#sql)`SELECT f.file FROM json_each(${untold}) told
            CROSS JOIN files f ON f.id = told.value ->> 'fileId'
            WHERE f.readers_revision < told.value ->> 'revision'`,
    );
    // No file that anybody may read has the audience 0.
    const audiences = new BitSet(
      valuesOf<number>(this.#sql)`SELECT DISTINCT member.audience
        FROM json_each(${principals}) principal
        CROSS JOIN audience_members member ON member.principal = principal.value`,
    );
    return this.#read().filesWithin({ audiences, since, among, behind });
  }

  #read(): FileTable {
    return this.#kept.read(() => {
      const table = new FileTable();
      table.add(this.#sql.exec(VISIBLE).raw<Row>());
      return table;
    });
  }
}
