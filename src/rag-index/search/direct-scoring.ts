import type { ChunkId } from "../../core/ids.ts";
import { valueOf, type Row } from "../tables.ts";
import type { Eligibility } from "./eligibility.ts";

/** Chunks that are read and scored without FTS5. */
export const DIRECT_LIMIT_CHUNKS = 400;
const ROWS_A_PAGE = 1_000;

type ChunkRow = Row<"chunks", "chunk" | "id" | "duplicate">;
export type Sample = Map<number, ChunkId>;

function addEligible(sample: Sample, eligibility: Eligibility, rows: ChunkRow[]): void {
  for (const { chunk, id, duplicate } of rows) {
    if (sample.size >= DIRECT_LIMIT_CHUNKS) return;
    if (eligibility.includes({ chunk, duplicate: duplicate === 1 })) sample.set(chunk, id);
  }
}

/** Every chunk of the eligible files; for restrictions within DIRECT_LIMIT_CHUNKS. */
export function eligibleChunks(sql: SqlStorage, eligibility: Eligibility): Sample {
  const files = JSON.stringify([...(eligibility.files ?? [])]);
  const rows = sql
    .exec<ChunkRow>(
      `SELECT c.chunk, c.id, c.duplicate FROM json_each(?) f
        CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`,
      files,
    )
    .toArray();
  const sample: Sample = new Map();
  addEligible(sample, eligibility, rows);
  return sample;
}

/** The first chunk of a restriction: a RAG's files are mostly stored one after the other. */
function firstEligible(sql: SqlStorage, { files }: Eligibility): number {
  if (files === null) return 0;
  const query = `SELECT min(c.chunk) FROM json_each(?) f
    CROSS JOIN chunks c ON c.file = f.value AND c.live = 1`;
  return valueOf<number>(sql, query, JSON.stringify([...files])) ?? 0;
}

const NEXT_PAGE = `SELECT c.chunk, c.id, c.duplicate
  FROM words w CROSS JOIN chunks c ON c.chunk = w.rowid
  WHERE words MATCH ? AND w.rowid > ? ORDER BY w.rowid LIMIT ?`;

/** The first eligible chunks that match, reading a bounded number of postings. */
export function firstMatches(
  sql: SqlStorage,
  eligibility: Eligibility,
  { match, postingsLimit }: { match: string; postingsLimit: number },
): Sample {
  const sample: Sample = new Map();
  let after = firstEligible(sql, eligibility) - 1;
  for (let read = 0; read < postingsLimit && sample.size < DIRECT_LIMIT_CHUNKS;) {
    // Each page is read to its end: an abandoned cursor would keep its statement busy.
    const rows = sql.exec<ChunkRow>(NEXT_PAGE, match, after, ROWS_A_PAGE).toArray();
    addEligible(sample, eligibility, rows);
    read += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_PAGE) break;
    after = last.chunk;
  }
  return sample;
}
