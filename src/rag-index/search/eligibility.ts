import { BitSet } from "../../core/bit-set.ts";
import type { Restriction } from "../../ports/rag-index.ts";
import type { KeptFileTable } from "../memory/file-table.ts";
import type { EligibleFiles, LiveChunk } from "../memory/live-chunks.ts";
import { run, valuesOf, readTotals, type Row } from "../tables.ts";
import { filesInFolders, createFileFinder } from "./file-condition.ts";

/** Whether this call may return a chunk: of duplicates, only the first eligible one. */
export class Eligibility {
  /** Null: nothing is hidden or restricted. */
  readonly files: BitSet | null;
  /** Chunks of these files. */
  readonly chunkCount: number;
  readonly #includeDuplicates: boolean;
  readonly #excluded: BitSet | null;
  readonly #chunksOf: (files: BitSet, includeDuplicates: boolean) => BitSet;
  #chunks: BitSet | null = null;

  /** `chunksOf` runs once, when needed. `excluded`: left out, with all chunks equal to them. */
  constructor(
    within: EligibleFiles,
    includeDuplicates: boolean,
    chunksOf: (files: BitSet, includeDuplicates: boolean) => BitSet,
    excluded: BitSet | null = null,
  ) {
    this.files = within.files;
    this.chunkCount = within.chunkCount;
    this.#includeDuplicates = includeDuplicates;
    this.#chunksOf = chunksOf;
    this.#excluded = excluded;
  }

  includesFile(file: number): boolean {
    return this.files === null || this.files.has(file);
  }

  /** The chunks that may be returned; null: all, except excluded ones and marked duplicates. */
  get chunks(): BitSet | null {
    if (this.files === null || this.#chunks !== null) return this.#chunks;
    this.#chunks = this.#chunksOf(this.files, this.#includeDuplicates);
    if (this.#excluded !== null) this.#chunks.subtract(this.#excluded);
    return this.#chunks;
  }

  includes({ chunk, duplicate }: LiveChunk): boolean {
    const { chunks } = this;
    if (this.#excluded?.has(chunk) === true) return false;
    return chunks === null ? !duplicate || this.#includeDuplicates : chunks.has(chunk);
  }
}

type FileRow = Row<"files", "file" | "chunk_count">;

function findFilesByName(sql: SqlStorage, names: string[]): number[] {
  return valuesOf<number>(sql)`SELECT f.file FROM json_each(${names}) name
      CROSS JOIN files f ON f.path = name.value WHERE f.state = 'live'
    UNION SELECT f.file FROM json_each(${names}) name
      CROSS JOIN files f ON f.external_id = name.value WHERE f.state = 'live'`;
}

/** The files that satisfy every part, hidden ones among them; null when there is no part. */
function matchingFiles(sql: SqlStorage, restriction: Restriction): BitSet | null {
  const { named: scopes, metadata, condition } = restriction;
  const matching = createFileFinder(sql);
  const parts = metadata.map((filter) => matching({ metadata: filter }));
  if (condition !== undefined) parts.push(matching(condition));
  if (scopes !== null) {
    const { files, folders } = scopes;
    parts.push(new BitSet([...findFilesByName(sql, files), ...filesInFolders(sql, folders)]));
  }
  const [first, ...rest] = parts;
  return first === undefined ? null : rest.reduce((all, part) => all.intersect(part), first);
}

/** Resolves a restriction and the scopes together; exact at any number of files. */
export function resolveRestriction(
  sql: SqlStorage,
  restriction: Restriction,
  fileTable: Pick<KeptFileTable, "filesReadableBy">,
): EligibleFiles {
  const totals = readTotals(sql);
  const matching = matchingFiles(sql, restriction);
  if (restriction.readers !== undefined) {
    return fileTable.filesReadableBy(restriction.readers, matching);
  }
  if (matching === null && totals.hiddenFiles === 0) {
    return { files: null, chunkCount: totals.chunks };
  }
  const rows =
    matching === null
      ? run<FileRow>(sql)`SELECT f.file, f.chunk_count FROM files f
          WHERE f.state = 'live' AND f.hidden = 0`
      : run<FileRow>(sql)`SELECT f.file, f.chunk_count FROM json_each(${[...matching]}) wanted
          CROSS JOIN files f ON f.file = wanted.value WHERE f.state = 'live' AND f.hidden = 0`;
  const files = new BitSet();
  let chunkCount = 0;
  for (const row of rows) {
    files.add(row.file);
    chunkCount += row.chunk_count;
  }
  return { files, chunkCount };
}
